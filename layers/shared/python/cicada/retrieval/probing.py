"""What a stack finds for labelled questions: the signals of which `cicada calibrate` makes a calibration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct

from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import ConfigurationError
from cicada.knowledge_bases.calibrations import Cosines, reranker_of
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.permissions import every_document
from cicada.retrieval.model import IndexHits, IndexQuery
from cicada.retrieval.ports import SearchBackend
from cicada.retrieval.quality import Features, background, features
from cicada.retrieval.strategies.hybrid import encode_query, hybrid

# Hits, as many times as a search takes, from which documents are taken out.
_MORE = 4


class Probe(Struct, frozen=True):
    """A question, asked as if the documents `without` were not there."""

    question: str
    without: tuple[str, ...] = ()


class Probes(Struct, frozen=True):
    """Questions to one base. `cosines`: the embedder's usual ones, None where they are not known yet."""

    tenant: str
    knowledge_base: str
    questions: tuple[Probe, ...]
    cosines: Cosines | None = None


class Found(Struct, frozen=True):
    """`reranker`: who ranked. `cosines`: the best one and the mean of distant hits, None where there are few hits."""

    reranker: str
    signals: Features
    cosines: Cosines | None


def probed(
    event: Mapping[str, Any], backend: Callable[[Cosines | None], SearchBackend], bases: KnowledgeBases
) -> dict[str, Any]:
    """What is found for each question of `{"probe": {…}}`. For an operator: no text leaves, and all documents count.

    Raises `ConfigurationError` for another event, and what the search raises.
    """
    try:
        asked = msgspec.convert(event["probe"], Probes)
    except msgspec.ValidationError as error:
        raise ConfigurationError(f"This event is no probe: {error}.") from error
    base = bases.of(KnowledgeBaseKey(asked.tenant, asked.knowledge_base))
    searched = backend(asked.cosines)
    found = [_found(each, asked.tenant, base, searched) for each in asked.questions]
    return {"found": msgspec.json.decode(msgspec.json.encode(found))}


def _found(probe: Probe, tenant: str, base: KnowledgeBase, backend: SearchBackend) -> Found:
    search = hybrid(backend, base)
    filter = every_document(KnowledgeBaseKey(tenant, base.name))
    query = encode_query(backend.embedder, probe.question)
    limit = base.candidates * (_MORE if probe.without else 1)
    hits = _without(backend.index.search(IndexQuery(filter, query.text, query.vector, limit)), probe.without)
    kept = IndexHits(hits.lexical[: base.candidates], hits.semantic[: base.candidates])
    found = search.ranked(query, filter, kept)
    distant = background([hit.score for hit in kept.semantic])
    cosines = None if distant is None else Cosines(kept.semantic[0].score, distant)
    return Found(reranker_of(found.ranking.by), features(probe.question, found), cosines)


def _without(hits: IndexHits, document_ids: tuple[str, ...]) -> IndexHits:
    documents: set[DocumentKey] = {hit.passage.document for hit in (*hits.lexical, *hits.semantic)}
    return hits.of({each for each in documents if each.document_id not in document_ids})
