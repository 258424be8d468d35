"""The events of an answer that lists documents, as a server sends them."""

from __future__ import annotations

from tests.clients.disturbing_server import COMPLETE, Body

DOCUMENTS: list[Body] = [
    {
        "documentId": "doc-1",
        "title": "Cleaning of vats",
        "fields": {"Status": "approved", "Expires": "2026-02-01"},
        "relevance": None,
    },
    {"documentId": "doc-2", "title": "", "fields": {"Expires": "2026-05-01"}, "relevance": None},
    {"documentId": "doc-3", "title": "試験の手順", "fields": {"Status": "draft"}, "relevance": None},
]
COLUMNS = ["Status", "Expires"]
AGGREGATES: list[Body] = [
    {
        "op": "sum",
        "name": "Value, sum",
        "figure": {"value": "1,234", "number": 1234},
        "documents": 50,
        "field": "value",
    }
]
GROUPS: list[Body] = [
    {"values": ["approved"], "documents": 50, "figures": [{"value": "1,234", "number": 1234}]},
    {"values": [None], "documents": 7, "figures": [{"value": None, "number": None}]},
]
ABOUT: list[Body] = [
    each | {"relevance": 0.4, "excerpt": "Rinse the vat twice.", "reason": "“rinse” in “2 Method”"}
    for each in DOCUMENTS[:1]
]
PLAN: Body = {
    "strategy": "MetadataOnly",
    "knowledgeBase": "store",
    "query": "list them",
    "by": "rules",
    "filters": ["Status: approved", "Expires: from 2026-01-01"],
    "documents": 57,
    "withheld": 2,
    "confidence": 0.91,
}


def listed_by_subject() -> list[Body]:
    """A document about a subject, with what matched."""
    return [
        {"type": "accepted", "sessionId": "session-1"},
        {"type": "listing", "total": 1, "offset": 0, "nextOffset": None, "documents": ABOUT, "columns": COLUMNS},
        {"type": "chunk", "content": "I found 1 document about “rinsing”."},
        COMPLETE | {"path": ["list"], "confidence": None},
    ]


def listed(next_offset: int | None = 23) -> list[Body]:
    """The second page of a listing, in two events, then a sentence."""
    page: Body = {"type": "listing", "total": 57, "offset": 20, "nextOffset": next_offset}
    return [
        {"type": "accepted", "sessionId": "session-1"},
        {"type": "status", "stage": "searching"},
        page
        | {
            "documents": DOCUMENTS[:2],
            "columns": COLUMNS,
            "aggregates": AGGREGATES,
            "groupedBy": ["Status"],
            "groups": GROUPS,
            "groupCount": 3,
        },
        page | {"documents": DOCUMENTS[2:]},
        {"type": "chunk", "content": "57 documents match."},
        COMPLETE | {"path": ["list"], "confidence": None, "plan": PLAN},
    ]
