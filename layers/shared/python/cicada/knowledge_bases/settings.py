"""How each knowledge base is searched, from a file that people edit."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, get_args

from cicada.errors import ConfigurationError
from cicada.languages.detection import LANGUAGES

Fusion = Literal["zscore", "rrf"]
RerankMode = Literal["always", "auto", "never"]
Holds = Literal["scripts", "documents"]


class Detail(StrEnum):
    """What a knowledge base keeps of each passage for reranking besides its vector (docs/retrieval.md has the sizes).

    `windows`: vectors of runs of about 25 words. `tokens`: one vector for each word piece.
    """

    NONE = "none"
    WINDOWS = "windows"
    TOKENS = "tokens"


_CHOICES: Mapping[str, tuple[str, ...]] = {
    "holds": get_args(Holds),
    "content_language": tuple(LANGUAGES),
    "fusion": get_args(Fusion),
    "rerank": get_args(RerankMode),
    "detail": tuple(Detail),
}
_RANGES: Mapping[str, tuple[int, int]] = {"score_threshold": (0, 1), "pool": (1, 1000), "limit": (1, 100)}


@dataclass(frozen=True, slots=True)
class KnowledgeBase:
    """How one knowledge base is searched; `knowledge_bases.toml` explains each setting.

    `content_language` is an ISO 639-1 code, or None where the documents are of several languages.
    """

    name: str
    description: str = ""
    holds: Holds = "documents"
    content_language: str | None = None
    fusion: Fusion = "zscore"
    rerank: RerankMode = "auto"
    score_threshold: float = 0.15
    detail: Detail = Detail.TOKENS
    pool: int = 100
    limit: int = 15


_KEYS = frozenset(each.name for each in fields(KnowledgeBase)) - {"name"}


@dataclass(frozen=True, slots=True)
class KnowledgeBases:
    """The bases that have settings of their own, by name; every other one is searched by `defaults`."""

    defaults: KnowledgeBase = field(default_factory=lambda: KnowledgeBase(""))
    named: Mapping[str, KnowledgeBase] = field(default_factory=dict)

    def of(self, name: str) -> KnowledgeBase:
        """The settings of this base. A name that nothing was ingested into has them too: its search finds nothing."""
        return self.named.get(name) or replace(self.defaults, name=name)


def load_knowledge_bases() -> KnowledgeBases:
    """Read the file that is packaged with the library. Raises ConfigurationError."""
    return parse_knowledge_bases(Path(__file__).with_name("knowledge_bases.toml").read_text("utf-8"))


def parse_knowledge_bases(text: str) -> KnowledgeBases:
    """Settings from TOML like `knowledge_bases.toml`. Raises ConfigurationError, which says what to mend."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"The knowledge bases are not TOML: {error}; correct that line.") from error
    if unknown := sorted(data.keys() - {"defaults", "bases"}):
        raise ConfigurationError(
            f"The knowledge bases have the unknown table [{unknown[0]}]; use [defaults] and [bases.{unknown[0]}]."
        )
    defaults = _read(KnowledgeBase(""), data.get("defaults", {}), "[defaults]")
    bases = _table(data.get("bases", {}), "[bases]")
    return KnowledgeBases(
        defaults, {name: _read(replace(defaults, name=name), bases[name], f"[bases.{name}]") for name in bases}
    )


def _read(base: KnowledgeBase, values: Any, place: str) -> KnowledgeBase:
    """`base` with what the table says instead."""
    table = _table(values, place)
    if unknown := sorted(table.keys() - _KEYS):
        raise ConfigurationError(f"{place} has the unknown key '{unknown[0]}'; use one of {', '.join(sorted(_KEYS))}.")
    return replace(base, **{key: _value(key, value, f"{place} {key}") for key, value in table.items()})


def _value(key: str, value: Any, place: str) -> Any:
    if key in _RANGES:
        return _number(value, *_RANGES[key], whole=key != "score_threshold", place=place)
    if not isinstance(value, str):
        raise ConfigurationError(f"{place} is not text; write text in quotes.")
    if key in _CHOICES and value not in _CHOICES[key]:
        raise ConfigurationError(f"{place} is '{value}'; use one of {', '.join(_CHOICES[key])}.")
    return Detail(value) if key == "detail" else value


def _number(value: Any, least: int, most: int, *, whole: bool, place: str) -> float:
    kinds = int if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value <= most:
        kind = "whole number" if whole else "number"
        raise ConfigurationError(f"{place} is {value!r}; write a {kind} from {least} to {most}.")
    number: float = value
    return number


def _table(value: Any, place: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ConfigurationError(f"{place} is not a table; write its settings on lines of their own below {place}.")
    return value
