"""Conditions on a list of keywords: "tagged gdp", "the csv tag". Values of any field in a row are read here too."""

from __future__ import annotations

from cicada.knowledge_bases.schema import FieldType
from cicada.planning.deterministic.constraints.reader import ConstraintReader
from cicada.planning.deterministic.english import word_set

_TAG_NOUNS = word_set("tag tags label labels keyword")
_TAG_WORDS = _TAG_NOUNS | word_set("tagged labelled labeled marked flagged keywords tagging labelling labeling")
_TAGGED = word_set("tagged labelled labeled flagged")
_BEFORE_TAG_WORDS = word_set("with under having that are which the a carrying is have has using by bearing been")
_BEFORE_VALUES = word_set('" # : =')
_JOINING = word_set('and or , / & " # either')


def read_tags(reader: ConstraintReader, at: int) -> int:
    """Tagged gdp, with the tag capa, labelled as "audit"."""
    sentence = reader.sentence
    tag_word = sentence.skip(at, _BEFORE_TAG_WORDS)
    lists = frozenset(sentence.lexicon.named(FieldType.KEYWORDS))
    if sentence.word(tag_word) not in _TAG_WORDS or not lists:
        return at
    first = tag_word + 1
    while sentence.is_in(first, "before_tags") or sentence.word(first) in _BEFORE_VALUES:
        first += 1
    return read_values(reader, at, first, lists, "tag", stated=sentence.word(tag_word) in _TAGGED)


def read_tag_before_noun(reader: ConstraintReader, at: int) -> int:
    """The csv tag."""
    span = reader.sentence.spans.get(at)
    if span is None or not reader.is_only(span, FieldType.KEYWORDS):
        return at
    if reader.sentence.word(span.end) not in _TAG_NOUNS:
        return at
    reader.take(span)
    return reader.use(span.end, span.end + 1)


def read_values(
    reader: ConstraintReader, start: int, at: int, fields: frozenset[str], what: str, *, stated: bool = False
) -> int:
    """One or several values of these fields, from position `at` on. `start`: of the words that introduce them.

    Something else where a value is stated is an unknown value, reported as `what`.
    """
    end, at = _take_values(reader, at, fields)
    if end > start and any(start <= i < end for i in reader.found.used):
        return reader.use(start, end)
    return _reject_value(reader, start, at, what, stated=stated)


def _take_values(reader: ConstraintReader, at: int, fields: frozenset[str]) -> tuple[int, int]:
    """The position after the last value, and that of the first word that is neither a value nor joins two."""
    sentence, end = reader.sentence, at
    while at < len(sentence):
        negated = sentence.is_not(at) and at == end
        at += negated
        span = sentence.spans.get(at)
        if span and not fields.isdisjoint(span.fields):
            name = next(reading.field for reading in span.readings if reading.field in fields)
            reader.take(span, prefer=name, negated=negated)
            at = end = span.end
            at += sentence.word(at) == '"'
        elif sentence.word(at) in _JOINING and end > 0:
            at += 1
        else:
            break
    return end, at


def _reject_value(reader: ConstraintReader, start: int, at: int, what: str, *, stated: bool) -> int:
    """Tagged unicorns, status = "frozen"."""
    sentence = reader.sentence
    stated |= sentence.word(at - 1) in _BEFORE_VALUES
    quoted = sentence.word(at - 1) == '"' and at < len(sentence)
    if stated and (sentence.unknown(at) or quoted):
        return reader.reject(f"{what} {sentence.word(at)}", start, at + 1)
    return start
