"""Values of the files that people edit, checked by their types; what is wrong with them is said in one sentence.

The sentence names the table of the file, the key in it, the value, and what may stand there.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints, is_typeddict

from msgspec import Meta, Struct, ValidationError, convert
from msgspec.structs import fields

from cicada.errors import ConfigurationError

T = TypeVar("T")

# The keys below a table that lead to a value, and what is wrong with it.
Fault = tuple[tuple[str, ...], str]


class Form(Struct, frozen=True, forbid_unknown_fields=True):
    """A table or an object of a file. A key that it may not have is refused: mistyped, it would count for nothing."""


class Check(Struct, frozen=True):
    """A condition on a text that its type does not say, for `Annotated`. `problem`: what is wrong with it, or empty."""

    problem: Callable[[str], str]


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
    """The table as a `Form`, or as a typed dictionary of optional keys. Raises `ConfigurationError`: what to mend."""
    found = table(value, place)
    for keys, what in _faults(kind, found):
        # `[defaults] limit`, but `Entry 2: pattern`.
        key = f"{'' if place.endswith(']') else ':'} {'.'.join(keys)}" if keys else ""
        raise ConfigurationError(f"{place}{key} {what}.")
    return convert(found, kind)


def _faults(kind: Any, value: object) -> Iterator[Fault]:
    plain, conditions = _parts(kind)
    if is_typeddict(plain) or (isinstance(plain, type) and issubclass(plain, Struct)):
        yield from _of_table(plain, value) if isinstance(value, dict) else [((), "is not a table")]
        return
    for key, each_kind, each in _inside(plain, value):
        yield from (((key, *keys), what) for keys, what in _faults(each_kind, each))
    try:
        convert(value, kind)
    except ValidationError as error:
        yield (), _what(plain, conditions, value) or str(error)
        return
    yield from (((), said) for each in conditions if isinstance(each, Check) and (said := each.problem(str(value))))


def _parts(kind: Any) -> tuple[Any, tuple[object, ...]]:
    """The type without its conditions and without None, which stands in no file, and the conditions."""
    if get_origin(kind) in (Union, UnionType):
        kind = next(each for each in get_args(kind) if each is not NoneType)
    return (kind.__origin__, kind.__metadata__) if get_origin(kind) is Annotated else (kind, ())


def _of_table(kind: Any, value: Mapping[str, Any]) -> Iterator[Fault]:
    """First of all the mistyped key: it may be what another one is missing for."""
    kinds = get_type_hints(kind, include_extras=True)
    if unknown := [key for key in value if key not in kinds]:
        yield (), f"has the unknown key '{unknown[0]}'; use one of {', '.join(sorted(kinds))}"
    required = [] if is_typeddict(kind) else [each.name for each in fields(kind) if each.required]
    if missing := [name for name in required if name not in value]:
        yield (), f"lacks {', '.join(missing)}; add {'it' if len(missing) == 1 else 'them'}"
    for name in kinds:
        if name in value:
            yield from (((name, *keys), what) for keys, what in _faults(kinds[name], value[name]))


def _inside(kind: Any, value: object) -> Iterator[tuple[str, Any, object]]:
    """The key, the type and the value of each part of a table or a list."""
    origin, kinds = get_origin(kind), get_args(kind)
    if origin is dict and isinstance(value, dict):
        for key, each in value.items():
            yield key, kinds[0], key
            yield key, kinds[1], each
    elif origin in (list, tuple) and isinstance(value, list):
        yield from ((str(number), kinds[0], each) for number, each in enumerate(value))


def _what(kind: Any, conditions: tuple[object, ...], value: object) -> str:
    """What is wrong with the value, and what to write instead; empty where the type does not tell."""
    choices = _choices(kind)
    if (kind is str or choices) and not isinstance(value, str):
        return "is not text; write text in quotes"
    if choices:
        return f"is '{value}'; use one of {', '.join(choices)}"
    if kind in (int, float):
        return _what_number(kind, conditions, value)
    if kind is bool:
        return "should be true or false, without quotes"
    if get_origin(kind) is dict and not isinstance(value, dict):
        return "is not a table"
    return "should be a list" if get_origin(kind) in (list, tuple) and not isinstance(value, list) else ""


def _what_number(kind: type, conditions: tuple[object, ...], value: object) -> str:
    bounds = next((each for each in conditions if isinstance(each, Meta) and each.le is not None), None)
    if bounds is None:
        return "is not a number; write a number such as 2 or 1.5"
    return f"is {value!r}; write a {'whole ' if kind is int else ''}number from {bounds.ge} to {bounds.le}"


def _choices(kind: Any) -> list[str]:
    if get_origin(kind) is Literal:
        return list(get_args(kind))
    return [str(each.value) for each in kind] if isinstance(kind, type) and issubclass(kind, Enum) else []
