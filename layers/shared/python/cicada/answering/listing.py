"""Answer from the catalogue: the documents that match, counted and in order, without a search and without a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from cicada.answering.parts import AnswerPart, Finished, Listed, Progress, Text
from cicada.conversation.model import Question
from cicada.documents.catalogue import TITLE, DocumentRow, Sort
from cicada.documents.model import DocumentKey, Scalar
from cicada.identity import Principal
from cicada.knowledge_bases.settings import KnowledgeBases
from cicada.knowledge_bases.values import MAX_VALUE, described, shown_value
from cicada.observability.telemetry import phase
from cicada.permissions import PermissionGate, Permitted, readable_passages
from cicada.planning.plan import PAGE_SIZE, Plan
from cicada.retrieval.completeness import CheckIndex, unchecked
from cicada.retrieval.ports import DocumentCatalogue

_VALUES_IN_A_SENTENCE = 8


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
        """The listing, then a sentence that counts it. Failures are `DependencyError`s, never an empty listing.

        `documents`: the ids of those that count, None for all.
        """
        yield Progress("searching")
        schema = self.bases.of(plan.knowledge_base).schema
        readable = readable_passages(principal, plan.knowledge_base, (*question.scope, *plan.filters), documents)
        order = plan.sort or schema.sort or Sort(TITLE)
        with phase("searching"):
            self.check_index(principal, plan.knowledge_base)
            page = self.catalogue.rows(readable, order, plan.limit or PAGE_SIZE, plan.offset)
            counts = self.catalogue.count_by(readable, plan.count_by) if plan.count_by else None
        with phase("gate"):
            rows = self.gate.permit(principal, page.rows, _document)
        # An access list may have changed since the rows were read: what the gate withholds is not counted either.
        total, counts = page.total - rows.withheld, _counted(counts, plan.count_by or "", page.rows, rows)
        columns = {field.name: field.display or field.name for field in schema.fields.values() if field.shown}
        yield Listed(rows, total, columns, plan.offset, page.next_offset, plan.count_by or "", counts)
        conditions = "; ".join(described(condition, schema) for condition in readable.conditions)
        end = " There are no more." if plan.offset and not page.rows else ""
        yield Text(_sentence(total, conditions, columns.get(plan.count_by or "", plan.count_by or ""), counts) + end)
        yield Finished(("list", f"documents:{total}"), None, matching=total, withheld=rows.withheld)


def _sentence(total: int, conditions: str, counted_by: str, counts: Mapping[Scalar, int] | None) -> str:
    number = {0: "No document matches", 1: "1 document matches"}.get(total, f"{total:,} documents match")
    said = f"{number} ({conditions})." if conditions else f"{number}."
    if not counts:
        return said
    first = list(counts.items())[:_VALUES_IN_A_SENTENCE]
    values = ", ".join(f"{shown_value(value)[:MAX_VALUE]} {count:,}" for value, count in first)
    more = f" and {len(counts) - len(first):,} more values" if len(counts) > len(first) else ""
    return f"{said} By {counted_by}: {values}{more}."


def _counted(
    counts: Mapping[Scalar, int] | None, field: str, rows: Sequence[DocumentRow], permitted: Permitted[DocumentRow]
) -> Mapping[Scalar, int] | None:
    """The counts without those of the page's rows that are not permitted."""
    if not counts or not permitted.withheld:
        return counts
    shown = {row.document for row in permitted}
    values = [row.metadata.get(field, ()) for row in rows if row.document not in shown]
    cut = Counter(each for value in values for each in (value if isinstance(value, tuple) else (value,)))
    return {value: number - cut[value] for value, number in counts.items() if number > cut[value]}


def _document(row: DocumentRow) -> DocumentKey:
    return row.document
