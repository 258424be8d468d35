"""Reads the schema of a knowledge base from its file, `schemas/<base>.toml`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Any, Required

from pydantic import AfterValidator, ConfigDict, Field, StrictBool, with_config
from typing_extensions import TypedDict

from cicada.documents.catalogue import Sort
from cicada.errors import ConfigurationError
from cicada.knowledge_bases.contradictions import contradictions
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.knowledge_bases.toml_lines import line_of
from cicada.validation import checked, parse_toml


def _plain(text: str) -> str:
    if not text.isprintable() or text != text.strip() or not text:
        raise ValueError("is empty, or has spaces at an end or characters that cannot be seen")
    return text


_Text = Annotated[str, AfterValidator(_plain)]
_NAME = r"^[A-Za-z_][A-Za-z0-9_]{0,63}$"


@with_config(ConfigDict(extra="forbid"))
class _File(TypedDict, total=False):
    fields: dict[Annotated[str, Field(pattern=_NAME)], Any]
    sort: _Text
    date: _Text
    logins: dict[_Text, _Text]


@with_config(ConfigDict(extra="forbid"))
class _Field(TypedDict, total=False):
    type: Required[FieldType]
    values: list[_Text]
    synonyms: dict[_Text, list[_Text]]
    words: list[_Text]
    display: _Text
    shown: StrictBool
    is_owner: StrictBool


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
    sort = found.get("sort")
    return Schema(
        fields={each: _field(text, name, each, table) for each, table in found.get("fields", {}).items()},
        sort=Sort(sort.removeprefix("-"), descending=sort.startswith("-")) if sort else None,
        date=found.get("date"),
        logins=found.get("logins", {}),
    )


def _field(text: str, name: str, field: str, table: object) -> SchemaField:
    found = _read(_Field, text, name, table, ("fields", field))
    return SchemaField(
        name=field,
        type=found["type"],
        values=tuple(found.get("values", ())),
        synonyms={value: tuple(words) for value, words in found.get("synonyms", {}).items()},
        words=tuple(found.get("words", ())),
        display=found.get("display", ""),
        shown=found.get("shown", False),
        is_owner=found.get("is_owner", False),
    )


def _read(kind: Any, text: str, name: str, table: object, path: tuple[str, ...]) -> Any:
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
