"""Plans questions on the documents of one base, from its schema alone: what each message means after those before it.

1. facts: what the message surely mentions (`facts.py`);
2. reading: what each mention does, by learnt heads over the masked message (`reading.py`);
3. composition: conditions, numbers, order and topic (`composition.py`), and what stays of the plan before
   (`following.py`);
4. judging: the strategy, and how likely the whole is right (`judging.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from msgspec import Struct, field
from msgspec.structs import replace

from cicada.knowledge_bases.schema import Schema
from cicada.understanding.asking_back import LEAD, clarification, completed
from cicada.understanding.composition import meaning_of
from cicada.understanding.facts import MentionKind
from cicada.understanding.follow_up_cues import YOU
from cicada.understanding.following import NEW, Earlier, Following, continued, following, strategy_of
from cicada.understanding.heads import Heads, packaged_heads
from cicada.understanding.judging import confidence_of, strategy_chances
from cicada.understanding.meaning import Meaning
from cicada.understanding.naming_phrases import DEFINITE, Described, described, without
from cicada.understanding.reading import Reading, read
from cicada.understanding.vocabulary import Vocabulary, compiled

TURNS = 8
"""Earlier messages that are looked at."""


_QUESTION_MARKS = ("?", "？", "؟")
_LONGEST_REPLY = 80
_ON_DOCUMENTS = ("C", "H", "M")


class Understood(Struct, frozen=True):
    """A message as it is understood after those before it.

    `strategy`: one of `judging.STRATEGIES`. `single`: it speaks of one document that its conditions describe.
    `continues`: something of an earlier message holds. `completes`: the message before, if this one is the reply to
    what was asked back. `question`: what to ask back, with NeedsClarification.
    `has_subject`: it has words that may be a subject of the texts.
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


class SchemaReader(Struct, frozen=True):
    """Understands messages to the base of one schema; make one for each base and keep it."""

    schema: Schema
    vocabulary: Vocabulary
    heads: Heads = field(default_factory=packaged_heads)

    @classmethod
    def of(cls, schema: Schema) -> SchemaReader:
        return cls(schema, compiled(schema))

    def understand(self, messages: Sequence[str], now: date, asker: str = "") -> Understood:
        """The last of a user's messages. `now`: a day in the user's time zone; `asker`: the name in owner fields."""
        found: Understood | None = None
        for message in messages[-TURNS - 1 :]:
            found = self.next(message, found, now, asker)
        return found or self.next("", None, now, asker)

    def next(self, message: str, before: Understood | None, now: date, asker: str) -> Understood:
        """A message after what came before it."""
        reading = read(message, self.vocabulary, now, self.heads)
        meaning = meaning_of(reading, self.vocabulary, asker)
        chances = strategy_chances(reading, self.vocabulary, bool(asker), self.heads)
        strategy = max(chances, key=chances.__getitem__)
        confidence = confidence_of(reading, meaning, chances, self.vocabulary, self.heads)
        if before is not None and before.strategy != "N":
            earlier = Earlier(before.meaning, before.strategy)
            found = following(reading, meaning, strategy, earlier, self.heads)
            if before.strategy == "A" or before.single:
                is_request = strategy in _ON_DOCUMENTS and self._begins_a_request(reading, message)
                whole = None if is_request else self._answered(message, before, found, now, asker)
                return whole or self._alone(message, reading, meaning, strategy, confidence, asker)
            if found.relation != NEW:
                return self._continued(message, meaning, strategy, earlier, found, confidence)
            confidence = min(confidence, found.chance)
        return self._alone(message, reading, meaning, strategy, confidence, asker)

    def _begins_a_request(self, reading: Reading, message: str) -> bool:
        """Whether the message begins with a word such as "list", "show" or "how", as no reply does."""
        first = next(zip(reading.facts.mentions, reading.roles, strict=True), None)
        if first is None or LEAD.match(message):
            return False
        mention, role = first
        word = mention.text.lower()
        is_plain = mention.kind is MentionKind.WORD and role.name == "none"
        return is_plain and word in self.heads.known and word not in DEFINITE

    def _answered(self, message: str, before: Understood, found: Following, now: date, asker: str) -> Understood | None:
        """The question that was asked back, completed by a reply; None if the message is no reply."""
        if found.relation == NEW or message.rstrip().endswith(_QUESTION_MARKS) or len(message) > _LONGEST_REPLY:
            return None
        whole = self.next(completed(before.message, message), None, now, asker)
        if whole.strategy in ("A", "N") or (whole.single and before.single):
            whole = Understood(message, Meaning(topic=message), "C", whole.confidence / 2)
        return replace(whole, continues=True, completes=before.message)

    def _continued(
        self,
        message: str,
        meaning: Meaning,
        strategy: str,
        earlier: Earlier,
        found: Following,
        confidence: float,
    ) -> Understood:
        whole = continued(meaning, earlier, found, self.vocabulary)
        kept = [max(each, 1 - each) for each in found.keeps.values()]
        sure = min(confidence, found.chance, *kept)
        return Understood(message, whole, strategy_of(whole, strategy, earlier), sure, continues=True)

    def _alone(
        self, message: str, reading: Reading, meaning: Meaning, strategy: str, confidence: float, asker: str
    ) -> Understood:
        if meaning.lacks_asker and strategy in ("M", "H"):
            strategy = "A"
        elif strategy == "A" and asker and meaning.speaks_of(asker):
            strategy = "H" if meaning.topic else "M"
        if strategy == "H" and not meaning.topic:
            meaning = meaning.searching_for_lists(self.vocabulary.types)
        phrase = described(reading, self.vocabulary, self.heads.known)
        if phrase and strategy in ("A", "H", "M") and not meaning.lacks_asker:
            meaning, strategy, single = self._of_one(message, meaning, strategy, phrase)
            if single or meaning.named:
                return Understood(message, meaning, strategy, confidence, single)
        # Where no schema says what the documents are about, any subject may be theirs.
        if strategy == "N" and not any(each.values for each in self.schema.fields.values()):
            strategy = "C"
        if strategy == "A" and _asks_the_assistant(reading):
            strategy = "N"
        noun = phrase.words if phrase else ""
        question = clarification(reading, meaning, self.schema, noun) if strategy == "A" else ""
        has_subject = bool(meaning.topic or meaning.named or reading.line.rare_words) or not _asks_the_assistant(
            reading
        )
        return Understood(message, meaning, strategy, confidence, question=question, has_subject=has_subject)

    def _of_one(self, message: str, meaning: Meaning, strategy: str, phrase: Described) -> tuple[Meaning, str, bool]:
        """What the message means if it speaks of the one document of a phrase, and whether it does so by kind alone."""
        states_more = meaning.named or meaning.limit or meaning.aggregates or meaning.group or meaning.order
        if states_more or (strategy == "H" and not phrase.is_kind):
            return meaning, strategy, False
        rest = without(meaning, phrase, self.vocabulary)
        if rest.restricted - {self.vocabulary.kind_field}:
            return meaning, strategy, False
        if strategy == "A":
            strategy = "M" if meaning.fields else "H"
            rest = rest if rest.topic or rest.fields else replace(rest, topic=message)
        if phrase.is_bare and phrase.is_kind:
            return rest, strategy, True
        # "The lease" may be any of several; who names more of a document means what fits it.
        is_name = phrase.mentions[0].kind is MentionKind.NAME
        return replace(rest, named=(phrase.words,)), strategy, phrase.is_bare and not is_name


def _asks_the_assistant(reading: Reading) -> bool:
    """Whether the message speaks to the assistant and names nothing of the base: "What can you do?"."""
    names_something = any(True for _ in reading.of_kind(MentionKind.VALUE, MentionKind.FIELD, MentionKind.RECORD))
    return not names_something and any(each.text in YOU for each in reading.facts.tokens)
