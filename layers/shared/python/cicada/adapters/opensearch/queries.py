"""Bodies of searches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cicada.adapters.opensearch.conditions import IS_ROW, PASSAGE_FACETS, ROW_FACETS, condition_body, content_term
from cicada.adapters.opensearch.lucene_tokens import first_tokens
from cicada.adapters.opensearch.rows import CARD_ROW_FIELDS, FIELDS, VECTOR_FIELDS, unit, visible_to
from cicada.adapters.opensearch.schema import ANALYZERS, OTHER_ANALYZER
from cicada.documents.filter import PassageFilter
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.languages.terms import is_cjk, query_terms
from cicada.retrieval.bm25 import CARD_FIELDS, Bm25
from cicada.retrieval.model import CardQuery, IndexQuery, Vector

# Lucene refuses a query of more than 1,024 clauses. Each token takes one for each field, and a question is analyzed in
# every language. The rest is left for filters. `indices.query.bool.max_clause_count` in
# https://docs.opensearch.org/latest/install-and-configure/configuring-opensearch/index-settings/
_MAX_CLAUSES = 1000
# Documents whose generations one request counts; more than the generations that a document ever has.
MAX_BUCKETS = 1000

Body = dict[str, Any]


def retriever_bodies(query: IndexQuery, dimension: int, bm25: Bm25) -> dict[str, Body]:
    """Search bodies by the retriever's name. A text without words has no lexical one."""
    allowed = filters(query.filter)
    bodies = {"semantic": _page(_near("vector", query.vector, dimension, allowed, query.limit), query.limit, FIELDS)}
    if lexical := _lexical(query.text, bm25.fields, allowed):
        bodies["lexical"] = _page(lexical, query.limit, FIELDS)
    return bodies


def card_bodies(query: CardQuery, dimension: int) -> dict[str, Body]:
    """Search bodies over the cards, by the retriever's name; none for a retriever that the query does not ask."""
    allowed = row_filters(query.filter)
    bodies: dict[str, Body] = {}
    if len(query.vector):
        near = _near("card_vector", query.vector, dimension, allowed, query.limit)
        bodies["semantic"] = _page(near, query.limit, CARD_ROW_FIELDS)
    weights = {f"card_{field}": weight for field, weight in CARD_FIELDS.items()}
    if lexical := _lexical(query.text, weights, allowed):
        bodies["lexical"] = _page(lexical, query.limit, CARD_ROW_FIELDS)
    return bodies


def terms_body(base_key: KnowledgeBaseKey, terms: Sequence[str]) -> Body:
    """For each term, by its number, counts the passages that have all of its words in the field of one language."""
    fields = [f"words_{each}" for each in ANALYZERS]
    counted = {
        str(number): {"multi_match": {"query": term, "type": "most_fields", "operator": "and", "fields": fields}}
        for number, term in enumerate(terms)
    }
    return {
        "size": 0,
        "query": {"bool": {"filter": _of_base(base_key)}},
        "aggs": {"terms": {"filters": {"filters": counted}}},
    }


def is_by_vector(body: Body) -> bool:
    return "knn" in body["query"]


def filters(filter: PassageFilter, facets: str = PASSAGE_FACETS) -> list[Body]:
    """Conditions that must all hold; they always include the tenant, the knowledge base and the readers."""
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


def document_filters(document: DocumentKey) -> list[Body]:
    return [*_of_base(document.base_key), {"term": {"document_id": document.document_id}}]


def generations_body(base_key: KnowledgeBaseKey, document_ids: Iterable[str]) -> Body:
    """Counts the rows of every generation of the documents."""
    size = {"size": {"max": {"field": "generation_size"}}}
    generations = {"terms": {"field": "generation", "size": MAX_BUCKETS}, "aggs": size}
    return {
        "size": 0,
        "query": {"bool": {"filter": [*_of_base(base_key), _any_of("document_id", document_ids)]}},
        "aggs": {
            "documents": {
                "terms": {"field": "document_id", "size": MAX_BUCKETS},
                "aggs": {"generations": generations},
            }
        },
    }


def vectors_body(base_key: KnowledgeBaseKey, passage_ids: Iterable[str], size: int) -> Body:
    """Finds the stored vectors of passages, in all their generations."""
    query = {"bool": {"filter": [*_of_base(base_key), _any_of("passage_id", passage_ids)]}}
    return {"query": query, "size": size, "_source": VECTOR_FIELDS}


def scan_body(conditions: list[Body], size: int, fields: list[str] | bool = False) -> Body:
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


def _lexical(text: str, weights: Mapping[str, float], allowed: list[Body]) -> Body | None:
    wording = _wording(query_terms(text), weights)
    return {"bool": {"filter": allowed, "should": wording, "minimum_should_match": 1}} if wording else None


def _of_base(base_key: KnowledgeBaseKey) -> list[Body]:
    return [{"term": {"tenant": base_key.tenant}}, {"term": {"knowledge_base": base_key.knowledge_base}}]


def _any_of(field: str, values: Iterable[str]) -> Body:
    return {"terms": {field: sorted(values)}}


def _wording(terms: tuple[str, ...], weights: Mapping[str, float]) -> list[Body]:
    """One query for words in the fields of all languages, and one for pairs of characters in their own field.

    The question's language is unknown. A passage fills only the fields of its own language, whose analyzer also
    analyzes the question, so the other languages' analyses match nothing in it.
    """
    pairs = [term for term in terms if is_cjk(term)]
    in_pairs, in_words = _fields(("cjk", OTHER_ANALYZER), weights), _fields(ANALYZERS, weights)
    # The standard analyzer makes one token of each character of a pair.
    most = (_MAX_CLAUSES - sum(map(len, pairs)) * len(in_pairs)) // len(in_words)
    words = list(first_tokens([term for term in terms if not is_cjk(term)], most))
    return [
        *([_in_fields(words, in_words)] if words else []),
        *([_in_fields(pairs, in_pairs)] if pairs else []),
    ]


def _fields(analyzers: Iterable[str], weights: Mapping[str, float]) -> list[str]:
    return [f"{field}_{each}^{weight}" for field, weight in weights.items() for each in analyzers]


def _in_fields(terms: list[str], fields: list[str]) -> Body:
    # The score is the sum over the fields.
    return {"multi_match": {"query": " ".join(terms), "type": "most_fields", "fields": fields}}
