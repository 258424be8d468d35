"""The files of the planner's evaluation: schemas as JSON, and labelled queries or conversations, one object a line.

A schema has `now`, `fields` (a list of values, or a text that says the type: "ISO date; …", "number", "boolean",
"keyword"), and perhaps `documents` (what a document is called), `abbreviations`, `synonyms` (of values, or other names
of fields) and `asker`. A file of several schemas has one for each name, and each query names its own as `table`.

A query has `query`, `strategy` and `filters`: for each field a value, a list of values, bounds (`gte`, `gt`, `lte`,
`lt`), `{"not": …}`, `{"contains": …}` or null; perhaps `aggregates` (`op`, `field`), `fields`, `group`, `sort`
(`field`, `of`, `descending`) and `limit`. What a query does not state is not judged. A conversation has `turns`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, Field, ValidationError

from cicada.documents.catalogue import Aggregate, Sort
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.understanding.meaning import Bounds, Meaning
from cicada.understanding.plan import Shape
from evals.lines import DatasetError, problem_of, read_text

_PERSON = re.compile(
    r"(^|_)(owner|author|approver|reviewer|manager|assignee|responsible|editor|lead|contact|steward|custodian|signatory"
    r"|attorney|lawyer|teacher|engineer|inspector|auditor|person|employee|writer|holder|handler|coordinator|clerk"
    r"|instructor|lecturer|professor|physician|doctor|investigator|curator|architect|partner_in_charge|case_?worker"
    r"|counsel|supervisor|director|maintainer|creator|submitter|requester|planner|officer|analyst)s?($|_)|_by$"
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


Row = TypeVar("Row", bound=BaseModel)


class _SchemaFile(BaseModel):
    now: date
    fields: dict[str, list[Any] | str | dict[str, Any]]
    abbreviations: dict[str, str | list[str]] = Field(default_factory=dict)
    synonyms: dict[str, list[str] | str] = Field(default_factory=dict)
    documents: str | list[str] = Field(default_factory=list)
    asker: str = ""


class LabelledAggregate(BaseModel):
    op: str
    field: str


class LabelledSort(BaseModel):
    field: str
    descending: bool = False
    of: str | None = None


class LabelledQuery(BaseModel):
    query: str = Field(min_length=1)
    strategy: Shape
    filters: dict[str, Any] = Field(default_factory=dict)
    aggregates: list[LabelledAggregate] | None = None
    fields: list[str] | None = None
    group: list[str] | None = None
    sort: LabelledSort | None = None
    limit: int | None = None
    table: str = ""
    now: date | None = None
    asker: str | None = None


class LabelledConversation(BaseModel):
    turns: list[LabelledQuery] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class PlannerSchema:
    """A schema with the day on which its queries are asked, and who asks."""

    schema: Schema
    now: date
    asker: str = ""


def load_schemas(path: Path) -> dict[str, PlannerSchema]:
    """Read one schema, whose name is empty, or several by their names. Raises DatasetError."""
    text = read_text(path)
    try:
        found = json.loads(text)
    except ValueError as error:
        raise DatasetError(f"{path} is not JSON ({error}).") from error
    if not isinstance(found, dict):
        raise DatasetError(f"{path}: the file: write one JSON object.")
    several = found if "fields" not in found and all(isinstance(each, dict) for each in found.values()) else {"": found}
    return {name: _schema(each, path, name) for name, each in several.items()}


def _schema(found: Any, path: Path, name: str) -> PlannerSchema:
    try:
        file = _SchemaFile.model_validate_json(json.dumps(found))
    except ValidationError as error:
        where, what = problem_of(error, "the file", within=name)
        raise DatasetError(f"{path}: {where}: {what}.") from error
    synonyms = _synonyms(file)
    fields = {name: _field(name, stated, synonyms) for name, stated in file.fields.items()}
    items = (file.documents,) if isinstance(file.documents, str) else tuple(file.documents)
    return PlannerSchema(Schema(fields=fields, items=items), file.now, file.asker)


def load_queries(path: Path) -> list[LabelledConversation]:
    """The labelled queries of a JSONL file, each a conversation of one turn. Raises DatasetError."""
    return [LabelledConversation(turns=[each]) for each in _rows(path, LabelledQuery)]


def load_conversations(path: Path) -> list[LabelledConversation]:
    """The labelled conversations of a JSONL file. Raises DatasetError."""
    return _rows(path, LabelledConversation)


def labelled_meaning(query: LabelledQuery) -> Meaning:
    """The query's label as the meaning that a next turn goes on from."""
    sort = query.sort
    found = Meaning(
        aggregates=tuple(Aggregate(each.op, each.field) for each in query.aggregates or ()),  # type: ignore[arg-type]
        group=tuple(query.group or ()),
        fields=tuple(query.fields or ()),
        order=Sort(sort.field, sort.descending, sort.of) if sort else None,  # type: ignore[arg-type]
        limit=query.limit,
    )
    for name, value in query.filters.items():
        found = _with_filter(found, name, stated(value))
    return found


def stated(value: Any) -> Any:
    """A filter of the file: None, bounds, `{"not": …}`, or a list of values."""
    return value if value is None or isinstance(value, Mapping | list) else [value]


def _with_filter(found: Meaning, name: str, value: Any) -> Meaning:
    if value is None:
        return found.bounding(name, Bounds(present=False))
    if isinstance(value, Mapping) and "not" not in value and "all" not in value:
        said = dict(value)
        return found.bounding(name, Bounds(present=said.pop("set", None), **said))
    negated = isinstance(value, Mapping) and "not" in value
    values: Any = (value.get("not") or value.get("all")) if isinstance(value, Mapping) else value
    for each in values if isinstance(values, list) else [values]:
        found = found.adding(name, each, negated=negated)
    return found


def _rows(path: Path, form: type[Row]) -> list[Row]:
    """The rows of a JSONL file; blank lines are skipped."""
    lines = enumerate(read_text(path).splitlines(), start=1)
    rows = [_row(line, path, number, form) for number, line in lines if line.strip()]
    if not rows:
        raise DatasetError(f"{path} holds no queries; write one JSON object on each line.")
    return rows


def _row(line: str, path: Path, number: int, form: type[Row]) -> Row:
    try:
        return form.model_validate_json(line)
    except ValidationError as error:
        where, what = problem_of(error)
        raise DatasetError(f"{path}, line {number}: {where}: {what}.") from error


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
