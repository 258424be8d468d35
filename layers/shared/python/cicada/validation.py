"""Values of the files that people edit, checked by pydantic; what is wrong with them is said in one sentence.

The sentence names the table of the file, the key in it, the value, and what may stand there.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from cicada.errors import ConfigurationError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

T = TypeVar("T")

_CHOICE = ("literal_error", "enum")
_NUMBER = ("int_type", "float_type", "greater_than_equal", "less_than_equal")


class Form(BaseModel):
    """A table or an object of a file. A key that it may not have is refused: mistyped, it would count for nothing."""

    # Built at first use: building costs time at a cold start.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


def parse_toml(text: str, complaint: str) -> dict[str, Any]:
    """The file's tables. Raises `ConfigurationError` with the complaint and the line for what is no TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{complaint}: {error}; correct that line.") from error


def table(value: object, place: str) -> Mapping[str, Any]:
    """The value, if it is a table. `place` is what the file calls it. Raises `ConfigurationError`."""
    if not isinstance(value, dict):
        raise ConfigurationError(f"{place} is not a table; write its settings on lines of their own below {place}.")
    return value


def checked(kind: type[T], value: object, place: str) -> T:
    """The table as a model or a typed dictionary. Raises `ConfigurationError`, which says what to mend."""
    adapter: TypeAdapter[T] = _adapter(kind)  # type: ignore[arg-type]
    try:
        return adapter.validate_python(table(value, place))
    except ValidationError as error:
        raise _refusal(error, place, adapter.json_schema()["properties"]) from None


def in_short(error: ErrorDetails) -> str:
    """Pydantic's own words, without the value."""
    return error["msg"].removeprefix("Value error, ").removeprefix("Input ")


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _refusal(error: ValidationError, place: str, schema: Mapping[str, Any]) -> ConfigurationError:
    found = error.errors(include_url=False)
    # First of all the mistyped key: it may be what another one is missing for.
    if unknown := next((each for each in found if each["type"] == "extra_forbidden"), None):
        known = ", ".join(sorted(schema))
        return ConfigurationError(f"{place} has the unknown key '{unknown['loc'][-1]}'; use one of {known}.")
    if missing := [str(each["loc"][-1]) for each in found if each["type"] == "missing"]:
        return ConfigurationError(f"{place} lacks {', '.join(missing)}; add {'it' if len(missing) == 1 else 'them'}.")
    first = found[0]
    if not first["loc"]:
        return ConfigurationError(f"{place} {in_short(first)}.")
    # `[defaults] limit`, but `Entry 2: pattern`.
    key = ".".join(map(str, first["loc"]))
    what = _what(first, schema[str(first["loc"][0])])
    return ConfigurationError(f"{place}{'' if place.endswith(']') else ':'} {key} {what}.")


def _what(error: ErrorDetails, schema: dict[str, Any]) -> str:
    """What is wrong with the value, and what to write instead."""
    kind, value = error["type"], error["input"]
    if kind == "string_type" or (kind in _CHOICE and not isinstance(value, str)):
        return "is not text; write text in quotes"
    if kind in _CHOICE:
        return f"is '{value}'; use one of {error['ctx']['expected'].replace(' or ', ', ').replace(chr(39), '')}"
    if kind in _NUMBER and "maximum" in schema:
        whole = "whole " if schema["type"] == "integer" else ""
        return f"is {value!r}; write a {whole}number from {schema['minimum']} to {schema['maximum']}"
    if kind == "dict_type":
        return "is not a table"
    if kind in _NUMBER:
        return "is not a number; write a number such as 2 or 1.5"
    return in_short(error)
