from __future__ import annotations

import pytest

from cicada.document_routing.names import all_named, best_named, is_identifier, nearest
from cicada.documents.catalogue import DocumentRow
from cicada.documents.model import DocumentKey, MetadataValue
from tests.fakes.passages import PLAYS


def row(document_id: str, title: str, **metadata: MetadataValue) -> DocumentRow:
    return DocumentRow(DocumentKey(PLAYS, document_id), title, "1", 1, 0.0, metadata=metadata)


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
        ("HR policy 002", "policy-hr-002.md"),
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
        "policy-time-002",
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


STORE = [
    row("archive/fees copy.md", "Fees", effective="2024-02-01"),
    row("archive/fees.md", "Fees of Last Year", effective="2023-02-01"),
    row("contract-2019-002.md", "Lease of the Kestrel Park Warehouse", effective="2019-06-01"),
    row("contract-2020-004.md", "Lease of Offices in Corn Street", effective="2020-04-01"),
    row("deviations-2.md", "Deviation against SOP-QA-003", number="DEV-7", supersedes="SOP-QA-002"),
    row("glass.md", "Quality of Glass Vials", contract_number="QA/2022/14"),
    row("policy-qa-005.md", "Data Integrity Policy", version="3.0"),
    row("policy-qa-006.md", "Data Integrity Policy", version="4.0"),
    row("sop-it-001.md", "Backup and Restore", type="SOP", effective="2025-01-13"),
    row("sop-qa-003.md", "Handling of Deviations", type="SOP", effective="2025-03-13"),
    row("sop-qa-006.md", "Change Control", type="SOP", effective="2025-03-13"),
]


def named(name: str) -> list[str]:
    return [each.document.document_id for each in all_named(name, STORE)]


@pytest.mark.parametrize(
    "name",
    [
        "SOP-QA-003",
        "sop-qa-003",
        "SOP QA 3",
        "SOP QA3",
        "sopqa003",
        "sop_qa_003.md",
        "SOP-QA-003.pdf",
        "the SOP-QA-003",
    ],
)
def test_a_number_is_known_in_any_writing(name: str) -> None:
    assert named(name) == ["sop-qa-003.md"]


@pytest.mark.parametrize(
    ("name", "documents"),
    [
        ("fees copy.md", ["archive/fees copy.md"]),
        ("the file Fees-Copy.md", ["archive/fees copy.md"]),
        ("fees.md", ["archive/fees.md"]),
        ("feees copy.md", ["archive/fees copy.md"]),
        ("the Change Control SOP", ["sop-qa-006.md"]),
        ("Chnage Contrl", ["sop-qa-006.md"]),
        ("the Kestral Park lease", ["contract-2019-002.md"]),
        ("the lease", ["contract-2019-002.md", "contract-2020-004.md"]),
        ("the 2020 lease", ["contract-2020-004.md"]),
        ("Data Integrity Policy", ["policy-qa-005.md", "policy-qa-006.md"]),
        ("version 4 of the Data Integrity Policy", ["policy-qa-006.md"]),
        ("SOP-QA-006 on changes", ["sop-qa-006.md"]),
        ("DEV 7", ["deviations-2.md"]),
        ("QA/2022/014", ["glass.md"]),
        ("archive/fees.md", ["archive/fees.md"]),
    ],
)
def test_a_name_is_a_file_a_title_or_a_telling_part_of_it(name: str, documents: list[str]) -> None:
    assert named(name) == documents


@pytest.mark.parametrize(
    "name",
    [
        "SOP-QA-004",
        "SOP-QA-002",
        "SOP-QA-2025",
        "SOP-IT-003",
        "SOP IT 3",
        "SOP-RA-003",
        "the Change Control SOP 2",
        "the 2023 lease",
        "version 9 of the Data Integrity Policy",
        "fees copy.pdf.md",
        "fee list.md",
        "DEV-8",
    ],
)
def test_a_number_or_a_file_of_no_document_is_never_taken_for_another(name: str) -> None:
    assert named(name) == []
    assert is_identifier(name)


def test_a_short_word_is_never_taken_for_a_misspelt_one() -> None:
    assert all_named("the feed", STORE) == ()
    assert not is_identifier("the feed")


def test_the_nearest_names_are_written_alike_or_share_words() -> None:
    def near(name: str) -> list[str]:
        return [each.document.document_id for each in nearest(name, STORE)]

    assert near("SOP-QA-007")[:2] == ["sop-qa-003.md", "sop-qa-006.md"]
    assert near("the 2023 lease") == ["contract-2019-002.md", "contract-2020-004.md"]
    assert near("Ophelia") == []
