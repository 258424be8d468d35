"""Conditions on numbers: "worth more than 50,000 euros", "with a value under 500"."""

from __future__ import annotations

from cicada.knowledge_bases.schema import FieldType
from cicada.planning.deterministic.comparisons import comparison
from cicada.planning.deterministic.constraints.reader import ConstraintReader
from cicada.planning.deterministic.english import word_set
from cicada.planning.deterministic.field_names import name_parts

_BEFORE_COMPARISON = word_set("of is : = are")


def read_number(reader: ConstraintReader, at: int) -> int:
    """Worth more than 50,000 euros, with a value under 500, over 100 pages."""
    sentence = reader.sentence
    numbers = frozenset(sentence.lexicon.named(FieldType.NUMBER))
    if not numbers:
        return at
    start = at
    while sentence.is_in(at, "before_numbers") and comparison(sentence, at) is None:
        at += 1
    at, named = _number_field(reader, at, numbers)
    read = comparison(sentence, sentence.skip(at, _BEFORE_COMPARISON))
    if read is None:
        return start
    bounds, end = read
    end, after = _number_field(reader, end, numbers)
    if not named and not after and (len(numbers) > 1 or end in sentence.dates):
        return start
    reader.found.conditions.add_range(bounds.of(min(named or after or numbers)))
    return reader.use(start, _after_unit(reader, end))


def _after_unit(reader: ConstraintReader, at: int) -> int:
    """The position after a currency and "a year", which are parts of the number."""
    sentence = reader.sentence
    at += sentence.is_in(at, "currencies")
    return sentence.phrase_end(at, sentence.english.phrases["rates"])


def _number_field(reader: ConstraintReader, at: int, numbers: frozenset[str]) -> tuple[int, frozenset[str]]:
    """The position after a number field's name, or after its unit, and the fields that are meant."""
    end, fields = reader.sentence.field_word(at)
    if fields & numbers:
        return end, fields & numbers
    unit = reader.sentence.word(at).rstrip("s")
    meant = frozenset(name for name in numbers if unit and _is_unit_of(unit, name_parts(name)))
    return at + bool(meant), meant


def _is_unit_of(unit: str, parts: tuple[str, ...]) -> bool:
    """Whether a field's name has the unit: `page_count` has pages, `value_eur` has euros."""
    named = unit in {part.rstrip("s") for part in parts}
    return named or (len(unit) > 3 and any(unit.startswith(part) for part in parts[1:]))
