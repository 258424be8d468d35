"""The catalogue: the rows of documents, each a part of the row of its document's first passage."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from cicada.adapters.opensearch.client import Requests
from cicada.adapters.opensearch.documents import DocumentRows
from cicada.adapters.opensearch.queries import (
    Body,
    content_filters,
    document_filters,
    filters,
    row_filters,
    row_ids_filters,
    terms_body,
)
from cicada.adapters.opensearch.rows import (
    CARD_ROW_FIELDS,
    FIELDS,
    IS_ROW,
    ROW_FACETS,
    ROW_FIELDS,
    condition_body,
    document_row,
    passage,
    value_of,
    values_body,
)
from cicada.adapters.opensearch.targets import Hits
from cicada.documents.aggregates import Aggregation, Figure, Group, Key, aggregated, by_documents, first_groups
from cicada.documents.catalogue import DOCUMENTS, EVERY, Aggregate, DocumentRow, RowPage, Sort, record_of, sorted_rows
from cicada.documents.model import ROW, DocumentKey, Exists, KnowledgeBaseKey, PassageFilter
from cicada.documents.periods import period_of
from cicada.retrieval.model import CardHit

_MAX_VALUES = 1000
# Terms that one request counts.
_MAX_TERMS = 100
# No viewer's name: those are `user:<id>` and `group:<name>`.
_NOBODY = ("",)
# A record is read without what only a search needs of its passage.
_NO_TEXT = {"text": "", "context": ""}
_RECORD_FIELDS = [name for name in FIELDS if name not in _NO_TEXT]
_MOST_FIRST = Sort(EVERY, descending=True, of="count")

WithoutStale = Callable[[KnowledgeBaseKey, Callable[[], list[Hits]]], list[Hits]]


class Catalogue(Struct, frozen=True):
    """Reads of the rows in an index. `without_stale` drops the rows of generations that do not answer."""

    documents: DocumentRows
    index: str
    without_stale: WithoutStale

    def find(self, document: DocumentKey) -> DocumentRow | None:
        """The row of a document, None for an unknown one."""
        found = self._of(
            document.base_key, [*document_filters(document), {"term": {ROW_FACETS: IS_ROW}}], CARD_ROW_FIELDS
        )
        return found[0] if found else None

    def page(self, filter: PassageFilter, sort: Sort, limit: int, offset: int) -> RowPage:
        """One page in the order of `sort`; rows without the field come last."""
        ordered = sorted_rows(self._matching(filter), sort)
        page = self._with_cards(filter.base_key, ordered[offset : offset + limit])
        end = offset + len(page)
        return RowPage(page, len(ordered), end if page and end < len(ordered) else None)

    def records(self, filter: PassageFilter) -> tuple[DocumentRow, ...]:
        """The records that match, each once: a repeated bulk request may have stored a passage twice."""
        wanted = filters(replace(filter, conditions=(*filter.conditions, Exists(ROW))))
        hits = self._scan(filter.base_key, wanted, _RECORD_FIELDS)
        found = {hit["_source"]["passage_id"]: passage({**_NO_TEXT, **hit["_source"]}, filter.base_key) for hit in hits}
        return tuple(record_of(each) for _, each in sorted(found.items()))

    def copies(self, document: DocumentKey, content_hash: str) -> tuple[str, ...]:
        """Ids of the other documents with these bytes."""
        rows = self._of(document.base_key, content_filters(document.base_key, content_hash))
        return tuple(sorted({row.document.document_id for row in rows} - {document.document_id}))

    def access_lists(self, base_key: KnowledgeBaseKey, document_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """The viewers of each of these documents; unknown ones are left out.

        While a document is replaced, the server shows both versions until its next refresh. Then only those who may
        read both are viewers: an access list that became shorter holds at once. Without any, the document is left out.
        """
        found: dict[str, tuple[str, ...]] = {}
        for hit in self.documents.scan(self.index, row_ids_filters(base_key, document_ids), ROW_FIELDS):
            row = document_row(hit["_source"], base_key)
            name = row.document.document_id
            found[name] = _of_both(found[name], row.readers) if name in found else row.readers
        return {name: viewers for name, viewers in found.items() if viewers != _NOBODY}

    def count(self, filter: PassageFilter) -> int:
        """The number of documents that match."""
        return self.documents.requests.count(self.index, {"query": {"bool": {"filter": row_filters(filter)}}})

    def aggregate(
        self,
        filter: PassageFilter,
        aggregates: Sequence[Aggregate],
        group: Sequence[str],
        sort: Sort | None,
        limit: int,
    ) -> Aggregation:
        """The aggregates of the documents that match. How many there are of each value, the server counts.

        All else is computed from all rows that match, read as for a listing: the server knows values only as terms.
        """
        if not group and set(aggregates) <= {DOCUMENTS}:
            number = self.count(filter)
            return Aggregation(number, (Figure(number, number),) * len(aggregates))
        has_values = len(group) == 1 and not period_of(group[0])[1]
        if has_values and set(aggregates) <= {DOCUMENTS} and (sort is None or sort == _MOST_FIRST):
            counted = self._counted(filter, group[0], len(aggregates))
            if counted is not None:
                return replace(counted, groups=first_groups(counted.groups, limit, lambda each: each.documents))
        return aggregated(self._matching(filter), aggregates, group, sort, limit)

    def _matching(self, filter: PassageFilter) -> list[DocumentRow]:
        return self._of(filter.base_key, row_filters(filter))

    def _of(
        self, base_key: KnowledgeBaseKey, conditions: list[Body], fields: list[str] = ROW_FIELDS
    ) -> list[DocumentRow]:
        """All rows that meet the conditions, without their cards unless `fields` are `CARD_ROW_FIELDS`."""
        found = (document_row(hit["_source"], base_key) for hit in self._scan(base_key, conditions, fields))
        # A repeated bulk request may have stored a row twice.
        return list({row.document.document_id: row for row in found}.values())

    def _scan(self, base_key: KnowledgeBaseKey, conditions: list[Body], fields: list[str]) -> Hits:
        (hits,) = self.without_stale(base_key, lambda: [list(self.documents.scan(self.index, conditions, fields))])
        return hits

    def _with_cards(self, base_key: KnowledgeBaseKey, rows: Sequence[DocumentRow]) -> tuple[DocumentRow, ...]:
        """The rows with their cards. A listing sorts all rows but shows a page, so only the page's cards are read.

        A document that was replaced since its row was read has no card here: the new one is not the row's.
        """
        if not rows:
            return ()
        conditions = row_ids_filters(base_key, [row.document.document_id for row in rows])
        read = {row.document: row for row in rows}
        found = {row.document: row for row in self._of(base_key, conditions, CARD_ROW_FIELDS)}
        cards = {name: row.card for name, row in found.items() if replace(row, card=None) == read[name]}
        return tuple(replace(row, card=cards.get(row.document)) for row in rows)

    def _counted(self, filter: PassageFilter, field: str, counts: int) -> Aggregation | None:
        """The number of matching documents for each value of the field; None for more values than one request counts.

        `counts`: how often the number of documents is asked for.
        """
        body = {
            "size": 0,
            "track_total_hits": True,
            "query": {"bool": {"filter": row_filters(filter)}},
            "aggs": {
                "values": values_body(field, _MAX_VALUES),
                "missing": {"filter": condition_body(Exists(field, present=False), ROW_FACETS)},
            },
        }
        found = self.documents.requests.search(self.index, body)
        counted = found["aggregations"]["values"]
        if counted["sum_other_doc_count"]:
            return None
        sizes = [((value_of(bucket["key"]),), int(bucket["doc_count"])) for bucket in counted["buckets"]]
        total, missing = int(found["hits"]["total"]["value"]), int(found["aggregations"]["missing"]["doc_count"])
        named: list[tuple[Key, int]] = [*sizes, *([((None,), missing)] if missing else [])]
        groups = by_documents([Group(key, number, (Figure(number, number),) * counts) for key, number in named])
        return Aggregation(total, (Figure(total, total),) * counts, tuple(groups), len(sizes), missing)


def card_hits(found: Hits, base_key: KnowledgeBaseKey, score: Callable[[float], float]) -> tuple[CardHit, ...]:
    """Hits in descending order, each document once: a repeated bulk request may have stored a row twice."""
    best: dict[str, CardHit] = {}
    for hit in found:
        source = hit["_source"]
        best.setdefault(source["document_id"], CardHit(document_row(source, base_key), score(hit["_score"])))
    return tuple(sorted(best.values(), key=lambda hit: (-hit.score, hit.row.document.document_id)))


def count_terms(requests: Requests, index: str, filter: PassageFilter, terms: Sequence[str]) -> dict[str, int]:
    """The number of passages, for each term, that match the filter and have all of its words."""
    found: dict[str, int] = {}
    for start in range(0, len(terms), _MAX_TERMS):
        batch = terms[start : start + _MAX_TERMS]
        buckets = requests.search(index, terms_body(filter, batch))["aggregations"]["terms"]["buckets"]
        found |= {term: int(buckets[str(number)]["doc_count"]) for number, term in enumerate(batch)}
    return found


def _of_both(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    """The viewers by both lists; an empty list is for everybody."""
    if not one or not other:
        return one or other
    return tuple(name for name in one if name in other) or _NOBODY
