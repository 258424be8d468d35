"""What is asked of records by their date: numbers for each month, the month with the most, the last three."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, pairwise

from msgspec.structs import replace

from cicada.documents.catalogue import DOCUMENTS, Sort
from cicada.documents.periods import PERIODS, by_period, period_of
from cicada.knowledge_bases.schema import FieldType, Schema
from cicada.understanding.facts import MentionKind, in_singular, names_kind
from cicada.understanding.meaning import Meaning
from cicada.understanding.plan import MOST_GROUPED_BY
from cicada.understanding.reading import Reading
from cicada.understanding.vocabulary import Kind, Vocabulary
from cicada.understanding.words import Token, lexicon, split_words

_ENDS = frozenset({"last", "first"})


def with_periods(meaning: Meaning, reading: Reading, schema: Schema, vocabulary: Vocabulary) -> Meaning:
    """The meaning, with its numbers for each period that the message asks for, or the one period with the most."""
    asked, day = next(_asked(reading), None), _day_of(meaning, reading, vocabulary)
    is_of_records = meaning.restricted or meaning.aggregates or meaning.group or reading.names_records
    if asked is None or not (day and is_of_records):
        return meaning
    period, is_one = asked
    if any(_is_per(each.field, period, schema) for each in meaning.aggregates):
        return meaning
    cues = {lexicon().cues.get(each.text) for each in reading.facts.tokens}
    others = tuple(each for each in meaning.group if period_of(each)[0] != day)
    group = (*others, by_period(day, period))[-MOST_GROUPED_BY:]
    fields = tuple(each for each in meaning.fields if each != day)
    computed = meaning.aggregates or (DOCUMENTS,)
    if is_one and cues & {"MAX", "MIN"}:
        first = computed[0]
        most = Sort(first.field, "MAX" in cues, first.op)
        return replace(meaning, aggregates=(), group=group, fields=fields, order=most, limit=1, topic="")
    if is_one or "SORT" in cues:
        return meaning
    order = meaning.order if meaning.order and meaning.order.of else None
    return replace(meaning, aggregates=computed, group=group, fields=fields, order=order, topic="")


def with_last(meaning: Meaning, reading: Reading, vocabulary: Vocabulary) -> Meaning:
    """The meaning, of the records that came last or first: "the last three donations", "when was the last one?"."""
    day, tokens = _day_of(meaning, reading, vocabulary), [each.text for each in reading.facts.tokens]
    if not day or meaning.order or meaning.aggregates or meaning.group:
        return meaning
    nouns = [each for each, _ in reading.of_kind(MentionKind.RECORD, MentionKind.VALUE)]
    numbers = {each.start: each for each, _ in reading.of_kind(MentionKind.NUMBER)}
    for at, word in enumerate(tokens, start=1):
        number = numbers.get(at)
        end = number.end if number else at
        is_when = (tokens[0], word, tokens[end : end + 1]) == ("when", "last", ["one"])
        if is_when or (word in _ENDS and any(each.start == end for each in nouns)):
            are_several = any(names_kind(each, vocabulary) and not in_singular(each, reading.facts) for each in nouns)
            limit = int(number.number) if number else None if are_several else 1
            return replace(meaning, order=Sort(day, descending=word == "last"), limit=limit)
    return meaning


def _asked(reading: Reading) -> Iterator[tuple[str, bool]]:
    """The periods that are asked for, and whether one is: "in which month". One that is a column is none of these."""
    taken = {
        at
        for mention, _ in reading.of_kind(MentionKind.FIELD, MentionKind.VALUE, MentionKind.NAME)
        for at in range(mention.start, mention.end)
    }
    tokens, words = reading.facts.tokens, lexicon()
    for (_, before), (at, token) in pairwise(enumerate(tokens)):
        period = _period(token)
        is_one = before.text in lexicon().which
        if period and at not in taken and (is_one or before.text == "by" or words.cues.get(before.text) == "EACH"):
            yield period, is_one


def _period(token: Token) -> str:
    """The period that a word names, in any of the languages that dates are read in."""
    words = lexicon()
    if token.text in PERIODS:
        return token.text
    named = (of_language.get(token.text, "") for of_language in words.dates.values())
    return next((each for each in named if each in PERIODS), "")


def _day_of(meaning: Meaning, reading: Reading, vocabulary: Vocabulary) -> str:
    """The field of the days: the one with a condition, the one that is spoken of, or that of the schema."""
    said = {each.text for each in reading.facts.tokens}
    spoken_of = [name for mention, _ in reading.of_kind(MentionKind.FIELD) for name in mention.fields(Kind.FIELD)[:1]]
    partly = (name for name in vocabulary.types if not said.isdisjoint(split_words(name)))
    names = chain(meaning.bounds, spoken_of, partly, [vocabulary.date] if vocabulary.date else [])
    return next((name for name in names if vocabulary.types[name] is FieldType.DATE), "")


def _is_per(name: str, period: str, schema: Schema) -> bool:
    """Whether the number is one of a period by itself: "Value (EUR a year)"."""
    field = schema.fields.get(name)
    return field is not None and period in {word for said in (field.name, field.display) for word in split_words(said)}
