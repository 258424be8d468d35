"""Answer from the catalogue: documents that match and numbers about them, without a search and without a model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from cicada.answering.figures import sentences, worded
from cicada.answering.listing_sentences import (
    DOUBT,
    about_rows,
    cannot_choose,
    fields_of,
    found_about,
    in_words,
    matching,
    not_shown,
)
from cicada.answering.matches import documents_about, match_of
from cicada.answering.parts import AnswerPart, Finished, Listed, Progress, Text, Unanswered
from cicada.answering.preference import preference, preferred
from cicada.answering.present_fields import with_present_field
from cicada.conversation.model import Question
from cicada.documents.aggregates import MOST_GROUPS, Aggregation, aggregated, values_of
from cicada.documents.catalogue import DOCUMENTS, EVERY, TITLE, Aggregate, DocumentRow, Sort, sorted_rows
from cicada.documents.model import ROW, TABLE, DocumentKey, PassageFilter
from cicada.identity import Principal
from cicada.knowledge_bases.schema import Schema
from cicada.knowledge_bases.settings import KnowledgeBases
from cicada.knowledge_bases.values import MAX_FIELDS
from cicada.observability.telemetry import phase
from cicada.permissions import PermissionGate, Permitted, base_of, readable_passages
from cicada.retrieval.completeness import CheckIndex, unchecked
from cicada.retrieval.model import RankedPassage
from cicada.retrieval.ports import DocumentCatalogue
from cicada.retrieval.search import BELOW_THRESHOLD, KnowledgeSearch
from cicada.retrieval.strategies import DEFAULT, FILTERED
from cicada.understanding.last_answer import listed_page
from cicada.understanding.plan import PAGE_SIZE, Plan

# Rows that are shown beside the one that was asked for.
_MOST_EQUAL = 9
# Words for the rows of tables.
_ROWS = re.compile(r"\b(?:rows?|records?|entries|zeilen?|datens[aä]tze?)\b", re.IGNORECASE)


class ListingAnswerer(Struct, frozen=True):
    """Rows have no relevance: a condition that is met is no measure of how well a text answers.

    `check_index` is called before documents are counted; it raises if the index lacks them.
    """

    catalogue: DocumentCatalogue
    bases: KnowledgeBases
    gate: PermissionGate
    check_index: CheckIndex = unchecked

    def answer(
        self, plan: Plan, question: Question, principal: Principal, documents: frozenset[str] | None = None
    ) -> Iterator[AnswerPart]:
        """Numbers and documents, then sentences about them. Failures are `DependencyError`s, never an empty listing.

        `documents`: the ids of those that count, None for all.
        """
        yield Progress("searching")
        schema = base_of(self.bases, principal, plan.knowledge_base).schema
        readable = readable_passages(principal, plan.knowledge_base, (*question.scope, *plan.filters), documents)
        of_rows = plan.of_rows or bool(_ROWS.search(question.message))
        read = self._read(plan, readable, schema, principal, of_rows)
        if read.total and not _has_fields(plan, read.rows.items, read.total, read.found):
            meant = with_present_field(plan, self._some(readable, principal), schema)
            if meant != plan:
                plan, read = meant, self._read(meant, readable, schema, principal, of_rows)
        if read.total == 0 and not plan.offset:
            yield Unanswered()
        if documents is not None and not plan.sort:
            order = preference(question.message, schema, readable.conditions, plan.today)
            read = replace(read, rows=read.rows.only(preferred(read.rows.items, lambda row: row, order)))
        is_of_rows = any(each.field == TABLE for each in readable.conditions)
        conditions = in_words(readable.conditions, schema)
        first = matching(read.total, conditions, "row" if is_of_rows else read.unit, plan.unknown)
        if plan.is_guess and not (plan.named or plan.offset or documents is not None):
            first = f"{DOUBT} {first}"
        yield from _parts(plan, readable, schema, read, first)

    def has_any(self, plan: Plan, question: Question, principal: Principal) -> bool:
        """Whether any document that the user may read meets the plan's conditions."""
        readable = readable_passages(principal, plan.knowledge_base, (*question.scope, *plan.filters))
        with phase("searching"):
            self.check_index(principal, plan.knowledge_base)
            return bool(self.catalogue.rows(readable, Sort(TITLE), 1).total or self.catalogue.records(readable))

    def about(
        self,
        plan: Plan,
        readable: PassageFilter,
        principal: Principal,
        found: Mapping[DocumentKey, RankedPassage],
        rows: Mapping[DocumentKey, int] = MappingProxyType({}),
    ) -> Iterator[AnswerPart]:
        """The same of documents that a search has found about the plan's subject, in their order; numbers are of all.

        `found`: the passage to show of each. `rows`: of those that are tables, how many of their rows were found.
        """
        schema = base_of(self.bases, principal, plan.knowledge_base).schema
        # What was found meets the conditions. Of a table its rows do, not the document.
        documents = frozenset(document.document_id for document in found)
        known = replace(readable, document_ids=documents, conditions=())
        with phase("searching"):
            self.check_index(principal, plan.knowledge_base)
            everything = self.catalogue.rows(known, _order(plan, schema), len(found)).rows if found else ()
        places = {document: place for place, document in enumerate(found)}
        ordered = everything if plan.sort else sorted(everything, key=lambda row: places[row.document])
        with phase("gate"):
            permitted = self.gate.permit(principal, ordered, lambda row: row.document)
        numbers = [rows.get(row.document, 0) for row in permitted]
        read = replace(_page_of(plan, permitted, permitted.items), rows_found=sum(numbers) if all(numbers) else 0)
        if read.total == 0 and not plan.offset:
            yield Unanswered()
        first = found_about(plan, read.total, read.rows_found, in_words(readable.conditions, schema))
        yield from _parts(plan, readable, schema, read, first, found)

    def _some(self, readable: PassageFilter, principal: Principal) -> Sequence[DocumentRow]:
        """Some of the documents, by which is seen what fields they have."""
        with phase("searching"):
            found = self.catalogue.rows(readable, Sort(TITLE), PAGE_SIZE).rows
        with phase("gate"):
            return self.gate.permit(principal, found, lambda row: row.document).items

    def _read(self, plan: Plan, readable: PassageFilter, schema: Schema, principal: Principal, of_rows: bool) -> _Read:
        """Documents; the rows of tables with `of_rows`, or where no document has what is asked for."""
        asked = _asked(plan)
        found = None
        with phase("searching"):
            self.check_index(principal, plan.knowledge_base)
            page = self.catalogue.rows(readable, _order(plan, schema), _page_size(plan) + _more(plan), plan.offset)
            if plan.aggregates or plan.group:
                found = self.catalogue.aggregate(readable, *asked)
            if of_rows or not _has_fields(plan, page.rows, page.total, found):
                records = self.catalogue.records(readable)
                if records and (of_rows or not page.total or _has_fields(plan, records, len(records))):
                    return self._read_records(plan, records, principal)
        with phase("gate"):
            rows = self.gate.permit(principal, page.rows, lambda row: row.document)
            if found and rows.withheld:
                # An access list has changed since the rows were read: no number may have a withheld document in it.
                everything = self.catalogue.rows(readable, _order(plan, schema), page.total).rows
                found = aggregated(tuple(self.gate.permit(principal, everything, lambda row: row.document)), *asked)
        total = found.documents if found and rows.withheld else page.total - rows.withheld
        return _Read(rows.only(_as_asked(plan, rows.items)), total, page.next_offset, found)

    def _read_records(self, plan: Plan, records: Sequence[DocumentRow], principal: Principal) -> _Read:
        """A page of the rows of tables; numbers are of all of them. Without an order they are in that of the tables."""
        with phase("gate"):
            permitted = self.gate.permit(principal, records, lambda row: row.document)
        ordered = sorted_rows(permitted.items, plan.sort) if plan.sort and not plan.sort.of else permitted.items
        return _page_of(plan, permitted, ordered, "row")


class _Read(Struct, frozen=True):
    """What was read: the page's rows, how many count in all, where the next page begins, and the numbers.

    `unit`: as in `Numbers`. `rows_found`: where all that a search has found are rows of tables, how many.
    """

    rows: Permitted[DocumentRow]
    total: int
    next_offset: int | None
    found: Aggregation | None
    unit: str = "document"
    rows_found: int = 0


def _page_of(plan: Plan, rows: Permitted[DocumentRow], ordered: Sequence[DocumentRow], unit: str = "document") -> _Read:
    """The plan's page of these rows, and its numbers of all of them."""
    end = plan.offset + _page_size(plan)
    shown = _as_asked(plan, ordered[plan.offset : end + _more(plan)])
    numbers = aggregated(rows.items, *_asked(plan)) if plan.aggregates or plan.group else None
    return _Read(rows.only(shown), len(rows), end if end < len(rows) else None, numbers, unit)


def _more(plan: Plan) -> int:
    """How many rows beyond the one that is asked for are looked at, because they may be equal to it."""
    return _MOST_EQUAL if plan.sort and not plan.sort.of and plan.limit == 1 and not plan.group else 0


def _as_asked(plan: Plan, rows: Sequence[DocumentRow]) -> Sequence[DocumentRow]:
    """The first rows, as many as are asked for; of several that share the highest or the lowest value all."""
    first, rest = rows[: _page_size(plan)], rows[_page_size(plan) :]
    if plan.sort is None or not first or not rest or not (lowest := values_of(first[-1], plan.sort.field)):
        return first
    field = plan.sort.field
    return [*first, *takewhile(lambda row: values_of(row, field)[:1] == lowest[:1], rest)]


def _has_fields(plan: Plan, rows: Sequence[DocumentRow], total: int, found: Aggregation | None = None) -> bool:
    """Whether there are any of the `total` rows, and one has a field whose values are asked for, if any are.

    `found`: the numbers of all of them, where `rows` are a page.
    """
    sort = plan.sort.field if plan.sort else EVERY
    named = (*(each.field for each in plan.aggregates), *plan.group, *plan.fields, sort)
    asked = {name for name in named if name not in (EVERY, TITLE)}
    if not asked or not rows:
        return total > 0
    pairs = zip(plan.aggregates, found.figures, strict=False) if found else ()
    if found and (found.group_count or any(each.field != EVERY and figure.documents for each, figure in pairs)):
        return True
    return any(values_of(row, name) for row in rows for name in asked)


def _parts(
    plan: Plan,
    readable: PassageFilter,
    schema: Schema,
    read: _Read,
    first: str,
    passages: Mapping[DocumentKey, RankedPassage] = MappingProxyType({}),
) -> Iterator[AnswerPart]:
    """The listing and what is said of it, which begins with the sentence `first`.

    `passages`: what is quoted of documents about a subject.
    """
    rows, found, total = read.rows, read.found, read.total
    numbers = worded(_aggregates(plan), plan.group, found, schema, read.unit) if found else None
    is_list = plan.asks_for_rows and not cannot_choose(plan, rows)
    shown = rows if is_list else rows.only(())
    said = [first, *(sentences(numbers) if numbers else ())]
    known = fields_of(plan, readable.conditions, shown, schema)
    if any(each.field == ROW for each in plan.filters) and not plan.fields:
        plan = replace(plan, fields=tuple(each for each in known if each != ROW)[:MAX_FIELDS])  # Of that row all.
    said += about_rows(plan, rows, schema) if plan.asks_for_rows else ()
    said += ["There are no more."] if plan.offset and not rows else []
    next_offset = read.next_offset if is_list and not (plan.sort and plan.limit) else None
    columns = dict(list(known.items())[:MAX_FIELDS])
    # Of one row it has been said what was asked for.
    is_told = len(shown) == 1 and (plan.fields or plan.limit == 1)
    said += [] if is_told else not_shown(list(known.values())[MAX_FIELDS:])
    quoted = (row.document for row in shown if row.document in passages)
    matches = {each: match_of(plan.search_value, passages[each]) for each in quoted}
    yield Listed(shown, total, columns, plan.offset, next_offset, numbers, matches)
    yield Text(" ".join(said))
    yield _finished(read, is_list=is_list)


def _finished(read: _Read, *, is_list: bool) -> Finished:
    steps = [*(["aggregate"] if read.found else []), *(["list"] if is_list else []), f"{read.unit}s:{read.total}"]
    withheld, of_rows = read.rows.withheld, read.unit == "row"
    return Finished(tuple(steps), None, matching=read.total, withheld=withheld, of_rows=of_rows)


def _order(plan: Plan, schema: Schema) -> Sort:
    return plan.sort if plan.sort and not plan.sort.of and plan.asks_for_rows else schema.sort or Sort(TITLE)


def _page_size(plan: Plan) -> int:
    return (None if plan.group else plan.limit) or PAGE_SIZE


def _asked(plan: Plan) -> tuple[tuple[Aggregate, ...], tuple[str, ...], Sort | None, int]:
    """The numbers, as the catalogue is asked for them."""
    return _aggregates(plan), plan.group, plan.sort, (plan.limit if plan.group else None) or MOST_GROUPS


def _aggregates(plan: Plan) -> tuple[Aggregate, ...]:
    """What is computed; of groups in an order, what orders them.

    A group alone asks which values there are: each is told with how many documents have it.
    """
    if plan.aggregates or not (plan.group and plan.sort and plan.sort.of):
        return plan.aggregates or (DOCUMENTS,)
    return (Aggregate(plan.sort.of, plan.sort.field),)


class SubjectListing(Struct, frozen=True):
    """What a search finds of a subject is never all that there is: the answer says that it was found."""

    search: KnowledgeSearch
    listings: ListingAnswerer

    def answer(
        self, plan: Plan, question: Question, principal: Principal, documents: frozenset[str] | None = None
    ) -> Iterator[AnswerPart]:
        """The documents, then sentences about them. Failures are `DependencyError`s, never an empty list.

        `documents`: the ids of those that count, None for all.
        """
        yield Progress("searching")
        readable = readable_passages(principal, plan.knowledge_base, (*question.scope, *plan.filters), documents)
        strategy = FILTERED if readable.conditions or documents is not None else DEFAULT
        with phase("searching"):
            found = self.search.search(plan.search_value, readable, strategy, plan.key_concepts)
        about = documents_about(plan.search_value, found.ranked)
        of_tables = [each for each in found.ranked if TABLE in each.passage.metadata]
        rows = Counter(each.passage.document for each in of_tables if documents_about(plan.search_value, (each,)))
        # All that was found is looked at, whatever is too weak to answer a question from.
        steps = (
            *(each for each in found.path if each != BELOW_THRESHOLD),
            f"subject:{len(about)}/{len(found.documents)}",
        )
        page = listed_page(plan, question.knowledge_base)
        for part in self.listings.about(plan, readable, principal, about, rows):
            if isinstance(part, Listed) and page:
                page = replace(page, documents=tuple(row.document.document_id for row in part.rows))
            yield replace(part, path=(*steps, *part.path), listing=page) if isinstance(part, Finished) else part
