"""Reads the settings of knowledge bases from the configuration file, and their schemas from a file each."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Annotated, Any, TypedDict

from msgspec import Meta
from msgspec.structs import replace

from cicada.errors import ConfigurationError
from cicada.knowledge_bases.schema import Schema
from cicada.knowledge_bases.schema_file import parse_schema
from cicada.knowledge_bases.settings import (
    AgentName,
    ContentKind,
    Fusion,
    KnowledgeBase,
    KnowledgeBases,
    QualityJudge,
    RerankMode,
    RouteMode,
)
from cicada.languages.detection import LANGUAGES
from cicada.validation import Check, checked, parse_toml, table


def _unknown_language(code: str) -> str:
    return "" if code in LANGUAGES else f"is '{code}'; use one of {', '.join(LANGUAGES)}"


def _between(least: int, most: int) -> Any:
    """A number within these bounds; texts and booleans are refused."""
    return Meta(ge=least, le=most)


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
    score_threshold: Annotated[float, _between(0, 1)]
    candidates: Annotated[int, _between(1, 1000)]
    limit: Annotated[int, _between(1, 100)]
    context_tokens: Annotated[int, _between(100, 100_000)]
    filter_first: Annotated[int, _between(0, 100_000)]
    route_above: Annotated[int, _between(0, 10_000_000)]
    route_documents: Annotated[int, _between(1, 100)]
    route_mode: RouteMode
    quality_judge: QualityJudge
    quality_threshold: Annotated[float, _between(0, 1)]
    quality_floor: Annotated[float, _between(0, 1)]
    quality_retries: Annotated[int, _between(0, 2)]


@cache
def load_knowledge_bases() -> KnowledgeBases:
    """Read the files that are packaged with the library, once. Raises ConfigurationError."""
    return read_knowledge_bases(Path(__file__).parent)


def read_knowledge_bases(folder: Path) -> KnowledgeBases:
    """Settings from `knowledge_bases.toml` and schemas from `schemas/<base>.toml`. Raises ConfigurationError."""
    bases = parse_knowledge_bases((folder / "knowledge_bases.toml").read_text("utf-8"))
    described = {file.stem: _schema_of(file) for file in sorted((folder / "schemas").glob("*.toml"))}
    named = {name: replace(bases.of(name), schema=schema) for name, schema in described.items()}
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
