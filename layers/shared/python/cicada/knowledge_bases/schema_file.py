"""Reads the schema of a knowledge base from its file, `schemas/<base>.toml`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Any, TypeVar

from msgspec import Meta, field

from cicada.documents.catalogue import Sort
from cicada.errors import ConfigurationError
from cicada.knowledge_bases.contradictions import contradictions
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.knowledge_bases.toml_lines import line_of
from cicada.validation import Check, Form, checked, parse_toml


def _not_plain(text: str) -> str:
    is_plain = text and text.isprintable() and text == text.strip()
    return "" if is_plain else "is empty, or has spaces at an end or characters that cannot be seen"


F = TypeVar("F", bound=Form)
_Text = Annotated[str, Check(_not_plain)]
_NAME = r"^[A-Za-z_][A-Za-z0-9_]{0,63}\Z"


class _File(Form, frozen=True):
    fields: dict[Annotated[str, Meta(pattern=_NAME)], Any] = field(default_factory=dict)
    sort: _Text | None = None
    date: _Text | None = None
    logins: dict[_Text, _Text] = field(default_factory=dict)


class _Field(Form, frozen=True):
    type: FieldType
    values: tuple[_Text, ...] = ()
    synonyms: dict[_Text, tuple[_Text, ...]] = field(default_factory=dict)
    words: tuple[_Text, ...] = ()
    display: _Text = ""
    shown: bool = False
    is_owner: bool = False


def parse_schema(text: str, name: str) -> Schema:
    """The schema of a TOML file; `name` is the file's. Raises ConfigurationError with file, line, field and advice."""
    tables = parse_toml(text, f"{name} is not TOML")
    schema = _schema(text, name, tables)
    for found in contradictions(schema):
        where = f", field '{found.path[1]}'" if found.path[0] == "fields" else f", {found.path[0]}"
        raise ConfigurationError(f"{name}, line {line_of(text, found.path)}{where}: {found.reason}")
    return schema


def _schema(text: str, name: str, tables: dict[str, Any]) -> Schema:
    found = _read(_File, text, name, tables, ())
    sort = found.sort
    return Schema(
        fields={each: _field(text, name, each, table) for each, table in found.fields.items()},
        sort=Sort(sort.removeprefix("-"), descending=sort.startswith("-")) if sort else None,
        date=found.date,
        logins=found.logins,
    )


def _field(text: str, name: str, field: str, table: object) -> SchemaField:
    found = _read(_Field, text, name, table, ("fields", field))
    return SchemaField(
        name=field,
        type=found.type,
        values=found.values,
        synonyms=found.synonyms,
        words=found.words,
        display=found.display,
        shown=found.shown,
        is_owner=found.is_owner,
    )


def _read(kind: type[F], text: str, name: str, table: object, path: tuple[str, ...]) -> F:
    """The checked table; what is wrong with it is said with the file and the line."""
    place = f"[{'.'.join(path)}]" if path else "The schema"
    try:
        return checked(kind, table, place)
    except ConfigurationError as error:
        key = _first_key(str(error).removeprefix(place), table if isinstance(table, dict) else {})
        raise ConfigurationError(f"{name}, line {line_of(text, (*path, *key))}: {error}") from None


def _first_key(complaint: str, keys: Iterable[str]) -> tuple[str, ...]:
    """The key that the complaint is about: it names that one first."""
    found = ((re.search(rf"\b{re.escape(key)}\b", complaint), key) for key in keys)
    return tuple(key for _, key in sorted((match.start(), key) for match, key in found if match)[:1])
