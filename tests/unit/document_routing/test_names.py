from __future__ import annotations

import pytest

from cicada.document_routing.names import best_named
from cicada.documents.catalogue import DocumentRow
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, MetadataValue

BASE = KnowledgeBaseKey("default", "store")


def row(document_id: str, title: str, **metadata: MetadataValue) -> DocumentRow:
    return DocumentRow(DocumentKey(BASE, document_id), title, "1", 1, 0.0, metadata=metadata)


ROWS = [
    row("contract-2024-001.md", "Cleaning Services", type="contract"),
    row("contract-2024-003.md", "Supply of Solvents", type="contract"),
    row("hamlet.json", "Hamlet"),
    row("macbeth.json", "Macbeth"),
    row("policy-fin-001.md", "Business Travel", type="policy", department="Finance"),
    row("policy-hr-002.md", "Holidays and Leave", type="policy", tags=("hr", "time")),
    row("sop-qa-003.md", "Cleaning of Equipment", type="SOP"),
    row("travel-2023.md", "Travel Report", type="report"),
]


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("Macbeth", "macbeth.json"),
        ("the plot of hamlet", "hamlet.json"),
        ("the whole play Hamlet", "hamlet.json"),
        ("travel policy", "policy-fin-001.md"),
        ("the travel report", "travel-2023.md"),
        ("holiday and leave policy", "policy-hr-002.md"),
        ("contract 2024-001", "contract-2024-001.md"),
        ("SOP-QA-003", "sop-qa-003.md"),
        ("the cleaning SOP", "sop-qa-003.md"),
        ("finance travel policy", "policy-fin-001.md"),
    ],
)
def test_a_document_is_found_by_its_name(name: str, document: str) -> None:
    assert [each.document.document_id for each in best_named(name, ROWS)] == [document]


@pytest.mark.parametrize(
    "name",
    [
        "",
        "the murder",
        "the relationship between Hamlet and Ophelia",
        "policy",
        "the document",
        "SOP-QA-004",
        "hr time",
    ],
)
def test_other_words_name_no_document(name: str) -> None:
    assert best_named(name, ROWS) == ()


def test_a_name_of_two_documents_means_both() -> None:
    versions = [row("leave-4.md", "Leave"), row("leave-3.md", "Leave"), row("parental.md", "Parental Leave")]
    assert [each.document.document_id for each in best_named("leave", versions)] == ["leave-3.md", "leave-4.md"]
    assert [each.document.document_id for each in best_named("parental leave", versions)] == ["parental.md"]


def deviations(count: int) -> list[DocumentRow]:
    """Each has a longer title than the one before."""
    words = ["cleaning", *(f"word{number}" for number in range(count))]
    return [
        row(f"dv-{number:03}.md", f"Deviation: {' '.join(words[: number + 1])}", year="2024") for number in range(count)
    ]


@pytest.mark.parametrize("name", ["deviations", "deviations of 2024"])
def test_words_of_many_titles_are_a_topic_and_no_name(name: str) -> None:
    """The shortest of the titles would have the greatest part of itself in the name."""
    assert best_named(name, deviations(4)) == ()
    assert len(best_named(name, deviations(3))) == 1
    whole = row("all.md", "Deviations", year="2024")
    assert best_named(name, [*deviations(40), whole]) == (whole,)
