"""Conditions beside their field's name: "status: draft", "whose department is QA", "without an owner"."""

from __future__ import annotations

from cicada.documents.model import Exists
from cicada.planning.deterministic.constraints.reader import ConstraintReader
from cicada.planning.deterministic.constraints.tags import read_tag_before_noun, read_tags, read_values
from cicada.planning.deterministic.english import word_set

_BEFORE_FIELD = word_set("with whose where having in of the under has have by that which a from for is are at")
_INTRODUCING = word_set("with in whose where having under")
_BEFORE_VALUE = word_set('is are = : of " equals as being set to either ==')
_EQUALS = word_set("= : ==")
_BEFORE_MISSING = word_set("with that have has which do does n't not are")
_MISSING = word_set("without lacking missing no lack lacks")
_ARTICLES = word_set("a an any the")
_AFTER_OTHER_FIELD = word_set("is of : =")
_BELONGING_VERBS = word_set("owned owns own written authored managed belongs responsible")


def read_named_fields(reader: ConstraintReader) -> None:
    """A tag or a field with its value anywhere in the message."""
    at = 0
    while at < len(reader.sentence):
        if at in reader.found.used:
            at += 1
            continue
        forms = (read_tag_before_noun, read_tags, read_field_and_value, read_missing)
        at = max(at + 1, *(form(reader, at) for form in forms))


def read_field_and_value(reader: ConstraintReader, at: int) -> int:
    """With status draft, whose department is QA, in status 'translated', status: draft, department = QA."""
    sentence = reader.sentence
    name = sentence.skip(at, _BEFORE_FIELD)
    end, fields = sentence.field_word(name)
    valued = frozenset(field for field in fields if sentence.lexicon.schema.fields[field].values)
    if end == name or not valued or is_verb_of_belonging(reader, name):
        return at
    first = sentence.skip(end, _BEFORE_VALUE)
    span = sentence.spans.get(first + sentence.is_not(first))
    if span and not valued.isdisjoint(span.fields):
        return read_values(reader, at, first, valued, "")
    if _states_other_value(reader, at, end, first):
        return reader.reject(f"{min(valued)} {sentence.word(first)}", at, first + 1)
    return at


def _states_other_value(reader: ConstraintReader, start: int, end: int, at: int) -> bool:
    """Whether the word `at` is a value that the field does not have. `end`: the position after the field's name."""
    sentence = reader.sentence
    if at >= len(sentence) or at in sentence.taken:
        return False
    if (sentence.word(at - 1) == '"' and at > end) or sentence.word(at - 1) in _EQUALS:
        return True
    marked = any(sentence.word(i) != "of" for i in range(end, at))
    last = sentence.ends_clause(at + 1) or sentence.word(at + 1) == '"'
    return (marked or sentence.word(start) in _INTRODUCING) and last and sentence.unknown(at)


def read_missing(reader: ConstraintReader, at: int) -> int:
    """Without an owner, with no effective date, missing tags."""
    sentence = reader.sentence
    first = sentence.skip(at, _BEFORE_MISSING)
    negated = any(sentence.is_not(i) for i in range(at, first))
    for words in (_MISSING, {"nobody"}):
        if sentence.word(first) in words:
            negated, first = True, first + 1
    if not negated:
        return at
    first = sentence.skip(first, _ARTICLES)
    end, fields = sentence.field_word(first)
    if end == first or sentence.spans.get(end) or sentence.word(end) in _AFTER_OTHER_FIELD:
        return at
    reader.found.conditions.add_range(Exists(min(fields), present=False))
    return reader.use(at, end)


def is_verb_of_belonging(reader: ConstraintReader, at: int) -> bool:
    """Whether the word is also a verb, so that it is no name of a field."""
    return reader.sentence.word(at) in _BELONGING_VERBS
