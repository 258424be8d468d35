"""The fake backend's answers about a store of documents: a listing in pages, with numbers and a plan."""

from __future__ import annotations

from msgspec.structs import replace

from cicada.conversation.protocol import (
    Aggregate,
    AnyEventBody,
    Chunk,
    Complete,
    Figure,
    Group,
    ListedDocument,
    Listing,
    PlanSummary,
    StatusChanged,
    Usage,
)

LIST = "List the approved SOPs of QA"
TOTAL = 57
PAGE = 20
PLAN = PlanSummary(
    strategy="MetadataOnly",
    knowledge_base="store",
    query="approved SOPs of QA",
    by="rules",
    filters=("Type: sop", "Status: approved", "Department: QA"),
    documents=TOTAL,
    withheld=3,
    confidence=0.91,
    removable=(1, 2),
)
GROUPS = (
    Group(("Ann Lee",), 31, (Figure("31", 31), Figure("1,234.5", 1234.5))),
    Group(("Jo Park",), 25, (Figure("25", 25), Figure("12", 12))),
    Group((None,), 1, (Figure("1", 1), Figure(None))),
)
AGGREGATES = (
    Aggregate("count", "Documents", Figure("57", 57), TOTAL),
    Aggregate("sum", "Pages, sum", Figure("1,246.5", 1246.5), 56, "pages"),
)


def document(number: int) -> ListedDocument:
    return ListedDocument(
        document_id=f"sop-{number:03d}",
        title=f"SOP-{number:03d} Cleaning and release of vessel {number}",
        fields={
            "Status": "approved",
            "Owner": "Ann Lee" if number % 2 else "Jo Park",
            "Effective": f"2026-03-{number % 28 + 1:02d}",
        },
    )


def listed(message: str = LIST) -> list[AnyEventBody]:
    """The events behind `accepted`: the first page in two events with counts, the last one after `next page`."""
    offset = 2 * PAGE if message == "next page" else 0
    documents = tuple(document(number) for number in range(offset + 1, min(offset + PAGE, TOTAL) + 1))
    next_offset = None if offset else PAGE
    columns = ("Status", "Owner", "Effective")
    first = Listing(total=TOTAL, documents=documents[:12], offset=offset, next_offset=next_offset, columns=columns)
    if not offset:
        first = replace(first, aggregates=AGGREGATES, grouped_by=("Owner",), groups=GROUPS, group_count=2)
    return [
        StatusChanged(stage="searching"),
        first,
        Listing(total=TOTAL, documents=documents[12:], offset=offset, next_offset=next_offset),
        Chunk(content=f"{TOTAL} documents match (Type: sop; Status: approved; Department: QA)."),
        Complete(
            usage=Usage(),
            timings={"total": 180, "firstToken": 120},
            path=("script_query", "plan:rules", "list", f"documents:{TOTAL}"),
            confidence=None,
            plan=PLAN,
        ),
    ]


def asked_back() -> list[AnyEventBody]:
    """The events of an answer that asks which of two documents is meant."""
    plan = replace(PLAN, strategy="NeedsClarification", filters=(), documents=2, withheld=0)
    told = "\n".join(f"{each}. {document(each).title} ({document(each).fields['Owner']})" for each in (1, 2))
    return [
        StatusChanged(stage="searching"),
        Listing(total=2, documents=(document(1), document(2)), columns=("Status", "Owner", "Effective")),
        Chunk(content=f"2 documents match (Type: sop). Which one do you mean?\n\n{told}"),
        Complete(usage=Usage(), timings={"total": 90}, path=("script_query", "clarify"), confidence=None, plan=plan),
    ]
