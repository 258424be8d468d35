"""Values and dates away from any noun for documents: "anything from QA", "what is obsolete", "finance, draft"."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from cicada.knowledge_bases.schema import FieldType
from cicada.planning.deterministic.constraints.dates import take_date
from cicada.planning.deterministic.constraints.reader import ConstraintReader
from cicada.planning.deterministic.constraints.values import COPULAS, PREPOSITIONS, names_own_field
from cicada.planning.deterministic.english import word_set
from cicada.planning.deterministic.field_names import name_parts
from cicada.planning.deterministic.lexicon import ValueSpan
from cicada.understanding.dates import DatePhrase

_SEPARATORS = word_set(", ; / | : - . ? ! ( )") | {"\n"}
_OWNS = word_set("own owns hold holds have possess")
_ASKING = word_set("did does do has have")
_ANYTHING = word_set("anything something")
_BEFORE_COPULA = word_set("what which that everything ones many")


def read_subjects(reader: ConstraintReader) -> None:
    """Anything from QA, what does HR own, what is obsolete: values without a noun for documents."""
    for span in reader.sentence.spans.values():
        if span.start in reader.found.used or reader.is_only(span, FieldType.KEYWORDS) or reader.is_type(span):
            continue
        if any(rule(reader, span) for rule in (_is_proper, _is_actor, _owns, _ends_topic, _is_predicate_of_what)):
            reader.take(span)


def read_segments(reader: ConstraintReader) -> None:
    """Dog tax, finance, draft: a part between commas that has nothing but values is a condition."""
    sentence = reader.sentence
    cuts = [at for at in range(len(sentence)) if sentence.word(at) in _SEPARATORS]
    for start, end in pairwise([-1, *cuts, len(sentence)] if cuts else []):
        _read_segment(reader, [at for at in range(start + 1, end) if at not in reader.found.used])


def read_fragment(reader: ConstraintReader) -> None:
    """Draft, QA, since 2024: a message of nothing but values is a list of conditions."""
    sentence = reader.sentence
    for at in range(len(sentence)):
        if at not in reader.found.used and (sentence.is_in(at, "process_words") or sentence.unknown(at)):
            return
    _take_all(reader, sentence.spans.values(), sentence.dates.values())


def _read_segment(reader: ConstraintReader, inside: list[int]) -> None:
    sentence = reader.sentence
    spans = [sentence.spans[at] for at in inside if at in sentence.spans]
    dates = [sentence.dates[at] for at in inside if at in sentence.dates]
    content = [at for at in inside if at not in sentence.taken and not sentence.names_field(at)]
    if not any(sentence.unknown(at) or sentence.is_in(at, "process_words") for at in content):
        _take_all(reader, spans, dates)


def _take_all(reader: ConstraintReader, spans: Iterable[ValueSpan], dates: Iterable[DatePhrase]) -> None:
    for span in spans:
        if span.start not in reader.found.used and not reader.is_only(span, FieldType.KEYWORDS):
            reader.take(span)
    for phrase in dates:
        if phrase.start not in reader.found.used and not phrase.duration:
            take_date(reader, phrase.start, phrase, None)


def _is_proper(reader: ConstraintReader, span: ValueSpan) -> bool:
    """The name of a project, a product, a client: it means nothing else."""
    sentence, name = reader.sentence, reader.best(span).field
    possessive = sentence.word(span.end) == "'s" and sentence.tokens[span.start].is_capitalised
    after, fields = sentence.field_word(span.end)
    owned = name in fields and sentence.word(after) == "'s"
    return possessive or owned or not sentence.english.words["proper"].isdisjoint(name_parts(name))


def _is_actor(reader: ConstraintReader, span: ValueSpan) -> bool:
    """Did HR publish anything: who has documents, before a pronoun that means them."""
    sentence = reader.sentence
    near = {sentence.word(at) for at in range(span.end, span.end + 3)}
    return sentence.word(span.start - 1) in _ASKING and not _ANYTHING.isdisjoint(near)


def _owns(reader: ConstraintReader, span: ValueSpan) -> bool:
    """What does HR own?"""
    return reader.sentence.word(span.end) in _OWNS and reader.sentence.ends_clause(span.end + 1)


def _ends_topic(reader: ConstraintReader, span: ValueSpan) -> bool:
    """SOPs about cleaning from QA: after the topic, at the end of the clause."""
    sentence, phrases = reader.sentence, reader.found.phrases
    if not phrases or phrases[0].start > span.start:
        return False
    has_field = names_own_field(reader, span.end, span)
    if not (has_field or sentence.ends_clause(span.end)):
        return False
    before = span.start - 1 - (sentence.word(span.start - 1) in {"the", "our"})
    named = has_field or sentence.tokens[span.start].is_capitalised
    return sentence.word(before) in {"from", "by", "of"} or (sentence.word(before) == "in" and named)


def _is_predicate_of_what(reader: ConstraintReader, span: ValueSpan) -> bool:
    """What is obsolete, which ones are still in draft."""
    sentence = reader.sentence
    at = span.start - 1
    while sentence.is_in(at, "adverbs") or sentence.word(at) in {"in", "a", "the"}:
        at -= 1
    if sentence.word(at) not in COPULAS or sentence.word(at - 1) not in _BEFORE_COPULA:
        return False
    return sentence.ends_clause(span.end) or sentence.word(span.end) in PREPOSITIONS
