"""Passages as rows of the index."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from cicada.adapters.opensearch.generations import stored
from cicada.adapters.opensearch.schema import analyzer
from cicada.adapters.passage_codec import locator_from_json, locator_to_json, metadata_from_json, metadata_to_json
from cicada.documents.model import Collection, DocumentKey, Passage
from cicada.errors import ConfigurationError
from cicada.retrieval.model import EmbeddedPassage, Vector

# What is read back of a row.
FIELDS = [
    "document_id",
    "passage_id",
    "generation",
    "version",
    "title",
    "text",
    "context",
    "locator",
    "language",
    "metadata",
]


def row(document: DocumentKey, generation: int, size: int, embedded: EmbeddedPassage, dimension: int) -> dict[str, Any]:
    """One of the `size` rows of a generation: what is searched, and the passage itself."""
    passage = embedded.passage
    words = analyzer(passage.language)
    return {
        "tenant": document.collection.tenant,
        "knowledge_base": document.collection.knowledge_base,
        "document_id": document.document_id,
        "passage_id": passage.passage_id,
        "facets": [facet(name, value) for name, value in passage.metadata.items()],
        "generation": stored(generation),
        "generation_size": size,
        "version": passage.version,
        "title": passage.title,
        "text": passage.text,
        "context": passage.context,
        "locator": locator_to_json(passage.locator),
        "language": passage.language,
        "metadata": metadata_to_json(passage.metadata),
        f"words_{words}": f"{passage.context}\n{passage.text}",
        f"context_{words}": passage.context,
        "vector": unit(embedded.vector, dimension),
    }


def passage(source: Mapping[str, Any], collection: Collection) -> Passage:
    return Passage(
        passage_id=source["passage_id"],
        document=DocumentKey(collection, source["document_id"]),
        version=source["version"],
        title=source["title"],
        text=source["text"],
        context=source["context"],
        locator=locator_from_json(source["locator"]),
        language=source["language"],
        metadata=metadata_from_json(source["metadata"]),
    )


def facet(name: str, value: str) -> str:
    """A metadata field and its value as one term: any number of fields needs one field of the mapping.

    JSON keeps `a=b` with value `c` apart from `a` with value `b=c`.
    """
    return json.dumps([name, value], ensure_ascii=False)


def unit(vector: Vector, dimension: int) -> list[float]:
    """The vector at length 1, in the seven digits that a float of 32 bits has."""
    if len(vector) != dimension:
        raise ConfigurationError(
            f"The embedder gave a vector of {len(vector)} dimensions, and the index holds {dimension}; "
            "set the embedder's dimension to the index's."
        )
    length = math.hypot(*vector) or 1.0
    return [round(float(value) / length, 8) for value in vector]
