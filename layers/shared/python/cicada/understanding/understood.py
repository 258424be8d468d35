"""What a message means: read alone, and after those before it."""

from __future__ import annotations

from msgspec import Struct

from cicada.understanding.asking_back import refers_back
from cicada.understanding.facts import MentionKind
from cicada.understanding.meaning import Meaning
from cicada.understanding.naming_phrases import Described
from cicada.understanding.reading import LIKELY_WISH, Reading


class Understood(Struct, frozen=True):
    """A message as it is understood after those before it.

    `strategy`: one of `judging.STRATEGIES`. `single`: it speaks of one document that its conditions describe.
    `continues`: something of an earlier message holds. `completes`: the message before, if this one is the reply to
    what was asked back. `question`: what to ask back, with NeedsClarification.
    `has_subject`: it has words that may be a subject of the texts. `wants_documents`: it asks for the documents about
    its topic.
    """

    message: str
    meaning: Meaning
    strategy: str
    confidence: float
    single: bool = False
    continues: bool = False
    question: str = ""
    completes: str = ""
    has_subject: bool = False
    wants_documents: bool = False


class ReadAlone(Struct, frozen=True):
    """A message read alone. `wish`: the probability that it wants documents, if it has a topic.

    `phrase`: what may describe one document.
    """

    message: str
    reading: Reading
    meaning: Meaning
    strategy: str
    confidence: float
    wish: float
    phrase: Described | None

    @property
    def has_topic_words(self) -> bool:
        """Whether its topic has words that are no values."""
        return any(role.name == "topic" for role in self.reading.roles)

    @property
    def wants_documents(self) -> bool:
        """Whether it wants the documents about its topic."""
        return bool(self.meaning.topic) and self.wish > LIKELY_WISH

    @property
    def restricting(self) -> frozenset[MentionKind]:
        """The kinds of the mentions that are conditions."""
        return frozenset(mention.kind for mention, role in self.reading.of_kind(*MentionKind) if role.is_condition)

    @property
    def restricts_by_guess(self) -> bool:
        """Whether its conditions are of numbers, dates and names alone, and it has no word for documents."""
        is_guess = bool(self.restricting) and self.restricting.isdisjoint({MentionKind.VALUE, MentionKind.ASKER})
        return is_guess and not (self.reading.names_records or self.meaning.fields or self.meaning.aggregates)

    @property
    def names_one(self) -> bool:
        """Whether it names one document: "the Change Control SOP", but "the SOP about cleaning" may be any of several.

        A phrase beside a word for documents ("letters about the cholera outbreak") is their subject.
        """
        if self.phrase is None or self.phrase.is_bare:
            return False
        return self.phrase.is_kind or not self.reading.names_records

    def begins_anew(self, before: Understood) -> bool:
        """Whether it names all that it wants: "which documents are about noise?", "what does the Noise Policy say?"."""
        asks_of_it = self.strategy in ("C", "H") or bool(self.meaning.fields)
        if before.strategy == "M" and asks_of_it and self.names_one:
            return True
        if not self.reading.names_records:
            return False
        if self.wish > LIKELY_WISH and (self.meaning.topic or before.wants_documents):
            return True
        # After an answer from texts a count of documents is of others, unless it refers to them.
        counts = self.strategy == "M" and bool(self.meaning.aggregates or self.meaning.group)
        is_of_texts = before.strategy in ("C", "H") and not before.wants_documents
        return counts and is_of_texts and not refers_back(self.message)

    def speaks_of_the_list(self, before: Understood) -> bool:
        """Whether it is about the documents that were listed about a subject: "who owns them?"."""
        # "The lease" is another document, "the approved ones" are of the list.
        last = self.phrase.mentions[-1].kind if self.phrase else MentionKind.VALUE
        names_others = self.meaning.topic or self.reading.names_records or last is not MentionKind.VALUE
        return before.wants_documents and not names_others
