"""Noun phrases for documents: "effective EHS policies", "drafts of Dana Whitfield", "documents tagged gdp"."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from cicada.knowledge_bases.schema import FieldType
from cicada.planning.deterministic.lexicon import Reading, ValueSpan
from cicada.planning.deterministic.sentence import Sentence

_SUBJECTS = frozenset({"who", "i", "we", "you", "they"})


class HeadKind(StrEnum):
    """`TYPE`: a value of the type field. `STATUS`: another value in the plural ("drafts")."""

    GENERIC = "generic"
    WEAK = "weak"
    PRONOUN = "pronoun"
    TYPE = "type"
    STATUS = "status"


class NounPhrase(Struct):
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
    if at in sentence.taken or is_verb(sentence, at, at + 1):
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
        if is_verb(sentence, span.start, span.end) or _is_idiom(sentence, span) or _modifies(sentence, span):
            return None
        canonical = "".join(sentence.word(at) for at in range(span.start, span.end)).startswith(
            "".join(reading.value.lower().split())[:3]
        )
        return NounPhrase(span.start, span.start, span.end, HeadKind.TYPE, reading.plural, by_synonym=not canonical)
    plain = _plural_of_adjective(sentence, span)
    if plain is None or is_verb(sentence, span.start, span.end):
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


def is_verb(sentence: Sentence, start: int, end: int) -> bool:
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
