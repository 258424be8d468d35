"""Passages as rows of the index."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from cicada.adapters.opensearch.conditions import IS_ROW, ROW_FACETS, content_term, facets
from cicada.adapters.opensearch.generations import stored
from cicada.adapters.opensearch.schema import analyzer
from cicada.adapters.passage_codec import (
    card_from_json,
    card_to_json,
    locator_from_json,
    locator_to_json,
    metadata_from_json,
    metadata_to_json,
    row_from_json,
    row_to_json,
)
from cicada.documents.catalogue import DocumentRow
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage
from cicada.errors import ConfigurationError
from cicada.retrieval.cards import card_texts
from cicada.retrieval.model import EmbeddedPassage, Vector

# Fields that are read back.
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
    "readers",
]
ROW_FIELDS = ["document_id", "generation", "row"]
CARD_ROW_FIELDS = [*ROW_FIELDS, "card"]
VECTOR_FIELDS = ["document_id", "passage_id", "generation", "vector"]
# The reader term of an unrestricted row. Readers' names are stored with a prefix, so none can equal it.
_EVERYBODY = "*"


def rows(
    document: DocumentKey,
    generation: int,
    passages: Sequence[EmbeddedPassage],
    row: DocumentRow,
    card_vector: Vector,
    dimension: int,
) -> Iterator[dict[str, Any]]:
    """A generation. The document's row is part of its first passage's, so it changes with the passages in one step."""
    for number, each in enumerate(passages):
        fields = _passage_row(document, generation, len(passages), each, dimension)
        yield fields if number else {**fields, **_document_fields(row, card_vector, dimension)}


def _document_fields(row: DocumentRow, card_vector: Vector, dimension: int) -> dict[str, Any]:
    fields = {"row": row_to_json(row), ROW_FACETS: _row_facets(row)}
    if row.card is None:
        return fields
    words = analyzer(row.card.language)
    searched = {f"card_{name}_{words}": text for name, text in card_texts(row.card, row.document.document_id).items()}
    vector = {"card_vector": unit(card_vector, dimension)} if len(card_vector) else {}
    return {**fields, "card": card_to_json(row.card), **searched, **vector}


def _row_facets(row: DocumentRow) -> list[str]:
    return [IS_ROW, content_term(row.content_hash), *facets(row.metadata)]


def document_row(source: Mapping[str, Any], base_key: KnowledgeBaseKey) -> DocumentRow:
    """The row, with its card if the source has one."""
    return row_from_json(source["row"], DocumentKey(base_key, source["document_id"]), source.get("card"))


def _passage_row(
    document: DocumentKey, generation: int, size: int, embedded: EmbeddedPassage, dimension: int
) -> dict[str, Any]:
    """One of the `size` rows of a generation: the searched fields and the passage itself."""
    passage = embedded.passage
    words = analyzer(passage.language)
    return {
        "tenant": document.base_key.tenant,
        "knowledge_base": document.base_key.knowledge_base,
        "document_id": document.document_id,
        "passage_id": passage.passage_id,
        "facets": facets(passage.metadata),
        "generation": stored(generation),
        "generation_size": size,
        "readers": reader_terms(passage.readers) if passage.readers else [_EVERYBODY],
        "version": passage.version,
        "title": passage.title,
        "text": passage.text,
        "context": passage.context,
        "locator": locator_to_json(passage.locator),
        "language": passage.language,
        "metadata": metadata_to_json(passage.metadata),
        f"words_{words}": _words(passage.title, passage.context, passage.text),
        f"title_{words}": passage.title,
        f"context_{words}": passage.context,
        "vector": unit(embedded.vector, dimension),
    }


def passage(source: Mapping[str, Any], base_key: KnowledgeBaseKey) -> Passage:
    return Passage(
        passage_id=source["passage_id"],
        document=DocumentKey(base_key, source["document_id"]),
        version=source["version"],
        title=source["title"],
        text=source["text"],
        context=source["context"],
        locator=locator_from_json(source["locator"]),
        language=source["language"],
        metadata=metadata_from_json(source["metadata"]),
        readers=tuple(each[1:] for each in source["readers"] if each != _EVERYBODY),
    )


def reader_terms(names: Iterable[str]) -> list[str]:
    """Names of readers as stored in a row."""
    return [f"={name}" for name in names]


def visible_to(reader: Iterable[str]) -> list[str]:
    """The reader terms of which a row must have one to be visible to this user."""
    return [_EVERYBODY, *reader_terms(sorted(reader))]


def searched_texts(source: Mapping[str, Any]) -> dict[str, str]:
    """The text of each searched field of a stored passage."""
    title, context, text = source["title"], source["context"], source["text"]
    return {"words": _words(title, context, text), "title": title, "context": context}


def card_source_texts(source: Mapping[str, Any]) -> Mapping[str, str]:
    """The text of each searched field of a stored card."""
    return card_texts(card_from_json(source["card"]), source["document_id"])


def _words(title: str, context: str, text: str) -> str:
    """All words of a passage. If the context already contains the title, the title's words count once."""
    return "\n".join([*([] if title in context else [title]), context, text])


def unit(vector: Vector, dimension: int) -> list[float]:
    """The unit vector, rounded to the seven digits of a 32-bit float."""
    if len(vector) != dimension:
        raise ConfigurationError(
            f"The embedder gave a vector of {len(vector)} dimensions, and the index holds {dimension}; "
            "set the embedder's dimension to the index's."
        )
    length = math.hypot(*vector) or 1.0
    return [round(float(value) / length, 8) for value in vector]
