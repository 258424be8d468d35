"""Chooses the models of a stack in its region: `-c geography=us|eu|apac|…`, and what a region lacks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NoReturn

from infra.model_regions import GLOBAL, IN_REGION, ModelRegions

# The order in which a region's geography is looked for. Global profiles have to be asked for: they send what users ask
# to any commercial region.
_BY_DEFAULT = ("ca", "us", "eu", "apac", "jp", "au", IN_REGION)
GEOGRAPHIES = (*_BY_DEFAULT, GLOBAL)
_LITE, _MICRO, _PRO = (f"amazon.nova-{size}-v1:0" for size in ("lite", "micro", "pro"))
# Models for regions without the first generation of Nova. Claude comes last: it costs more, and Anthropic wants to know
# first what it is used for.
_OTHERS = ("amazon.nova-2-lite-v1:0", "anthropic.claude-haiku-4-5-20251001-v1:0")
_SMALL, _LARGE = (_MICRO, _LITE, *_OTHERS), (_PRO, _LITE, *_OTHERS)
# The models for a purpose, the best one first, by the context value that names another one.
# Contexts: a model with prompt caching reads a document once for all its passages.
# Plans: stating a whole plan at once is too hard for small models, which are asked only where the rules are unsure.
PREFERRED: Mapping[str, tuple[str, ...]] = {
    "chatModel": (_LITE, *_OTHERS),
    "queryModel": _SMALL,
    "planModels": _LARGE,
    "contextModel": _SMALL,
    "agentModel": _LARGE,
}
_TITAN, _COHERE_3, _COHERE_4 = "amazon.titan-embed-text-v2:0", "cohere.embed-multilingual-v3", "cohere.embed-v4:0"
# The embedding models of `-c embeddingModel=titan` or `cohere`, and without it.
_EMBEDDERS: Mapping[str, tuple[str, ...]] = {
    "titan": (_TITAN,),
    "cohere": (_COHERE_4, _COHERE_3),
    "": (_TITAN, _COHERE_3, _COHERE_4),
}
# The size of their vectors: each of them can have it. Every model has an index of its own.
EMBEDDING_DIMENSION = 1024


class ModelNotOfferedError(ValueError):
    """A region does not have what the stack needs. The message says what to do."""


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """The models of one stack."""

    table: ModelRegions
    region: str
    geography: str

    def offered(self, purpose: str) -> list[str]:
        """Ids of the models for a purpose of `PREFERRED`, the best one first."""
        return [id for model in PREFERRED[purpose] if (id := self._offered(model, self.geography))]

    def first(self, purpose: str) -> str:
        """The best of them. Raises `ModelNotOfferedError`."""
        return self.best(purpose, 1)[0]

    def best(self, purpose: str, count: int) -> list[str]:
        """The best models, `count` or fewer, in the order of fallback. Raises `ModelNotOfferedError` for none."""
        return self.offered(purpose)[:count] or self._refuse(purpose, PREFERRED[purpose])

    def checked(self, purpose: str, id: str) -> str:
        """The id that the context names. Raises `ModelNotOfferedError` if the region is known not to have it."""
        callers = self.table.callers(id)
        if callers is None or self.region in callers:
            return id
        ways = [way for each in GEOGRAPHIES if (way := self._offered(id, each))]
        instead = f"use -c {purpose}={ways[0]}" if ways else f"it can be invoked in {_listed(callers) or 'no region'}"
        raise ModelNotOfferedError(f"{purpose}: {id} cannot be invoked in {self.region}: {instead}.")

    def embedding(self, wanted: str) -> str:
        """`wanted`: `titan`, `cohere`, a model's id, or empty for the one that suits the region."""
        if wanted not in _EMBEDDERS:
            return self.checked("embeddingModel", wanted)
        return self._embedder(wanted) or self._refuse("embeddingModel", _EMBEDDERS[wanted])

    def rerankers(self, models: tuple[str, ...]) -> tuple[str, ...]:
        """The reranking models that the region has. Raises `ModelNotOfferedError` for none."""
        here = tuple(model for model in models if self._offered(model, IN_REGION))
        if models and not here:
            there = frozenset().union(*(self.table.in_region[model] for model in models))
            raise ModelNotOfferedError(
                f"Bedrock offers no {' and no '.join(models)} in {self.region}: use -c rerank=local, or deploy to "
                f"{_listed(there)}."
            )
        return here

    def lacks(self) -> list[str]:
        """The purposes that nothing is offered for here."""
        lacking = [purpose for purpose in PREFERRED if not self.offered(purpose)]
        return lacking if self._embedder("") else [*lacking, "embeddingModel"]

    def _embedder(self, family: str) -> str | None:
        """The embedding model, in the region itself if possible: every passage goes there, and Titan has no profile."""
        ways = ((model, geography) for model in _EMBEDDERS[family] for geography in (IN_REGION, self.geography))
        return next((id for model, geography in ways if (id := self._offered(model, geography))), None)

    def _offered(self, model: str, geography: str) -> str | None:
        return self.table.offered(model, geography, self.region)

    def _refuse(self, purpose: str, models: tuple[str, ...]) -> NoReturn:
        ways = [each for each in GEOGRAPHIES if not replace(self, geography=each).lacks()]
        there = _listed(regions_of(self.table, self.geography))
        instead = f"use -c geography={' or '.join(ways)}" if ways else f"deploy to {there}"
        raise ModelNotOfferedError(
            f"-c geography={self.geography} has none of {', '.join(models)} in {self.region}: {instead}, "
            f"or name a model that is offered there with -c {purpose}=…."
        )


def regions_of(table: ModelRegions, geography: str) -> frozenset[str]:
    """The regions in which a stack lacks nothing in this geography."""
    return frozenset(each for each in table.collections if not ModelChoice(table, each, geography).lacks())


def geography_of(table: ModelRegions, region: str) -> str:
    """The geography of a region's own, where nothing is lacking. Raises `ModelNotOfferedError`."""
    for geography in _BY_DEFAULT:
        if not ModelChoice(table, region, geography).lacks():
            return geography
    others = frozenset[str]().union(*(regions_of(table, each) for each in _BY_DEFAULT))
    if not ModelChoice(table, region, GLOBAL).lacks():
        raise ModelNotOfferedError(
            f"In {region} Bedrock offers the models that a stack needs only through global inference profiles, which "
            f"send what users ask to any commercial region. Accept that with -c geography=global, or deploy to "
            f"{_listed(others)}."
        )
    lacking = min((ModelChoice(table, region, each).lacks() for each in GEOGRAPHIES), key=len)
    raise ModelNotOfferedError(
        f"In {region} Bedrock offers none of the known models for {', '.join(lacking)}. Deploy to {_listed(others)}, "
        f"or name others by their ids, with -c geography={IN_REGION} and -c {lacking[0]}=… for each of these purposes."
    )


def require_collections(table: ModelRegions, region: str) -> None:
    """Raises `ModelNotOfferedError` if the region has no OpenSearch Serverless."""
    if region not in table.collections:
        raise ModelNotOfferedError(
            f"{region} is no region with OpenSearch Serverless: deploy to {_listed(table.collections)}."
        )


def _listed(regions: frozenset[str]) -> str:
    return ", ".join(sorted(regions))
