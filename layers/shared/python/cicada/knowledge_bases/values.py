"""Values of metadata fields, and how they are written."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import TypeAlias

from msgspec import Struct

from cicada.documents.model import TABLE, AnyOf, Condition, Contains, Exists, MetadataValue, NoneOf, Scalar
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField

# A source has little room: a frame holds several.
MAX_FIELDS = 10
MAX_NAME = 60
MAX_VALUE = 120
# A client may write conditions of hundreds of long values.
MAX_CONDITION = 200


def described(condition: Condition, schema: Schema) -> str:
    """A condition such as `Status: approved or draft`, by the field's name for people. A long one ends with `…`."""
    text = _in_words(condition, schema)
    return text if len(text) <= MAX_CONDITION else f"{text[: MAX_CONDITION - 1]}…"


def _in_words(condition: Condition, schema: Schema) -> str:
    field = schema.fields.get(condition.field)
    name = (field.display if field else "") or condition.field.removeprefix("#")
    if isinstance(condition, Exists):
        return f"{name}: {'any' if condition.present else 'none'}"
    if isinstance(condition, Contains):
        return f"{name}: with “{condition.text}”"
    if isinstance(condition, AnyOf | NoneOf):
        # A code may be kept as a number too (`either_form`).
        numbers = {
            value for value in condition.values if not isinstance(value, str) and f"{value:g}" in condition.values
        }
        values = " or ".join(sorted(shown_value(value, name) for value in condition.values - numbers))
        return f"{name}: {'not ' if isinstance(condition, NoneOf) else ''}{values}"
    is_number = any(isinstance(each, float | int) for each in (condition.above, condition.below))
    bounds = (
        ("from", condition.least),
        ("above" if is_number else "after", condition.above),
        ("to", condition.most),
        ("below" if is_number else "before", condition.below),
    )
    return f"{name}: {' '.join(f'{word} {shown_value(bound, name)}' for word, bound in bounds if bound is not None)}"


_OF_YEARS = frozenset(
    "year yr jahr baujahr jahrgang année año ano built made founded established constructed opened born since joined"  # noqa: SIM905
    " acquired published released vintage".split()
)


def is_of_years(name: str) -> bool:
    """Whether the numbers of a field of this name are years: "Built", "Member since"."""
    return not _OF_YEARS.isdisjoint(words_of(name))


# "Value" is no word of years, and neither is what a currency names.
_OF_AMOUNTS = frozenset(
    "amount price cost costs fee premium sum total value salary wage rent money balance budget revenue turnover eur"  # noqa: SIM905
    " euro euros usd gbp chf betrag preis kosten wert summe gehalt miete importe precio coste prix montant coût".split()
)


def is_of_amounts(name: str) -> bool:
    """Whether the numbers of a field of this name are amounts, such as prices."""
    return not _OF_AMOUNTS.isdisjoint(words_of(name))


def are_years(name: str, values: Iterable[object]) -> bool:
    """Whether the numbers of a field are years: its name says so, or all are whole and lie between 1500 and 2100.

    Those of a field whose name says that they are amounts, such as prices, are none. Any other quantity, such as a
    count of visitors, is taken for years if all of its values lie there: it is written without separators then, which
    reads the same, while 2,021 reads as no year.
    """
    if is_of_years(name):
        return True
    numbers = [each for each in values if isinstance(each, float | int) and not isinstance(each, bool)]
    may_be = bool(numbers) and not is_of_amounts(name)
    return may_be and all(1500 <= each <= 2100 and each == int(each) for each in numbers)


def shown_value(value: MetadataValue | Scalar, name: str = "", years: bool | None = None) -> str:
    """The value of the field of this name as people read it: `yes`, `12,000`, `gmp, audit`, and as a year `1987`.

    `years`: what `are_years` says of all values that stand beside it; None where it stands alone.
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float | int):
        if 1000 <= value < 10_000 and (are_years(name, (value,)) if years is None else years):
            return f"{value:g}"
        return f"{value:,.0f}" if value == int(value) else f"{value:,}"
    return ", ".join(value) if isinstance(value, tuple) else value


def shown_fields(schema: Schema, metadata: Mapping[str, MetadataValue]) -> dict[str, str]:
    """The values of the fields that the schema shows, by their display names, in the schema's order."""
    found = [field for field in schema.fields.values() if field.shown and field.name in metadata]
    return {
        (field.display or field.name)[:MAX_NAME]: shown_value(metadata[field.name], field.name)[:MAX_VALUE]
        for field in found[:MAX_FIELDS]
    }


Given: TypeAlias = str | int | float | bool | date | Sequence[str]
"""A value as a file, a client or a model writes it."""

_ISO = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ][0-9]{2}:[0-9:.]{2,15}\s?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?")
_YEAR_FIRST = re.compile(r"([0-9]{4})([/.])([0-9]{1,2})\2([0-9]{1,2})")
# As most of Europe writes it. Behind slashes it may be the month that comes first.
_DAY_WITH_POINTS = re.compile(r"([0-9]{1,2})\. ?([0-9]{1,2})\. ?([0-9]{4})(?:,? [0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?)?")
_DAY_FIRST = re.compile(r"([0-9]{1,2})(?:st|nd|rd|th)? ([a-z]{3,9})\.?,? ([0-9]{4})")
_MONTH_FIRST = re.compile(r"([a-z]{3,9})\.? ([0-9]{1,2})(?:st|nd|rd|th)?,? ([0-9]{4})")
_MONTHS = (
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
_NUMBER = re.compile(
    r"[+-]?(?:[0-9]{1,3}(?:([,'’ \u00a0\u202f])[0-9]{3}(?:\1[0-9]{3})*)?|[0-9]+)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?"
)
_BOOLEANS = {"yes": True, "true": True, "no": False, "false": False}
_SHOWN = 40


# The types whose values may become texts.
_OTHER_FORMS = (FieldType.NUMBER, FieldType.DATE, FieldType.BOOLEAN)


class Unusable(Struct, frozen=True):
    """Why a value cannot be one of the field: a sentence that names both."""

    reason: str


def folded(text: str) -> str:
    """The form in which names and values are compared: case, spaces and `_` and `-` between words do not count."""
    return " ".join(re.split(r"[\s_-]+", text.casefold().strip()))


def words_of(name: str) -> list[str]:
    """The words of a name in lower case; marks separate them."""
    return re.sub(r"[\W_]+", " ", name.casefold()).split()


def field_named(schema: Schema, name: str) -> SchemaField | None:
    """The field of this name or display name, in any case. A column "Table" goes before the field of tables."""
    if name in schema.fields:
        return schema.fields[name]
    wanted = folded(name)
    found = [each for each in schema.fields.values() if wanted in (folded(each.name), folded(each.display))]
    return min(found, key=lambda each: each.name == TABLE, default=None)


def typed(field: SchemaField, value: Given) -> MetadataValue | Unusable:
    """The value in the field's type: canonical keywords, ISO texts of dates. A text of a list is split at commas."""
    if field.type is FieldType.KEYWORDS:
        return _keywords(field, value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        if len(value) != 1:
            return _unusable(field, ", ".join(value), "takes one value")
        value = value[0]
    if isinstance(value, str) and not value.strip():
        return Unusable(f"The field '{field.name}' is empty.")
    return _PARSERS[field.type](field, value)


def as_keyword(value: MetadataValue) -> str | tuple[str, ...]:
    """The value as the text or the texts that stand for it where no schema knows its field."""
    if isinstance(value, bool):
        return str(value).lower()
    return number_text(value) if isinstance(value, int | float) else value


def number_text(value: float) -> str:
    """A whole number's digits; of any other number the fewest that read back as the same double."""
    return str(int(value)) if value == int(value) else repr(value)


def _keywords(field: SchemaField, value: Given) -> MetadataValue | Unusable:
    given = [str(value)] if not isinstance(value, Sequence) else _split(field, value)
    found = [_keyword(field, each) for each in given if each.strip()]
    for each in found:
        if isinstance(each, Unusable):
            return each
    return tuple(dict.fromkeys(str(each) for each in found)) or Unusable(f"The field '{field.name}' is empty.")


def _split(field: SchemaField, value: Sequence[str]) -> Sequence[str]:
    if not isinstance(value, str):
        return value
    if field.values and not isinstance(_keyword(field, value), Unusable):
        return [value]
    return re.split(r"[,;]", value)


def _keyword(field: SchemaField, value: Given) -> str | Unusable:
    text = value if isinstance(value, str) else str(as_keyword(value) if not isinstance(value, date) else value)  # type: ignore[arg-type]
    wanted = folded(text)
    for each in field.values:
        if wanted == folded(each) or wanted in map(folded, field.synonyms.get(each, ())):
            return each
    if field.inferred or not field.values:
        return " ".join(text.split())
    return _unusable(field, text, f"takes one of {', '.join(field.values)}")


def either_form(field: SchemaField | None, values: Iterable[Scalar]) -> frozenset[Scalar]:
    """The values, and for texts of an inferred field the forms in which earlier documents may have them.

    As long as all values of a field look like numbers they are kept as numbers, and as texts from the first other one
    on.
    """
    found = frozenset(values)
    if field is None or not field.inferred or field.type is not FieldType.KEYWORD:
        return found
    texts = [each for each in found if isinstance(each, str)]
    others = [typed(SchemaField(field.name, kind), each) for each in texts for kind in _OTHER_FORMS]
    return found.union(each for each in others if not isinstance(each, Unusable | tuple))


def _number(field: SchemaField, value: Given) -> float | Unusable:
    if isinstance(value, int | float) and not isinstance(value, bool):
        number = _finite(value)
    else:
        found = _NUMBER.fullmatch(str(value).strip())
        number = _finite(re.sub(r"[,'’ \u00a0\u202f]", "", found[0])) if found else None
    return _unusable(field, value, "takes a number such as 1250 or 12.5") if number is None else number


def _finite(value: int | float | str) -> float | None:
    try:
        number = float(value)
    except OverflowError:
        return None
    return number + 0.0 if math.isfinite(number) else None


def _date(field: SchemaField, value: Given) -> str | Unusable:
    if isinstance(value, datetime):
        return value.date().isoformat()
    found = value if isinstance(value, date) else _date_of(" ".join(str(value).lower().split()))
    return found.isoformat() if found else _unusable(field, value, "takes a date such as 2026-01-31")


def _date_of(text: str) -> date | None:
    if found := _ISO.fullmatch(text.upper()):
        return _day(int(found[1]), int(found[2]), int(found[3]))
    if found := _YEAR_FIRST.fullmatch(text):
        return _day(int(found[1]), int(found[3]), int(found[4]))
    if found := _DAY_WITH_POINTS.fullmatch(text):
        return _day(int(found[3]), int(found[2]), int(found[1]))
    if found := _DAY_FIRST.fullmatch(text):
        return _day(int(found[3]), _month(found[2]), int(found[1]))
    if found := _MONTH_FIRST.fullmatch(text):
        return _day(int(found[3]), _month(found[1]), int(found[2]))
    return None


def _month(name: str) -> int:
    """1 to 12, or 0 for no month."""
    return next((number for number, month in enumerate(_MONTHS, 1) if name in (month, month[:3], month[:4])), 0)


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _boolean(field: SchemaField, value: Given) -> bool | Unusable:
    if isinstance(value, bool):
        return value
    found = _BOOLEANS.get(str(value).strip().lower())
    return _unusable(field, value, "takes yes or no") if found is None else found


def _unusable(field: SchemaField, value: object, takes: str) -> Unusable:
    return Unusable(f"The field '{field.name}' {takes}, and '{clipped(str(value), _SHOWN)}' is none.")


def clipped(text: str, length: int) -> str:
    """The text, or its beginning of this length and `…`."""
    return text if len(text) <= length else f"{text[:length]}…"


_PARSERS: dict[FieldType, Callable[[SchemaField, Given], MetadataValue | Unusable]] = {
    FieldType.KEYWORD: _keyword,
    FieldType.PERSON: _keyword,
    FieldType.NUMBER: _number,
    FieldType.DATE: _date,
    FieldType.BOOLEAN: _boolean,
}
