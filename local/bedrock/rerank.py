"""Rerank of bedrock-agent-runtime: relevance from the share of the query's rare words and the embedding's cosine."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from local.bedrock.embedder import Embedder, Vectors
from local.bedrock.wire import invalid
from local.bedrock.words import Rarity, terms

MAX_SOURCES = 1000
EMBEDDED = 40  # the best by words: embedding a thousand passages here would take a minute
COSINE_SHARE = 0.7


def rerank(body: Mapping[str, Any], embedder: Embedder) -> dict[str, Any]:
    """Raises WireError (ValidationException), EmbedderUnavailableError."""
    queries, sources = body.get("queries") or [], body.get("sources") or []
    if len(queries) != 1 or not queries[0].get("textQuery", {}).get("text"):
        raise invalid("queries must have exactly one textQuery.")
    if not 1 <= len(sources) <= MAX_SOURCES:
        raise invalid(f"sources must have 1 to {MAX_SOURCES} documents.")
    scores = relevance(queries[0]["textQuery"]["text"], [_text(source) for source in sources], embedder)
    wanted = _configuration(body).get("numberOfResults", len(sources))
    order = np.argsort(-scores, kind="stable")[:wanted]
    return {"results": [{"index": int(index), "relevanceScore": float(scores[index])} for index in order]}


def relevance(query: str, texts: Sequence[str], embedder: Embedder) -> Vectors:
    """0 to 1 for each text. Texts beyond the shortlist are scored by words alone, below every embedded one."""
    found = [terms(text) for text in texts]
    asked = dict.fromkeys(terms(query))
    rarity = Rarity(found)
    total = rarity.total(asked) or 1.0
    overlap = np.array([rarity.total(term for term in asked if term in set(words)) / total for words in found])
    shortlist = np.argsort(-overlap, kind="stable")[:EMBEDDED]
    vectors = embedder.embed([query, *(texts[index] for index in shortlist)]).unit()
    cosines = np.clip(vectors[1:] @ vectors[0], 0, 1)
    scores = overlap * 0.0
    scores[shortlist] = COSINE_SHARE * cosines + (1 - COSINE_SHARE) * overlap[shortlist]
    rest = np.setdiff1d(np.arange(len(texts)), shortlist)
    scores[rest] = scores[shortlist].min() * overlap[rest]
    return np.asarray(scores, dtype=np.float32)


def _configuration(body: Mapping[str, Any]) -> Mapping[str, Any]:
    configuration = body.get("rerankingConfiguration", {}).get("bedrockRerankingConfiguration")
    if not configuration or not configuration.get("modelConfiguration", {}).get("modelArn"):
        raise invalid("rerankingConfiguration.bedrockRerankingConfiguration needs a modelConfiguration.modelArn.")
    return dict(configuration)


def _text(source: Mapping[str, Any]) -> str:
    document = source.get("inlineDocumentSource", {})
    if "textDocument" in document:
        return str(document["textDocument"].get("text", ""))
    if "jsonDocument" in document:
        return json.dumps(document["jsonDocument"], ensure_ascii=False)
    raise invalid("Each source needs an inlineDocumentSource with a textDocument or a jsonDocument.")
