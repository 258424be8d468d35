"""Documents as rows of the index, and conditions on their metadata."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from cicada.adapters.opensearch.schema import analyzer, stored
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
from cicada.documents.model import (
    AnyOf,
    Condition,
    Contains,
    DocumentKey,
    KnowledgeBaseKey,
    MetadataValue,
    NoneOf,
    Passage,
    Range,
    Scalar,
)
from cicada.documents.versions import version_order
from cicada.errors import ConfigurationError
from cicada.retrieval.model import EmbeddedPassage, Vector, card_texts

# Metadata as terms of one keyword field, and conditions on them.
#
# An index's mapping is fixed at its creation, so one field holds the values of all metadata fields. A term is the
# field's name as JSON, a letter for the kind of value, and the value in a form whose order as text is the value's own
# order. A range of values is then a range of terms. A version has a second term, of the kind `v`, with the order of
# versions.

PASSAGE_FACETS = "facets"
ROW_FACETS = "row_facets"
# Stands among the facets of every document's row. No facet equals it: they begin with a quotation mark.
IS_ROW = "*"
_SIGN = 1 << 63
_ALL = (1 << 64) - 1


def content_term(content_hash: str) -> str:
    """The term of a document's bytes among the facets of its row. No facet equals it."""
    return f"={content_hash}"


def facets(metadata: Mapping[str, MetadataValue]) -> list[str]:
    """One term for each value of each field, and one more for each version."""
    found = [
        (name, value)
        for name, values in metadata.items()
        for value in (values if isinstance(values, tuple) else (values,))
    ]
    versions = ((name, order) for name, value in found if (order := version_order(value)))
    return [*(facet(*each) for each in found), *(f"{_name(name)}v{order}" for name, order in versions)]


def facet(name: str, value: Scalar) -> str:
    """The term of a field's value. The name is in quotes, so no other name's terms begin like it."""
    return f"{_name(name)}{_sortable(value)}"


def value_of(facet: str) -> Scalar:
    """The value in a term that `facet` made."""
    _, end = json.JSONDecoder().raw_decode(facet)
    kind, text = facet[end], facet[end + 1 :]
    if kind == "s":
        return text
    if kind == "b":
        return text == "1"
    bits = int(text, 16)
    (number,) = struct.unpack(">d", struct.pack(">Q", bits ^ (_SIGN if bits & _SIGN else _ALL)))
    return float(number)


def condition_body(condition: Condition, facets: str) -> dict[str, Any]:
    """The condition as a query without score on the terms of the field `facets`."""
    if isinstance(condition, AnyOf):
        return _terms(condition, facets)
    if isinstance(condition, NoneOf):
        return {"bool": {"must_not": [_terms(condition, facets)]}}
    if isinstance(condition, Range):
        return {"range": {facets: _bounds(condition)}}
    if isinstance(condition, Contains):
        pattern = f"{_literally(_name(condition.field))}s.*{_literally(condition.text)}.*"
        return {"regexp": {facets: {"value": pattern, "case_insensitive": True}}}
    present = {"prefix": {facets: _name(condition.field)}}
    return present if condition.present else {"bool": {"must_not": [present]}}


def _literally(text: str) -> str:
    """The text as an expression. Lucene takes all but letters, digits and spaces literally after a backslash."""
    return "".join(each if each.isalnum() or each == " " else f"\\{each}" for each in text)


def values_body(field: str, most: int) -> dict[str, Any]:
    """An aggregation: the terms of one field of the rows, most frequent first."""
    return {"terms": {"field": ROW_FACETS, "include": f"{_literally(_name(field))}[bns].*", "size": most}}


def _terms(condition: AnyOf | NoneOf, facets: str) -> dict[str, Any]:
    return {"terms": {facets: sorted(facet(condition.field, value) for value in condition.values)}}


def _bounds(condition: Range) -> dict[str, str]:
    """The terms of the range. Where a bound is missing, the first or last possible term of the other bound's kind."""
    of_versions = condition.of_versions
    is_of_versions = any((of_versions.least, of_versions.above, of_versions.most, of_versions.below))
    bounds = of_versions if is_of_versions else condition
    given = {"gte": bounds.least, "gt": bounds.above, "lte": bounds.most, "lt": bounds.below}
    kind = "v" if is_of_versions else "s" if any(isinstance(value, str) for value in given.values()) else "n"
    stated = {name: value for name, value in given.items() if value is not None}
    found = {
        name: f"{_name(condition.field)}{f'v{value}' if is_of_versions else _sortable(value)}"
        for name, value in stated.items()
    }
    if condition.least is None and condition.above is None:
        found["gte"] = f"{_name(condition.field)}{kind}"
    if condition.most is None and condition.below is None:
        found["lt"] = f"{_name(condition.field)}{chr(ord(kind) + 1)}"
    return found


def _name(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _sortable(value: Scalar) -> str:
    if isinstance(value, bool):
        return f"b{value:d}"
    if isinstance(value, str):
        return f"s{value}"
    # The bits of a double sort as its value does once the sign bit is flipped, or for a negative one all bits.
    (bits,) = struct.unpack(">Q", struct.pack(">d", value + 0.0))
    return f"n{bits ^ (_ALL if bits & _SIGN else _SIGN):016x}"


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
# The viewer term of an unrestricted row. Viewers' names are stored with a prefix, so none can equal it.
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
        "readers": viewer_terms(passage.readers) if passage.readers else [_EVERYBODY],
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


def viewer_terms(names: Iterable[str]) -> list[str]:
    """Names of viewers as stored in a row."""
    return [f"={name}" for name in names]


def visible_to(names: Iterable[str]) -> list[str]:
    """The viewer terms of which a row must have one to be visible to this user."""
    return [_EVERYBODY, *viewer_terms(sorted(names))]


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
