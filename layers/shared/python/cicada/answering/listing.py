"""Answer from the catalogue: documents that match and numbers about them, without a search and without a model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from cicada.answering.figures import name_of, sentences, worded
from cicada.answering.matches import documents_about, match_of
from cicada.answering.parts import AnswerPart, Finished, Listed, Progress, Text, Unanswered
from cicada.answering.preference import preference, preferred
from cicada.answering.present_fields import with_present_field
from cicada.conversation.model import Question
from cicada.documents.aggregates import MOST_GROUPS, Aggregation, aggregated, values_of
from cicada.documents.catalogue import DOCUMENTS, EVERY, TITLE, Aggregate, DocumentRow, Sort, sorted_rows
from cicada.documents.model import TABLE, Condition, DocumentKey, PassageFilter
from cicada.identity import Principal
from cicada.knowledge_bases.schema import FieldType, Schema
from cicada.knowledge_bases.settings import KnowledgeBases
from cicada.knowledge_bases.values import MAX_FIELDS, MAX_NAME, MAX_VALUE, are_years, described, shown_value
from cicada.observability.telemetry import phase
from cicada.permissions import PermissionGate, Permitted, base_of, readable_passages
from cicada.retrieval.completeness import CheckIndex, unchecked
from cicada.retrieval.model import RankedPassage
from cicada.retrieval.ports import DocumentCatalogue
from cicada.retrieval.search import BELOW_THRESHOLD, KnowledgeSearch
from cicada.retrieval.strategies import DEFAULT, FILTERED
from cicada.text import one_line
from cicada.understanding.last_answer import listed_page
from cicada.understanding.plan import PAGE_SIZE, Plan

# Rows that are shown beside the one that was asked for.
_MOST_EQUAL = 9
# The first row of an ascending and of a descending order.
_ENDS = {"number": ("Lowest", "Highest"), "date": ("Earliest", "Latest"), "text": ("First", "Last")}

# What `SchemaField.tables` has for documents that are no rows.
_NO_TABLE = ""
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
            meant = with_present_field(plan, self._first(readable, principal), schema)
            if meant != plan:
                plan, read = meant, self._read(meant, readable, schema, principal, of_rows)
        if read.total == 0 and not plan.offset:
            yield Unanswered()
        if documents is not None and not plan.sort:
            order = preference(question.message, schema, readable.conditions, plan.today)
            read = replace(read, rows=read.rows.only(preferred(read.rows.items, lambda row: row, order)))
        is_of_rows = any(each.field == TABLE for each in readable.conditions)
        first = _matching(read.total, _in_words(readable, schema), "row" if is_of_rows else read.unit)
        if plan.unknown:
            first += f" {_left_out(plan.unknown)}"
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
        yield from _parts(plan, readable, schema, read, _found(plan, read, _in_words(readable, schema)), found)

    def _first(self, readable: PassageFilter, principal: Principal) -> Sequence[DocumentRow]:
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
        return _Read(rows.only(_first(plan, rows.items)), total, page.next_offset, found)

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
    shown = _first(plan, ordered[plan.offset : end + _more(plan)])
    numbers = aggregated(rows.items, *_asked(plan)) if plan.aggregates or plan.group else None
    return _Read(rows.only(shown), len(rows), end if end < len(rows) else None, numbers, unit)


def _more(plan: Plan) -> int:
    """How many rows beyond the one that is asked for are looked at, because they may be equal to it."""
    return _MOST_EQUAL if plan.sort and not plan.sort.of and plan.limit == 1 and not plan.group else 0


def _first(plan: Plan, rows: Sequence[DocumentRow]) -> Sequence[DocumentRow]:
    """As many of the rows as are asked for; of several that share the highest or the lowest value all."""
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
    is_list = plan.asks_for_rows and not _cannot_choose(plan, rows)
    shown = rows if is_list else rows.only(())
    said = [first, *(sentences(numbers) if numbers else ())]
    said += _about_rows(plan, rows, schema) if plan.asks_for_rows else ()
    said += ["There are no more."] if plan.offset and not rows else []
    next_offset = read.next_offset if is_list and not (plan.sort and plan.limit) else None
    known = _columns(plan, readable.conditions, shown, schema)
    columns = dict(list(known.items())[:MAX_FIELDS])
    # Of one row it has been said what was asked for.
    is_told = len(shown) == 1 and (plan.fields or plan.limit == 1)
    said += [] if is_told else _not_shown(list(known.values())[MAX_FIELDS:])
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


def _in_words(readable: PassageFilter, schema: Schema) -> str:
    return "; ".join(described(condition, schema) for condition in readable.conditions)


def _aggregates(plan: Plan) -> tuple[Aggregate, ...]:
    """What is computed; of groups in an order, what orders them.

    A group alone asks which values there are: each is told with how many documents have it.
    """
    if plan.aggregates or not (plan.group and plan.sort and plan.sort.of):
        return plan.aggregates or (DOCUMENTS,)
    return (Aggregate(plan.sort.of, plan.sort.field),)


def _matching(total: int, conditions: str, unit: str) -> str:
    number = {0: f"No {unit} matches", 1: f"1 {unit} matches"}.get(total, f"{total:,} {unit}s match")
    return f"{number} ({conditions})." if conditions else f"{number}."


def _left_out(names: Sequence[str]) -> str:
    """Says that the numbers and rows are of more than was asked for."""
    quoted = " and ".join(f"“{one_line(name)[:MAX_VALUE]}”" for name in names)
    return f"I left out {quoted}, which I could not use as a condition."


def _found(plan: Plan, read: _Read, conditions: str) -> str:
    """What was found about a subject; a number of it is no number of all that there is."""
    subject = f"about “{one_line(plan.search_value)[:MAX_VALUE]}”"
    if read.rows_found:
        said = f"{_counted(read.rows_found, 'row')} {subject} in {_counted(read.total, 'table')}"
    else:
        said = f"{_counted(read.total, 'document')} {subject}"
    order = ", best first" if read.total > 1 and not plan.sort else ""
    met = f" ({conditions})" if conditions else ""
    counts = DOCUMENTS in plan.aggregates
    return (
        f"I found {said}{met}{order}.{' This counts what the search found, which need not be all.' if counts else ''}"
    )


def _counted(number: int, unit: str) -> str:
    return {0: f"no {unit}", 1: f"1 {unit}"}.get(number, f"{number:,} {unit}s")


def _columns(
    plan: Plan, conditions: Sequence[Condition], rows: Permitted[DocumentRow], schema: Schema
) -> dict[str, str]:
    """The fields that were asked for, then those of the order and the filters and those that the schema shows.

    All but the fields that were asked for are left out where no document has them. Of rows every column is shown: they
    have no text but these, and their titles say the table. A list has the first `MAX_FIELDS` of them, because a frame
    has no room for a row with all that a base may have.
    """
    are_rows = any(TABLE in row.metadata for row in rows)
    named = [*plan.fields, *([plan.sort.field] if plan.sort else []), *(each.field for each in conditions)]
    shown = [field.name for field in schema.fields.values() if field.shown or are_rows]
    if are_rows:  # The columns of the table come before what the documents of the base have in common.
        shown.sort(key=lambda name: _NO_TABLE in schema.fields[name].tables)
    known = [
        name
        for name in dict.fromkeys([*named, *shown])
        if name not in (TITLE, EVERY, TABLE) and (name in plan.fields or any(name in row.metadata for row in rows))
    ]
    return {name: name_of(name, schema) for name in known}


def _not_shown(names: Sequence[str]) -> list[str]:
    """Says which columns the list leaves out; of many the first ones."""
    if not names:
        return []
    said = ", ".join(one_line(name)[:MAX_NAME] for name in names[:MAX_FIELDS])
    others = f" and {len(names) - MAX_FIELDS} others" if len(names) > MAX_FIELDS else ""
    is_one = len(names) == 1
    are = "1 more column is" if is_one else f"{len(names)} more columns are"
    return [f"{are} not shown: {said}{others}; name {'it' if is_one else 'one'} to see it."]


def _cannot_choose(plan: Plan, rows: Permitted[DocumentRow]) -> bool:
    """Whether the first documents of an order are asked for, and none has a value to sort by."""
    sort = plan.sort
    return bool(sort and plan.limit and not plan.group and rows and not any(values_of(row, sort.field) for row in rows))


def _about_rows(plan: Plan, rows: Permitted[DocumentRow], schema: Schema) -> Iterator[str]:
    """What was asked of documents and can be told of them in a sentence, or why it cannot."""
    if not rows:
        return
    first, sort = rows.items[0], plan.sort if plan.sort and not plan.sort.of else None
    if sort and not plan.offset and not values_of(first, sort.field):
        yield f"None of them has a value of {name_of(sort.field, schema)}, so they cannot be compared by it."
    elif sort and plan.limit == 1 and sort.field != TITLE:
        value = values_of(first, sort.field)[0]
        words = _ENDS["number" if not isinstance(value, str) else "date" if _is_date(sort.field, schema) else "text"]
        years = are_years(sort.field, [row.metadata.get(sort.field) for row in rows])
        said = shown_value(value, sort.field, years)[:MAX_VALUE]
        titles = "; ".join(map(_title, rows.items))
        yield f"{words[sort.descending]} {name_of(sort.field, schema)}: {said} ({titles})."
    if _cannot_choose(plan, rows):
        return
    fields = [field for field in plan.fields if field != TITLE and not (sort and sort.field == field)]
    if len(rows) == 1 and fields:
        said = ", ".join(_field(first, field, schema) for field in fields)
        yield f"{_title(first)}: {said}."
        return
    for field in fields:
        if not any(field in row.metadata for row in rows):
            yield f"None of them has a value of {name_of(field, schema)}."


def _field(row: DocumentRow, field: str, schema: Schema) -> str:
    name = name_of(field, schema)
    return f"{name} {shown_value(row.metadata[field], field)[:MAX_VALUE]}" if field in row.metadata else f"no {name}"


def _title(row: DocumentRow) -> str:
    return (row.title or row.document.document_id)[:MAX_VALUE]


def _is_date(field: str, schema: Schema) -> bool:
    return field in schema.fields and schema.fields[field].type is FieldType.DATE


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
