"""A tiny set for the document router."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

CARDS: Sequence[Mapping[str, object]] = (
    {
        "doc_id": "travel",
        "source": "ignored",
        "title": "Travel policy",
        "overview": "How journeys are booked.",
        "topic_tags": ["flights", "hotels"],
        "question_hints": ["Which class may I fly?"],
        "sections": [{"section_id": "1", "heading": "Booking a flight", "sentences": [0, 3]}, {"heading": "Hotels"}],
        "related": [{"document_id": "expenses", "weight": 0.5}],
    },
    {"doc_id": "expenses", "title": "Expenses", "topic_tags": ["receipts"]},
    {"doc_id": "leave", "title": "Annual leave", "overview": "Thirty days a year."},
)
PASSAGES = (
    {"_id": "t1", "document_id": "travel", "text": "Travel policy\nFlights are booked in economy class."},
    {"_id": "t2", "document_id": "travel", "text": "Hotels cost at most ninety euros."},
    {"_id": "e1", "document_id": "expenses", "text": "Expenses are paid when receipts are there."},
    {"_id": "v1", "document_id": "visitors", "text": "Every visitor wears a badge."},
)
QUERIES = (
    {"_id": "q1", "text": "In which class are flights booked?"},
    {"_id": "q2", "text": "How many days of leave are there?"},
    {"_id": "q3", "text": "Does a visitor wear a badge?"},
    {"_id": "q4", "text": "Nobody judged this."},
)
QRELS = "query-id\tdoc-id\tscore\nq1\ttravel\t1\nq2\tleave\t1\nq3\tvisitors\t1\nq3\tunknown\t1\n"


def write_documents(folder: Path, passages: bool = True) -> Path:
    folder.mkdir()
    files = {"cards": CARDS, "queries": QUERIES, **({"passages": PASSAGES} if passages else {})}
    for name, rows in files.items():
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (folder / "qrels.tsv").write_text(QRELS)
    return folder
