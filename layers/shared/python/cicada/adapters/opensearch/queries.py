"""Bodies of searches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from cicada.adapters.opensearch.lexical import Fields, LexicalSearch, question_words
from cicada.adapters.opensearch.rows import (
    CARD_ROW_FIELDS,
    FIELDS,
    IS_ROW,
    PASSAGE_FACETS,
    ROW_FACETS,
    VECTOR_FIELDS,
    card_source_texts,
    condition_body,
    content_term,
    searched_texts,
    unit,
    visible_to,
)
from cicada.adapters.opensearch.schema import ANALYZERS
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, PassageFilter, passage_id_at
from cicada.retrieval.fusion import CARD_FIELDS, Bm25
from cicada.retrieval.model import CardQuery, IndexQuery, Vector

# Documents whose generations one request counts; more than the generations that a document ever has.
MAX_BUCKETS = 1000

Body = dict[str, Any]


def nearest_body(query: IndexQuery, dimension: int) -> Body:
    """Nearest neighbours over passages."""
    return _page(_near("vector", query.vector, dimension, filters(query.filter), query.limit), query.limit, FIELDS)


def nearest_cards_body(query: CardQuery, dimension: int) -> Body:
    """Nearest neighbours over cards."""
    near = _near("card_vector", query.vector, dimension, row_filters(query.filter), query.limit)
    return _page(near, query.limit, CARD_ROW_FIELDS)


def passage_words(query: IndexQuery, bm25: Bm25) -> LexicalSearch | None:
    """BM25 over passages; None for a text without words."""
    words = question_words(query.text, bm25.fields)
    if not words:
        return None
    fields = Fields(bm25.fields, "", searched_texts)
    readable = filters(query.filter.readable)
    return LexicalSearch(words, fields, bm25, readable, filters(query.filter), query.limit, FIELDS)


def card_words(query: CardQuery, bm25: Bm25) -> LexicalSearch | None:
    """BM25 over cards; None for a text without words. `bm25` gives all but the weights of the fields."""
    words = question_words(query.text, CARD_FIELDS)
    if not words:
        return None
    fields = Fields(CARD_FIELDS, "card_", card_source_texts)
    readable, source = row_filters(query.filter.readable), [*CARD_ROW_FIELDS, "passage_id"]
    return LexicalSearch(words, fields, bm25, readable, row_filters(query.filter), query.limit, source)


def terms_body(filter: PassageFilter, terms: Sequence[str]) -> Body:
    """Counts, for each term by its number, the passages that have all its words in one language's field."""
    fields = [f"words_{each}" for each in ANALYZERS]
    counted = {
        str(number): {"multi_match": {"query": term, "type": "most_fields", "operator": "and", "fields": fields}}
        for number, term in enumerate(terms)
    }
    return {
        "size": 0,
        "query": {"bool": {"filter": filters(filter.readable)}},
        "aggs": {"terms": {"filters": {"filters": counted}}},
    }


def filters(filter: PassageFilter, facets: str = PASSAGE_FACETS) -> list[Body]:
    """Conditions that must all hold; they always include the tenant, the knowledge base and the viewers."""
    conditions = _of_base(filter.base_key)
    if filter.document_ids is not None:
        conditions.append(_any_of("document_id", filter.document_ids))
    conditions.extend(condition_body(each, facets) for each in filter.conditions)
    if filter.reader is not None:
        conditions.append(_any_of("readers", visible_to(filter.reader)))
    return conditions


def row_filters(filter: PassageFilter) -> list[Body]:
    """Conditions on the rows of documents."""
    return [*filters(filter, ROW_FACETS), {"term": {ROW_FACETS: IS_ROW}}]


def row_ids_filters(base_key: KnowledgeBaseKey, document_ids: Iterable[str]) -> list[Body]:
    """Conditions on the rows of these documents, whoever may read them."""
    return [*_of_base(base_key), _any_of("document_id", document_ids), {"term": {ROW_FACETS: IS_ROW}}]


def content_filters(base_key: KnowledgeBaseKey, content_hash: str) -> list[Body]:
    """Conditions on the rows of the base's documents with these bytes, whoever may read them."""
    return [*_of_base(base_key), {"term": {ROW_FACETS: content_term(content_hash)}}]


def document_filters(document: DocumentKey, numbers: range | None = None) -> list[Body]:
    """Conditions on the rows of a document. `numbers`: the places of its passages, None for all."""
    of_document = [*_of_base(document.base_key), {"term": {"document_id": document.document_id}}]
    if numbers is None:
        return of_document
    first, after = (passage_id_at(document.document_id, each) for each in (numbers.start, numbers.stop))
    return [*of_document, {"range": {"passage_id": {"gte": first, "lt": after}}}]


def generations_body(base_key: KnowledgeBaseKey, document_ids: Iterable[str]) -> Body:
    """Counts the rows of every generation of the documents."""
    size = {"size": {"max": {"field": "generation_size"}}}
    generations = {"terms": {"field": "generation", "size": MAX_BUCKETS}, "aggs": size}
    return {
        "size": 0,
        "query": {"bool": {"filter": [*_of_base(base_key), _any_of("document_id", document_ids)]}},
        "aggs": {
            "documents": {"terms": {"field": "document_id", "size": MAX_BUCKETS}, "aggs": {"generations": generations}}
        },
    }


def vectors_body(base_key: KnowledgeBaseKey, passage_ids: Iterable[str], size: int) -> Body:
    """Finds the stored vectors of passages, in all their generations."""
    query = {"bool": {"filter": [*_of_base(base_key), _any_of("passage_id", passage_ids)]}}
    return {"query": query, "size": size, "_source": VECTOR_FIELDS}


def scan_body(conditions: list[Body], size: int, fields: list[str] | bool) -> Body:
    """A page of rows in order of `passage_id`; `search_after` asks for the next one."""
    order = [{"passage_id": "asc"}, {"generation": "asc"}]
    return {"query": {"bool": {"filter": conditions}}, "sort": order, "size": size, "_source": fields}


def cosine(score: float) -> float:
    """The inner product behind a kNN score. https://docs.opensearch.org/latest/mappings/supported-field-types/knn-spaces/"""
    return score - 1 if score > 1 else 1 - 1 / score


def _page(query: Body, limit: int, fields: list[str]) -> Body:
    return {"query": query, "size": limit, "_source": fields}


def _near(field: str, vector: Vector, dimension: int, allowed: list[Body], limit: int) -> Body:
    near = {"vector": unit(vector, dimension), "k": limit, "filter": {"bool": {"filter": allowed}}}
    return {"knn": {field: near}}


def _of_base(base_key: KnowledgeBaseKey) -> list[Body]:
    return [{"term": {"tenant": base_key.tenant}}, {"term": {"knowledge_base": base_key.knowledge_base}}]


def _any_of(field: str, values: Iterable[str]) -> Body:
    return {"terms": {field: sorted(values)}}
