"""The filters of a plan as a model writes them: one form for each type of field, read as conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    create_model,
)

from cicada.documents.model import AnyOf, Condition, Exists, NoneOf, Range, Scalar
from cicada.knowledge_bases.schema import FieldType, SchemaField

_VALUES_AT_MOST = 20
_CHARACTERS_AT_MOST = 200
_ME = "me"


class Strict(BaseModel):
    """What a model writes: an unknown name is refused, and no value is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


def _is_date(text: str) -> str:
    if len(text) != len("2026-01-31"):
        raise ValueError("is no date; write it as 2026-01-31")
    date.fromisoformat(text)
    return text


IsoDate = Annotated[str, AfterValidator(_is_date), Field(json_schema_extra={"format": "date"})]
Text = Annotated[str, Field(min_length=1, max_length=_CHARACTERS_AT_MOST)]


class DateFilter(Strict):
    since: IsoDate | None = Field(None, description="on this day or later")
    after: IsoDate | None = None
    until: IsoDate | None = Field(None, description="on this day or earlier")
    before: IsoDate | None = None
    exists: bool | None = None

    def conditions(self, field: str) -> Iterator[Condition]:
        yield from _range(Range(field, self.since, self.after, self.until, self.before))
        yield from _exists(field, self.exists)


class NumberFilter(Strict):
    at_least: float | None = None
    above: float | None = None
    at_most: float | None = None
    below: float | None = None
    exists: bool | None = None

    def conditions(self, field: str) -> Iterator[Condition]:
        yield from _range(Range(field, self.at_least, self.above, self.at_most, self.below))
        yield from _exists(field, self.exists)


class BooleanFilter(Strict):
    equals: bool | None = None
    exists: bool | None = None

    def conditions(self, field: str) -> Iterator[Condition]:
        if self.equals is not None:
            yield AnyOf(field, frozenset([self.equals]))
        yield from _exists(field, self.exists)


class ValuesFilter(Strict):
    """`any_of` and `none_of` are lists of the field's values; each field has a subclass with its own."""

    any_of: list[Any] = Field(default_factory=list)
    none_of: list[Any] = Field(default_factory=list)
    exists: bool | None = None

    def conditions(self, field: str) -> Iterator[Condition]:
        wanted, unwanted = frozenset[Scalar](self.any_of), frozenset[Scalar](self.none_of)
        if wanted & unwanted:
            raise ValueError(f"{field} has the same value in any_of and none_of")
        if wanted:
            yield AnyOf(field, wanted)
        if unwanted:
            yield NoneOf(field, unwanted)
        yield from _exists(field, self.exists)


FieldFilter = DateFilter | NumberFilter | BooleanFilter | ValuesFilter
_BY_TYPE: Mapping[FieldType, type[FieldFilter]] = {
    FieldType.DATE: DateFilter,
    FieldType.NUMBER: NumberFilter,
    FieldType.BOOLEAN: BooleanFilter,
}


def filter_form(field: SchemaField) -> type[FieldFilter]:
    """The form of the field's filter. Reading it needs the context `{"asker": …}`: who "me" is in fields of persons."""
    if field.type in _BY_TYPE:
        return _BY_TYPE[field.type]
    values: Any = (Annotated[list[_value(field)], Field(max_length=_VALUES_AT_MOST)], Field(default_factory=list))  # type: ignore[misc]
    return create_model(f"{field.name}_filter", __base__=ValuesFilter, any_of=values, none_of=values)


def one_of(values: tuple[str, ...]) -> Any:
    """The type of a text that is one of these."""
    return Literal[values]


def described(field: SchemaField) -> str:
    """What the field is called, for the model."""
    names = ", ".join(dict.fromkeys(name for name in (field.display, *field.words) if name))
    synonyms = "; ".join(f"{value}: {', '.join(words)}" for value, words in field.synonyms.items() if words)
    me = 'write "me" for the user' if _is_person(field) else ""
    return ". ".join(part for part in (names, f"Values and words for them: {synonyms}" if synonyms else "", me) if part)


def _value(field: SchemaField) -> Any:
    """The type of the field's values. A synonym is taken for its value, as letters of any case are."""
    # Of a closed field of persons "me" is a further choice; reading replaces it.
    choices = (*field.values, _ME) if _is_person(field) and field.values else field.values
    shown: Any = one_of(choices) if choices else Text
    checks = [BeforeValidator(_canonical(field)), *([AfterValidator(_named)] if _is_person(field) else [])]
    return Annotated[shown, *checks]


def _canonical(field: SchemaField) -> Callable[[object, ValidationInfo], object]:
    known = {each.casefold(): value for value in field.values for each in (value, *field.synonyms.get(value, ()))}

    def read(value: object, info: ValidationInfo) -> object:
        if not isinstance(value, str):
            return value
        said = value.strip()
        if said.casefold() == _ME and _is_person(field):
            said = info.context["asker"] or _ME if info.context else _ME
        return known.get(said.casefold(), said)

    return read


def _named(value: str) -> str:
    if value == _ME:
        raise ValueError("names the user, whose name is not known")
    return value


def _is_person(field: SchemaField) -> bool:
    return field.is_owner or field.type is FieldType.PERSON


def _exists(field: str, wanted: bool | None) -> Iterator[Condition]:
    if wanted is not None:
        yield Exists(field, wanted)


def _range(bounds: Range) -> Iterator[Condition]:
    lower = [each for each in (bounds.least, bounds.above) if each is not None]
    upper = [each for each in (bounds.most, bounds.below) if each is not None]
    if any(low > high for low in lower for high in upper):  # type: ignore[operator]
        raise ValueError(f"{bounds.field} has a range that ends before it begins")
    if lower or upper:
        yield bounds
