"""The files of the planner's evaluation: a schema as JSON, and labelled queries, one JSON object a line.

A schema has `now`, `fields` (a list of values, or a text that says the type: "ISO date; …", "number", "boolean",
"keyword"), and perhaps `abbreviations`, `synonyms` (of values, or other names of fields) and `asker`. A query has
`query`, `strategy` and `filters`: for each field a value, a list of values, or bounds of a range (`gte`, `gt`, `lte`,
`lt`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from cicada.errors import CicadaError
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.planning.plan import Shape

_PERSON = re.compile(
    r"(^|_)(owner|author|approver|reviewer|manager|assignee|responsible|editor|lead|contact|steward|custodian|signatory"
    r"|attorney|lawyer|teacher|engineer|inspector|auditor|person|employee|writer|holder|handler|coordinator|clerk"
    r"|instructor|lecturer|professor|physician|doctor|investigator|curator|architect|partner_in_charge|case_?worker"
    r"|counsel|supervisor|director|maintainer|creator|submitter|requester|planner|officer|analyst)s?($|_)|_by$",
)
_LIST = re.compile(r"(^|_)(tags?|labels|keywords|topics|subjects|themes)($|_)")
_TYPES = (
    ("date", FieldType.DATE),
    ("bool", FieldType.BOOLEAN),
    ("true", FieldType.BOOLEAN),
    ("number", FieldType.NUMBER),
    ("integer", FieldType.NUMBER),
    ("numeric", FieldType.NUMBER),
    ("float", FieldType.NUMBER),
    ("person", FieldType.PERSON),
    ("list", FieldType.KEYWORDS),
)


class PlannerDatasetError(CicadaError):
    """A file of the evaluation cannot be read; says where and why."""


class _SchemaFile(BaseModel):
    now: date
    fields: dict[str, list[Any] | str | dict[str, Any]]
    abbreviations: dict[str, str | list[str]] = Field(default_factory=dict)
    synonyms: dict[str, list[str] | str] = Field(default_factory=dict)
    asker: str = ""


class LabelledQuery(BaseModel):
    query: str = Field(min_length=1)
    strategy: Shape
    filters: dict[str, Any] = Field(default_factory=dict)
    now: date | None = None
    asker: str | None = None


@dataclass(frozen=True, slots=True)
class PlannerSchema:
    """A schema with the day on which its queries are asked, and who asks."""

    schema: Schema
    now: date
    asker: str = ""


def load_schema(path: Path) -> PlannerSchema:
    """Read a schema. Raises PlannerDatasetError."""
    try:
        file = _SchemaFile.model_validate_json(_text(path))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the file"
        raise PlannerDatasetError(f"{path}: {where}: {first['msg']}.") from error
    synonyms = _synonyms(file)
    fields = {name: _field(name, stated, synonyms) for name, stated in file.fields.items()}
    return PlannerSchema(Schema(fields=fields), file.now, file.asker)


def load_queries(path: Path) -> list[LabelledQuery]:
    """The labelled queries of a JSONL file; blank lines are skipped. Raises PlannerDatasetError."""
    queries = []
    for number, line in enumerate(_text(path).splitlines(), start=1):
        if line.strip():
            queries.append(_query(line, path, number))
    if not queries:
        raise PlannerDatasetError(f"{path} holds no queries; write one JSON object on each line.")
    return queries


def _query(line: str, path: Path, number: int) -> LabelledQuery:
    try:
        return LabelledQuery.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the line"
        raise PlannerDatasetError(f"{path}, line {number}: {where}: {first['msg']}.") from error


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PlannerDatasetError(f"{path} cannot be read as UTF-8 text ({error}).") from error


def _synonyms(file: _SchemaFile) -> dict[str, tuple[str, ...]]:
    """Synonyms and abbreviations by canonical value."""
    found: dict[str, list[str]] = {}
    for value, words in file.synonyms.items():
        found.setdefault(value, []).extend([words] if isinstance(words, str) else words)
    for short, long in file.abbreviations.items():
        for value in [long] if isinstance(long, str) else long:
            found.setdefault(value, []).append(short)
    return {value: tuple(words) for value, words in found.items()}


def _field(
    name: str, stated: Sequence[Any] | str | Mapping[str, Any], synonyms: Mapping[str, tuple[str, ...]]
) -> SchemaField:
    if isinstance(stated, Mapping):
        return _described(name, stated, synonyms)
    if isinstance(stated, str):
        words = stated.lower()
        kind = next((kind for cue, kind in _TYPES if cue in words), None)
        return SchemaField(name, kind or _kind_by_name(name), words=synonyms.get(name, ()))
    if stated and all(isinstance(value, bool) for value in stated):
        return SchemaField(name, FieldType.BOOLEAN)
    return _valued(name, _kind_by_name(name), [str(value) for value in stated], synonyms)


def _described(name: str, stated: Mapping[str, Any], synonyms: Mapping[str, tuple[str, ...]]) -> SchemaField:
    """A field as a table of `type`, `values`, perhaps `synonyms` and `words`."""
    words = str(stated.get("type", "")).lower()
    kind = next((kind for kind in FieldType if kind.value == words), None)
    kind = kind or next((kind for cue, kind in _TYPES if cue in words), None) or _kind_by_name(name)
    return _valued(name, kind, [str(value) for value in stated.get("values", ())], synonyms)


def _valued(name: str, kind: FieldType, values: Sequence[str], synonyms: Mapping[str, tuple[str, ...]]) -> SchemaField:
    own = {value: synonyms[value] for value in values if value in synonyms}
    return SchemaField(name, kind, tuple(values), own, words=synonyms.get(name, ()))


def _kind_by_name(name: str) -> FieldType:
    if _PERSON.search(name.lower()):
        return FieldType.PERSON
    return FieldType.KEYWORDS if _LIST.search(name.lower()) else FieldType.KEYWORD
