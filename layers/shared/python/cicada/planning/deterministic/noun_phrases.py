"""Noun phrases for documents: "effective EHS policies", "drafts of Dana Whitfield", "documents tagged gdp"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from cicada.knowledge_bases.schema import FieldType
from cicada.planning.dates import DatePhrase
from cicada.planning.deterministic.lexicon import Reading, ValueSpan
from cicada.planning.deterministic.sentence import Sentence

_MOST_TOPIC_WORDS = 4
_SUBJECTS = frozenset({"who", "i", "we", "you", "they"})


class HeadKind(StrEnum):
    """`TYPE`: a value of the type field. `STATUS`: another value in the plural ("drafts")."""

    GENERIC = "generic"
    WEAK = "weak"
    PRONOUN = "pronoun"
    TYPE = "type"
    STATUS = "status"


@dataclass(slots=True)
class NounPhrase:
    """A phrase from `start` to `end` around its head. `topics`: positions of modifiers that are no values.

    `filters`: how many values constrain it beside its type. `is_definite`: "the", "this". `asked`: "which", "what".
    """

    start: int
    head: int
    end: int
    kind: HeadKind
    plural: bool
    topics: tuple[int, ...] = ()
    filters: int = 0
    is_definite: bool = False
    asked: bool = False
    by_synonym: bool = False


def heads(sentence: Sentence) -> Iterator[NounPhrase]:
    """The nouns that name documents, each as a phrase of its own so far."""
    at = 0
    while at < len(sentence):
        head = _head(sentence, at)
        if head:
            yield head
        at = head.end if head else at + 1


def _head(sentence: Sentence, at: int) -> NounPhrase | None:
    span = sentence.spans.get(at)
    if span:
        return _value_head(sentence, span)
    word = sentence.word(at)
    if at in sentence.taken or _is_verb(sentence, at, at + 1):
        return None
    for kind, name in (
        (HeadKind.GENERIC, "document_nouns"),
        (HeadKind.WEAK, "weak_document_nouns"),
        (HeadKind.PRONOUN, "pronoun_heads"),
    ):
        if sentence.is_in(at, name):
            return NounPhrase(at, at, at + 1, kind, plural=word.endswith("s"))
    return None


def _value_head(sentence: Sentence, span: ValueSpan) -> NounPhrase | None:
    types = sentence.lexicon.types
    reading = span.of(types) if types else None
    if reading is not None:
        if _is_verb(sentence, span.start, span.end) or _is_idiom(sentence, span) or _modifies(sentence, span):
            return None
        canonical = "".join(sentence.word(at) for at in range(span.start, span.end)).startswith(
            "".join(reading.value.lower().split())[:3]
        )
        return NounPhrase(span.start, span.start, span.end, HeadKind.TYPE, reading.plural, by_synonym=not canonical)
    plain = _plural_of_adjective(sentence, span)
    if plain is None or _is_verb(sentence, span.start, span.end):
        return None
    return NounPhrase(span.start, span.start, span.end, HeadKind.STATUS, plural=True)


def _plural_of_adjective(sentence: Sentence, span: ValueSpan) -> Reading | None:
    """A keyword in the plural such as "drafts", unless it modifies the next noun."""
    for reading in span.readings:
        if reading.plural and sentence.lexicon.type_of(reading.field) is FieldType.KEYWORD:
            return reading
    return None


def _modifies(sentence: Sentence, span: ValueSpan) -> bool:
    """A type before another noun for documents is a modifier ("policy documents"), or a part of a compound noun."""
    following = sentence.spans.get(span.end)
    types = sentence.lexicon.types
    if following is not None and types and following.of(types):
        return False
    reading = span.of(types) if types else None
    if reading is None or reading.plural:
        return False
    return _is_compound_noun(sentence, span.end)


def _is_compound_noun(sentence: Sentence, at: int) -> bool:
    """A word of content directly after a noun that is also a verb or an adjective: "form field", "manual override"."""
    if not sentence.is_in(at - 1, "verbs_like_nouns", "nouns_like_adjectives") or not sentence.unknown(at):
        return False
    return not sentence.is_in(at, "communication", "belonging_verbs", "before_tags") and sentence.date_cue(at)[0] == at


def _is_idiom(sentence: Sentence, span: ValueSpan) -> bool:
    """In the form of."""
    before = [sentence.word(span.start - 2), sentence.word(span.start - 1)]
    return sentence.word(span.end) == "of" and "in" in before and before[1] in {"in", "the"}


def _is_verb(sentence: Sentence, start: int, end: int) -> bool:
    """Whether a word that may be a noun or a verb is a verb: after a subject, or before a determiner."""
    if end - start > 1:
        return False
    if sentence.word(start - 1) in _SUBJECTS and sentence.is_in(end, "determiners"):
        return True
    if not sentence.is_in(start, "verbs_like_nouns"):
        return False
    before, after = sentence.word(start - 1), sentence.word(end)
    if before in {"which", "what", "whose"} or sentence.is_in(start - 1, "determiners") or start - 1 in sentence.taken:
        return False
    if before == "to" and sentence.word(start - 2) in {"according", "refer", "related", "relating", "attached"}:
        return False
    if sentence.is_in(start - 1, "subject_words"):
        return True
    if after not in sentence.english.words["determiner_after_verb"]:
        return False
    return start > 0 or not sentence.word(start).endswith("s")


def extend_left(sentence: Sentence, phrase: NounPhrase) -> list[tuple[ValueSpan, bool]]:
    """Move the phrase's start over its modifiers. The values among them, and whether each is negated.

    Words of content may stand between ("effective equipment cleaning SOPs"); they are the phrase's topics.
    """
    scan = _LeftScan(sentence, phrase, phrase.head)
    while scan.at > 0 and scan.step():
        pass
    scan.keep_topics()
    return scan.found


@dataclass(slots=True)
class _LeftScan:
    """Reads the modifiers before a head, from right to left. `at`: the first position that has been read."""

    sentence: Sentence
    phrase: NounPhrase
    at: int
    found: list[tuple[ValueSpan, bool]] = field(default_factory=list)
    topics: list[int] = field(default_factory=list)

    def step(self) -> bool:
        """Read the value or the word before; False where the phrase begins."""
        span = self.sentence.span_ends.get(self.at)
        if span and not _is_verb(self.sentence, span.start, span.end):
            return self._value(span)
        return self._word(self.at - 1)

    def keep_topics(self) -> None:
        """The words of content at the phrase's beginning belong to it unless a verb or a subject precedes them."""
        if len(self.topics) > len(self.phrase.topics) and _may_precede_modifiers(self.sentence, min(self.topics) - 1):
            self.phrase.topics, self.phrase.start = tuple(self.topics), min(self.topics)

    def _value(self, span: ValueSpan) -> bool:
        sentence, phrase = self.sentence, self.phrase
        if _is_keyword_list_only(sentence, span):
            self.topics.extend(range(span.start, span.end))
        else:
            if self.topics and _is_auxiliary(sentence, span.start - 1) and not _may_be_adjective(sentence, span):
                return False
            self.found.append((span, False))
            phrase.topics = tuple(self.topics)
        self.at = phrase.start = span.start
        return True

    def _word(self, at: int) -> bool:
        sentence, word = self.sentence, self.sentence.word(at)
        if word in {"and", "or", ",", "/", "&", "-", '"'}:
            return _joins(sentence, at, self.found) and self._read(at)
        if word == "'s":
            return self._read(at)
        if word in {"tagged", "labelled", "labeled"} and at in sentence.span_ends:
            self.found.append((sentence.span_ends[at], False))
            return self._read(sentence.span_ends[at].start, extends=True)
        if sentence.is_not(at) and self.found and word != "no":
            self.found[-1] = (self.found[-1][0], True)
            return self._read(at, extends=True)
        if sentence.is_in(at, "determiners", "adverbs") or _is_order(sentence, at):
            return self._determiner(at, word)
        if sentence.unknown(at) and len(self.topics) < _MOST_TOPIC_WORDS:
            self.topics.append(at)
            return self._read(at)
        return False

    def _determiner(self, at: int, word: str) -> bool:
        if word in {"that", "this", "such"} and self.sentence.is_in(at - 1, "subject_words"):
            return False
        self.phrase.is_definite |= word in {"the", "this", "that", "these", "those"}
        self.phrase.asked |= word in {"which", "what", "whose"}
        self.phrase.topics = tuple(self.topics)
        return self._read(at, extends=True)

    def _read(self, at: int, *, extends: bool = False) -> bool:
        self.at = at
        if extends:
            self.phrase.start = at
        return True


def modifying_dates(sentence: Sentence, phrase: NounPhrase) -> list[DatePhrase]:
    """The 2023 reports, last year's policies: dates among the modifiers or before them."""
    if phrase.kind in {HeadKind.PRONOUN, HeadKind.WEAK}:
        return []
    first = phrase.start - (sentence.word(phrase.start - 1) == "'s")
    near = [each for each in sentence.dates.values() if first <= each.end <= phrase.head]
    return [each for each in near if not (each.marked or each.duration)]


def _may_precede_modifiers(sentence: Sentence, at: int) -> bool:
    """Whether the words before the noun can modify it: nothing, a preposition or a listing verb precedes them."""
    before = sentence.word(at)
    return (
        at < 0
        or not before[0].isalnum()
        or sentence.is_in(at, "listing", "source_prepositions", "politeness")
        or (before in {"me", "us", "for", "on", "and", "or", "are", "is", "many"})
    )


def _is_keyword_list_only(sentence: Sentence, span: ValueSpan) -> bool:
    return all(sentence.lexicon.type_of(name) is FieldType.KEYWORDS for name in span.fields)


def _is_auxiliary(sentence: Sentence, at: int) -> bool:
    return sentence.word(at) in {
        "do",
        "does",
        "did",
        "can",
        "must",
        "should",
        "may",
        "will",
        "is",
        "are",
        "has",
        "have",
    }


def _may_be_adjective(sentence: Sentence, span: ValueSpan) -> bool:
    return (
        sentence.word(span.start).islower()
        and sentence.tokens[span.start].raw.islower()
        and not any(sentence.lexicon.type_of(name) is FieldType.PERSON for name in span.fields)
    )


def _is_order(sentence: Sentence, at: int) -> bool:
    """Words of order and number before a noun: newest, first, three, 10."""
    word = sentence.word(at)
    return word.isdigit() or word in {
        "newest", "latest", "oldest", "recent", "earliest", "first", "last", "newer", "older", "new", "old", "three",
        "two", "four", "five", "six", "seven", "eight", "nine", "ten", "twenty", "top", "same", "usual", "my", "our",
    }  # fmt: skip


def _joins(sentence: Sentence, at: int, found: list[tuple[ValueSpan, bool]]) -> bool:
    """Whether "and", "or" or a comma joins two values that modify the same noun."""
    before = sentence.span_ends.get(at)
    if before is None and sentence.word(at - 1) in {",", '"'}:
        before = sentence.span_ends.get(at - 1)
    if sentence.word(at) == '"':
        return True
    return before is not None and bool(found)
