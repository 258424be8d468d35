"""How each knowledge base is searched, from a file that people edit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from cicada.errors import ConfigurationError
from cicada.languages.detection import LANGUAGES
from cicada.validation import checked, parse_toml, table, unknown_key

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


def _known_language(code: str) -> str:
    if code not in LANGUAGES:
        raise ValueError(f"is '{code}'; use one of {', '.join(LANGUAGES)}")
    return code


def _between(least: int, most: int) -> Any:
    """A number in these bounds; neither a text nor a boolean stands for one."""
    return Field(ge=least, le=most, strict=True)


@dataclass(frozen=True, slots=True)
class KnowledgeBase:
    """How one knowledge base is searched; `knowledge_bases.toml` explains each setting.

    `content_language` is an ISO 639-1 code, or None where the documents are of several languages.
    """

    name: str
    description: str = ""
    holds: Holds = "documents"
    content_language: Annotated[str, AfterValidator(_known_language)] | None = None
    fusion: Fusion = "zscore"
    rerank: RerankMode = "auto"
    score_threshold: Annotated[float, _between(0, 1)] = 0.15
    detail: Detail = Detail.TOKENS
    pool: Annotated[int, _between(1, 1000)] = 100
    limit: Annotated[int, _between(1, 100)] = 15


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
    data = parse_toml(text, "The knowledge bases are not TOML")
    if unknown := sorted(data.keys() - {"defaults", "bases"}):
        raise ConfigurationError(
            f"The knowledge bases have the unknown table [{unknown[0]}]; use [defaults] and [bases.{unknown[0]}]."
        )
    defaults = data.get("defaults", {})
    bases = table(data.get("bases", {}), "[bases]")
    return KnowledgeBases(
        _read("", defaults, {}, "[defaults]"),
        {name: _read(name, bases[name], defaults, f"[bases.{name}]") for name in bases},
    )


def _read(name: str, settings: object, defaults: Mapping[str, object], place: str) -> KnowledgeBase:
    """The base of these settings, and of the defaults for the others."""
    own = table(settings, place)
    if unknown := sorted(own.keys() - _KEYS):
        raise unknown_key(place, unknown[0], _KEYS)
    return checked(KnowledgeBase, {**defaults, **own, "name": name}, place)
