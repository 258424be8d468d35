"""Search settings of knowledge bases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from cicada.documents.model import KnowledgeBaseKey
from cicada.knowledge_bases.calibrations import Calibrations
from cicada.knowledge_bases.schema import Schema

Fusion = Literal["zscore", "rrf"]
RerankMode = Literal["always", "auto"]
ContentKind = Literal["scripts", "documents"]
AgentName = Literal["profiles", "theories"]
RouteMode = Literal["fast", "balanced", "precise"]
RouteFormula = Literal["ranks", "cards"]
QualityJudge = Literal["evidence", "model", "none"]


class KnowledgeBase(Struct, frozen=True):
    """How one knowledge base is searched; `knowledge_bases.toml` explains each setting.

    `kept`: its operator has set something for it in the stack, so it exists without documents. `calibrations`: those
    of the stack's embedder, whatever the base.

    `content_language` is an ISO 639-1 code, or None where the documents are of several languages. `schema` is that of
    the documents' metadata, from a file of its own. `groups`: those that may ask it; without any, everybody of the
    tenant may. `restricted`: a document that names no viewers is for nobody.
    """

    name: str
    description: str = ""
    content: ContentKind = "documents"
    content_language: str | None = None
    fusion: Fusion = "zscore"
    rerank: RerankMode = "auto"
    score_threshold: float = 0.03
    candidates: int = 100
    limit: int = 15
    context_tokens: int = 4000
    filter_first: int = 1000
    route_above: int = 20
    route_documents: int = 15
    route_mode: RouteMode = "fast"
    route_formula: RouteFormula = "ranks"
    quality_judge: QualityJudge = "evidence"
    quality_threshold: float = 0.5
    quality_floor: float = 0.3
    quality_retries: int = 2
    schema: Schema = field(default_factory=Schema)
    agents: tuple[AgentName, ...] = ()
    groups: tuple[str, ...] = ()
    restricted: bool = False
    kept: bool = False
    calibrations: Calibrations = Calibrations()


Completed: TypeAlias = Callable[[KnowledgeBase, KnowledgeBaseKey, frozenset[str]], KnowledgeBase]
"""The settings of a base by those that were deployed, with what the stack keeps for it and these viewers may know."""


def as_deployed(base: KnowledgeBase, base_key: KnowledgeBaseKey, viewers: frozenset[str]) -> KnowledgeBase:  # noqa: ARG001 - nothing is kept
    """What was deployed is all there is."""
    return base


class KnowledgeBases(Struct, frozen=True):
    """Settings by the knowledge base's name; all other bases use `defaults`. This is the port to all of them.

    `open_names`: a base that is not named exists as soon as it has a document. `completed`: adds to what was deployed
    what the stack keeps; it raises `DependencyError` if that cannot be read.
    """

    defaults: KnowledgeBase = field(default_factory=lambda: KnowledgeBase(""))
    named: Mapping[str, KnowledgeBase] = field(default_factory=dict)
    open_names: bool = True
    completed: Completed = as_deployed

    def of(self, base_key: KnowledgeBaseKey, viewers: frozenset[str] = frozenset()) -> KnowledgeBase:
        """The settings of this base. A base without documents has settings too; a search of it finds nothing.

        Its schema has the inferred fields of the documents for everybody, and of those for one of `viewers`.
        """
        return self.completed(self.deployed(base_key.knowledge_base), base_key, viewers)

    def deployed(self, name: str) -> KnowledgeBase:
        """The settings that the library came with."""
        return self.named.get(name) or replace(self.defaults, name=name)
