"""Reads knowledge_bases.toml: the settings of each base, and its metadata schema."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any, TypedDict, TypeVar

from msgspec import Meta, Struct, field
from msgspec.structs import asdict, replace

from cicada.documents.catalogue import Sort
from cicada.errors import ConfigurationError
from cicada.knowledge_bases.contradictions import contradictions
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField, StandingRule
from cicada.knowledge_bases.settings import (
    AgentName,
    ContentKind,
    Fusion,
    KnowledgeBase,
    KnowledgeBases,
    QualityJudge,
    RerankMode,
    RouteFormula,
    RouteMode,
)
from cicada.knowledge_bases.values import field_named
from cicada.languages.terms import LANGUAGES
from cicada.validation import Check, Form, checked, parse_toml, table

_KEY = r"(?:[A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')"
_PATH = rf"{_KEY}(?:\s*\.\s*{_KEY})*"
_HEADER = re.compile(rf"\s*\[\s*({_PATH})\s*\]")
_ENTRY = re.compile(rf"\s*({_PATH})\s*=")


def line_of(text: str, path: Sequence[str]) -> int:
    """The number of the line, from 1, that writes the key `path` or, if none does, its nearest table; 1 if none does.

    Keys within inline tables are not looked for: the line of the table is given.
    """
    best, depth = 1, 0
    for number, found in _keys(text):
        # A key below `path` writes it too.
        shared = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(path, found, strict=False))))
        if shared > depth:
            best, depth = number, shared
    return best


def _keys(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Each key that a line begins with, as a path from the top, and the number of its line."""
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            table = _parts(header[1])
            yield number, table
        elif entry := _ENTRY.match(line):
            yield number, (*table, *_parts(entry[1]))


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(_KEY, path))


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
    items: tuple[_Text, ...] = ()
    in_force: Any = None


class _StandingRule(Form, frozen=True):
    field: _Text = ""
    values: tuple[_Text, ...] = ()
    not_yet: tuple[_Text, ...] = ()
    no_longer: tuple[_Text, ...] = ()
    replaces: _Text = ""
    number: _Text = ""
    version: _Text = ""
    since: _Text = ""
    until: _Text = ""


class _Changes(_File, frozen=True):
    """What a stack keeps for a base. Its fields may have any name that a document gave them."""

    fields: dict[_Text, Any] = field(default_factory=dict)


class _Field(Form, frozen=True):
    type: FieldType | None = None
    values: tuple[_Text, ...] = ()
    synonyms: dict[_Text, tuple[_Text, ...]] = field(default_factory=dict)
    words: tuple[_Text, ...] = ()
    display: _Text = ""
    shown: bool = False
    is_owner: bool = False


class _Source(Struct, frozen=True):
    """A file's text, and the name by which complaints call the file."""

    text: str
    name: str

    def tables(self) -> dict[str, Any]:
        return parse_toml(self.text, f"{self.name} is not TOML")

    def line(self, path: Sequence[str]) -> str:
        """The place of a key, as complaints begin with it."""
        return f"{self.name}, line {line_of(self.text, path)}"

    def read(self, kind: type[F], table: object, path: tuple[str, ...] = ()) -> F:
        """The checked table; what is wrong with it is said with the file and the line."""
        place = f"[{'.'.join(path)}]" if path else "The schema"
        try:
            return checked(kind, table, place)
        except ConfigurationError as error:
            key = _first_key(str(error).removeprefix(place), table if isinstance(table, dict) else {})
            raise ConfigurationError(f"{self.line((*path, *key))}: {error}") from None


def parse_schema(text: str, name: str) -> Schema:
    """The schema of a TOML file; `name` is the file's. Raises ConfigurationError with file, line, field and advice."""
    source = _Source(text, name)
    written = source.read(_File, source.tables())
    fields = {each: _field(source, each, table) for each, table in written.fields.items()}
    schema = _with(source, written, Schema(fields))
    for found in contradictions(schema):
        where = f", field '{found.path[1]}'" if found.path[0] == "fields" else f", {found.path[0]}"
        raise ConfigurationError(f"{source.line(found.path)}{where}: {found.reason}")
    return schema


def _with(source: _Source, written: _File, before: Schema) -> Schema:
    """The schema with what the file says of it, but for its fields."""
    sort, in_force = written.sort, before.in_force
    if written.in_force is not None:
        in_force = StandingRule(**asdict(source.read(_StandingRule, written.in_force, ("in_force",))))
    return replace(
        before,
        sort=Sort(sort.removeprefix("-"), descending=sort.startswith("-")) if sort else before.sort,
        date=written.date or before.date,
        logins={**before.logins, **written.logins},
        items=written.items or before.items,
        in_force=in_force,
    )


def _field(source: _Source, name: str, table: object) -> SchemaField:
    path = ("fields", name)
    found = source.read(_Field, table, path)
    if found.type is None:
        raise ConfigurationError(f"{source.line(path)}: [fields.{name}] lacks type; add it.")
    return SchemaField(name, **asdict(found))


def _first_key(complaint: str, keys: Iterable[str]) -> tuple[str, ...]:
    """The key that the complaint is about: it names that one first."""
    found = ((re.search(rf"\b{re.escape(key)}\b", complaint), key) for key in keys)
    return tuple(key for _, key in sorted((match.start(), key) for match, key in found if match)[:1])


def _unknown_language(code: str) -> str:
    return "" if code in LANGUAGES else f"is '{code}'; use one of {', '.join(LANGUAGES)}"


class _Settings(TypedDict, total=False):
    """The settings of a `KnowledgeBase` that a table may have."""

    description: str
    content: ContentKind
    agents: tuple[AgentName, ...]
    groups: tuple[Annotated[str, Meta(min_length=1)], ...]
    restricted: bool
    content_language: Annotated[str, Check(_unknown_language)]
    fusion: Fusion
    rerank: RerankMode
    score_threshold: Annotated[float, Meta(ge=0, le=1)]
    candidates: Annotated[int, Meta(ge=1, le=1000)]
    limit: Annotated[int, Meta(ge=1, le=100)]
    context_tokens: Annotated[int, Meta(ge=100, le=100_000)]
    filter_first: Annotated[int, Meta(ge=0, le=100_000)]
    route_above: Annotated[int, Meta(ge=0, le=10_000_000)]
    route_documents: Annotated[int, Meta(ge=1, le=100)]
    route_mode: RouteMode
    route_formula: RouteFormula
    quality_judge: QualityJudge
    quality_threshold: Annotated[float, Meta(ge=0, le=1)]
    quality_floor: Annotated[float, Meta(ge=0, le=1)]
    quality_retries: Annotated[int, Meta(ge=0, le=2)]


@cache
def load_knowledge_bases() -> KnowledgeBases:
    """Read the files that are packaged with the library, once. Raises ConfigurationError."""
    return read_knowledge_bases(Path(__file__).parent)


def read_knowledge_bases(folder: Path) -> KnowledgeBases:
    """Settings from `knowledge_bases.toml` and schemas from `schemas/<base>.toml`. Raises ConfigurationError."""
    bases = parse_knowledge_bases((folder / "knowledge_bases.toml").read_text("utf-8"))
    described = {file.stem: _schema_of(file) for file in sorted((folder / "schemas").glob("*.toml"))}
    named = {name: replace(bases.deployed(name), schema=schema) for name, schema in described.items()}
    return replace(bases, named={**bases.named, **named})


def _schema_of(file: Path) -> Schema:
    return parse_schema(file.read_text("utf-8"), f"schemas/{file.name}")


def parse_knowledge_bases(text: str) -> KnowledgeBases:
    """Settings from TOML like `knowledge_bases.toml`. Raises ConfigurationError, which says what to correct."""
    data = parse_toml(text, "The knowledge bases are not TOML")
    open_names = data.pop("open_names", True)
    if not isinstance(open_names, bool):
        raise ConfigurationError(f"The knowledge bases: open_names is {open_names!r}; write true or false.")
    if unknown := sorted(data.keys() - {"defaults", "bases"}):
        raise ConfigurationError(
            f"The knowledge bases have the unknown table [{unknown[0]}]; use [defaults] and [bases.{unknown[0]}]."
        )
    defaults = _read(KnowledgeBase(""), data.get("defaults", {}), "[defaults]")
    bases = table(data.get("bases", {}), "[bases]")
    return KnowledgeBases(
        defaults,
        {name: _read(replace(defaults, name=name), bases[name], f"[bases.{name}]") for name in bases},
        open_names,
    )


def _read(base: KnowledgeBase, settings: object, place: str) -> KnowledgeBase:
    """`base` with the table's settings replaced."""
    found = replace(base, **checked(_Settings, settings, place))
    if found.quality_floor > found.quality_threshold:
        raise ConfigurationError(
            f"{place}: quality_floor is {found.quality_floor} and quality_threshold {found.quality_threshold}; "
            "the floor must not be above the threshold."
        )
    return found


def parse_kept(text: str, name: str, deployed: KnowledgeBase) -> KnowledgeBase:
    """The deployed settings with the changes of one base's own file: settings, and what a schema says, in one.

    Of a field only what is written changes; a field without `type` and `values` has those that its documents have.
    `name` is the file's. Raises `ConfigurationError` with the line and what to correct.
    """
    source = _Source(text, name)
    tables = source.tables()
    of_schema = {key: tables.pop(key) for key in _Changes.__struct_fields__ if key in tables}
    if unknown := [key for key in tables if key not in _Settings.__annotations__]:
        known = ", ".join(sorted((*_Settings.__annotations__, *_Changes.__struct_fields__)))
        raise ConfigurationError(f"{source.line(unknown[:1])}: '{unknown[0]}' is no setting; use one of {known}.")
    try:
        base = _read(deployed, tables, "The file")
    except ConfigurationError as error:
        raise ConfigurationError(f"{source.line(_first_key(str(error), tables))}: {error}") from None
    return replace(base, schema=_changed(source, of_schema, deployed.schema), kept=bool(tables or of_schema))


def check_kept(text: str, name: str, declared: Schema, whole: Schema) -> None:
    """Raises `ConfigurationError` where the file contradicts itself, or the documents.

    `whole`: the declared schema with the fields of the documents; what of it could not be used is looked at too.
    """
    for found in contradictions(replace(whole, sort=declared.sort, date=declared.date)):
        raise ConfigurationError(f"{_Source(text, name).line(found.path)}, {'.'.join(found.path)}: {found.reason}")


def _changed(source: _Source, tables: dict[str, Any], before: Schema) -> Schema:
    written = source.read(_Changes, tables)
    fields = dict(before.fields)
    for key, entry in written.fields.items():
        known = field_named(before, key) or SchemaField(key, FieldType.KEYWORD, inferred=True)
        fields[known.name] = _changed_field(known, source.read(_Field, entry, ("fields", key)), set(entry))
    return _with(source, written, replace(before, fields=fields))


def _changed_field(before: SchemaField, found: _Field, keys: Set[str]) -> SchemaField:
    """The field with what the file says of it. `keys`: those that the file has."""
    changes = {each: getattr(found, each) for each in keys}
    if "synonyms" in changes:
        changes["synonyms"] = {**before.synonyms, **found.synonyms}
    if found.is_owner and before.inferred:
        changes.setdefault("type", FieldType.PERSON)
    return replace(before, **changes, inferred=before.inferred and keys.isdisjoint(("type", "values")))
