"""The catalogue by test events of the Lambda console, which `cicada documents` sends too. It is for operators."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from cicada.documents.catalogue import TITLE, Card, DocumentRow, Sort
from cicada.documents.model import Condition, DocumentKey, Exists, KnowledgeBaseKey
from cicada.errors import InvalidFrameError
from cicada.ingest.ports import GroundTruth
from cicada.knowledge_bases.filter_language import WrittenFilter, condition, split_filter
from cicada.knowledge_bases.schema import BUILT_IN, Schema
from cicada.knowledge_bases.settings import KnowledgeBases
from cicada.knowledge_bases.values import field_named
from cicada.permissions import AccessLists, every_document
from cicada.retrieval.completeness import lacking
from cicada.retrieval.ports import DocumentCatalogue
from cicada.text import did_you_mean

_MOST = 500


def catalogue_at_once(event: Mapping[str, Any], catalogue: DocumentCatalogue, bases: KnowledgeBases) -> dict[str, Any]:
    """`{"documents": "list"}` gives a page of rows, `{"documents": "show", "id": "…"}` a row, its card and copies.

    With `"optional": true` an unknown id gives `{"missing": true}` instead of an error.

    Options: `tenant`, `knowledgeBase`; for a list `filters` (as `status=approved`), `sort` (a field, with `-` in front
    from last to first), `limit`, `offset`, `countBy`. Raises `InvalidFrameError` or `InvalidFilterError`.
    """
    base_key = KnowledgeBaseKey(str(event.get("tenant", "default")), str(event.get("knowledgeBase", "scripts")))
    if event["documents"] == "show" and event.get("id"):
        return _shown(DocumentKey(base_key, str(event["id"])), catalogue, is_optional=bool(event.get("optional")))
    if event["documents"] == "list":
        return _listed(event, base_key, catalogue, bases.of(base_key).schema)
    raise InvalidFrameError('A test event is {"documents": "list"}, or {"documents": "show", "id": "…"}.')


def compared_at_once(truth: GroundTruth, catalogue: DocumentCatalogue, access: AccessLists) -> dict[str, Any]:
    """Answer `{"documents": "compare"}`: all tenants' bases, and whether the index lacks most of their documents.

    It also says how the index keeps vectors.
    """
    bases: dict[KnowledgeBaseKey, list[str]] = {}
    for document, _ in truth.list():
        bases.setdefault(document.base_key, []).append(document.document_id)
    return {
        "bases": [
            {
                "tenant": base_key.tenant,
                "knowledgeBase": base_key.knowledge_base,
                "kept": len(kept),
                "isIncomplete": bool(lacking(base_key, kept, catalogue, access)),
            }
            for base_key, kept in bases.items()
        ],
        "vectors": catalogue.vectors(),
    }


def _listed(
    event: Mapping[str, Any], base_key: KnowledgeBaseKey, catalogue: DocumentCatalogue, schema: Schema
) -> dict[str, Any]:
    written = [split_filter(str(each)) for each in event.get("filters", [])]
    matching = every_document(base_key, tuple(_condition(each, base_key, catalogue, schema) for each in written))
    sort = str(event.get("sort", ""))
    order = Sort(sort.removeprefix("-"), sort.startswith("-")) if sort else schema.sort or Sort(TITLE)
    limit, offset = _number(event, "limit", 50), _number(event, "offset", 0)
    for name in filter(None, (sort.removeprefix("-"), str(event.get("countBy") or ""))):
        _check_field(name, base_key, catalogue, schema)
    page = catalogue.rows(matching, order, min(limit, _MOST), offset)
    counts = {}
    if event.get("countBy"):
        groups = catalogue.aggregate(matching, (), (str(event["countBy"]),)).groups
        counted = [(each.values[0], each.documents) for each in groups if each.values[0] is not None]
        counts = {"counts": [{"value": value, "count": number} for value, number in counted]}
    return {
        "total": page.total,
        "nextOffset": page.next_offset,
        "documents": [_fields(row) for row in page.rows],
    } | counts


def _condition(
    written: WrittenFilter, base_key: KnowledgeBaseKey, catalogue: DocumentCatalogue, schema: Schema
) -> Condition:
    """Where all fields are inferred, a document that is not for everybody may have others."""
    if field_named(schema, written.field) is None and schema.is_inferred:
        if schema.fields and written.field not in BUILT_IN:
            _check_field(written.field, base_key, catalogue, schema)
        return condition(Schema(), written)
    return condition(schema, written)


def _check_field(name: str, base_key: KnowledgeBaseKey, catalogue: DocumentCatalogue, schema: Schema) -> None:
    """Known are the schema's fields and those that a document has. Raises `InvalidFrameError`, which names one near."""
    known = {TITLE, *schema.fields}
    if name in known or catalogue.rows(every_document(base_key, (Exists(name),)), Sort(TITLE), 1).total:
        return
    rows = catalogue.rows(every_document(base_key), Sort(TITLE), _MOST).rows
    named = sorted(known.union(*(row.metadata for row in rows)))
    raise InvalidFrameError(
        f"No document has a field “{name}”{did_you_mean(name, named)} There are {', '.join(named)}."
    )


def _shown(document: DocumentKey, catalogue: DocumentCatalogue, *, is_optional: bool) -> dict[str, Any]:
    row = catalogue.row(document)
    if row is None and is_optional:
        return {"missing": True}
    if row is None:
        raise InvalidFrameError("There is no document of this id in the knowledge base.")
    copies = list(catalogue.copies_of(document, row.content_hash))
    return {**_fields(row), "copies": copies, "card": _card_fields(row.card) if row.card else None}


def _card_fields(card: Card) -> dict[str, Any]:
    return {
        "overview": card.overview,
        "topicTags": list(card.topic_tags),
        "questionHints": list(card.question_hints),
        "sections": [
            {"heading": each.heading, "first": each.first, "last": each.last, "keywords": list(each.keywords)}
            for each in card.sections
        ],
        "related": [{"documentId": each.document_id, "weight": each.weight} for each in card.related],
        "language": card.language,
        "by": card.by,
    }


def _fields(row: DocumentRow) -> dict[str, Any]:
    indexed_at = datetime.fromtimestamp(row.indexed_at, UTC).isoformat(timespec="seconds") if row.indexed_at else None
    return {
        "documentId": row.document.document_id,
        "title": row.title,
        "passages": row.passages,
        "version": row.version,
        "indexedAt": indexed_at,
        "contentHash": row.content_hash,
        "metadata": {name: list(value) if isinstance(value, tuple) else value for name, value in row.metadata.items()},
        "readers": list(row.readers),
    }


def _number(event: Mapping[str, Any], name: str, default: int) -> int:
    value = event.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise InvalidFrameError(f"The {name} is a whole number that is not negative.")
    return value
