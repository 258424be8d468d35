"""The contract of `DocumentCatalogue`, held against the fake and both engines."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec.structs import replace

from cicada.documents.aggregates import Figure
from cicada.documents.catalogue import DOCUMENTS, EVERY, TITLE, Aggregate, DocumentRow, Sort
from cicada.documents.model import (
    ROW,
    AnyOf,
    Condition,
    DocumentKey,
    Exists,
    KnowledgeBaseKey,
    MetadataValue,
    PassageFilter,
    Range,
)
from cicada.permissions import every_document
from cicada.retrieval.model import EmbeddedPassage
from cicada.retrieval.ports import CataloguedIndex
from tests.contract.passage_indexes import IndexUnderTest, eventually
from tests.contract.passages import PLAYS, passage, vector

ROWS: dict[str, tuple[str, dict[str, MetadataValue], tuple[str, ...]]] = {
    "d0": ("Cleaning", {"status": "approved", "tags": ("gmp", "audit"), "value": 7.0, "since": "2025-01-31"}, ()),
    "d1": ("Archive", {"status": "approved", "tags": ("gmp",), "value": 70.0, "since": "2024-01-31"}, ()),
    "d2": ("Budget", {"status": "draft", "value": -1.0, "secret": True}, ("user:ross",)),
    "d3": ("Audits", {"status": "retired", "since": "2025-06-01", "secret": False}, ("group:thanes", "user:ross")),
    "d4": ("Drains", {}, ()),
}
ROSS = frozenset({"user:ross"})


@pytest.fixture
def index(deployed_under_test: IndexUnderTest) -> CataloguedIndex:
    return deployed_under_test.open()


def _put(index: CataloguedIndex, name: str, passages: int = 2) -> DocumentRow:
    title, metadata, readers = ROWS[name]
    document = DocumentKey(PLAYS, name)
    row = DocumentRow(document, title, "v1", passages, 1_700_000_000.5, f"hash of {name}", metadata, readers)
    kept = [passage(document, number, "queen", metadata=metadata, readers=readers) for number in range(passages)]
    index.replace(document, [EmbeddedPassage(each, vector(1.0)) for each in kept], row)
    return row


def _put_all(index: CataloguedIndex) -> dict[str, DocumentRow]:
    return {name: _put(index, name) for name in ROWS}


@pytest.fixture(scope="module")
def kept(shared_under_test: IndexUnderTest) -> CataloguedIndex:
    """All of the rows, for tests that change none."""
    index = shared_under_test.open()
    _put_all(index)
    return index


def _shown(*conditions: Condition, reader: frozenset[str] = ROSS) -> PassageFilter:
    return PassageFilter(PLAYS, conditions=conditions, reader=reader)


def _counted(
    index: CataloguedIndex, field: str, reader: frozenset[str] = ROSS
) -> list[tuple[str | float | bool | None, int]]:
    groups = index.aggregate(_shown(reader=reader), (), (field,)).groups
    return [(each.values[0], each.documents) for each in groups]


def _names(index: CataloguedIndex, sort: Sort, *conditions: Condition, reader: frozenset[str] = ROSS) -> list[str]:
    page = index.rows(_shown(*conditions, reader=reader), sort, limit=10)
    assert page.total == len(page.rows)
    return [row.document.document_id for row in page.rows]


def test_a_row_comes_back_as_it_went_in(index: CataloguedIndex) -> None:
    rows = _put_all(index)
    assert {name: index.row(DocumentKey(PLAYS, name)) for name in ROWS} == rows
    assert index.row(DocumentKey(PLAYS, "d9")) is None
    assert index.row(DocumentKey(KnowledgeBaseKey("nobody", "plays"), "d0")) is None
    assert list(index.rows(_shown(), Sort(TITLE), 10).rows) == [rows[name] for name in ("d1", "d3", "d2", "d0", "d4")]


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        (Sort(TITLE, descending=True), ["d4", "d0", "d2", "d3", "d1"]),
        (Sort("since"), ["d1", "d0", "d3", "d2", "d4"]),
        (Sort("since", descending=True), ["d3", "d0", "d1", "d2", "d4"]),
        (Sort("value"), ["d2", "d0", "d1", "d3", "d4"]),
        (Sort("status"), ["d0", "d1", "d2", "d3", "d4"]),
        (Sort("status", descending=True), ["d3", "d2", "d0", "d1", "d4"]),
        (Sort("tags"), ["d0", "d1", "d2", "d3", "d4"]),
        (Sort("no such field"), ["d0", "d1", "d2", "d3", "d4"]),
    ],
)
def test_rows_come_in_the_order_of_a_field_and_without_it_last(
    kept: CataloguedIndex, sort: Sort, expected: list[str]
) -> None:
    assert _names(kept, sort) == expected


def test_rows_are_those_that_match_and_that_the_viewer_may_see(kept: CataloguedIndex) -> None:
    by_title = Sort(TITLE)
    assert _names(kept, by_title, AnyOf("status", frozenset({"approved"}))) == ["d1", "d0"]
    assert _names(kept, by_title, Range("since", least="2025-01-01")) == ["d3", "d0"]
    assert _names(kept, by_title, Exists("secret")) == ["d3", "d2"]
    assert _names(kept, by_title, reader=frozenset()) == ["d1", "d0", "d4"]
    assert _names(kept, by_title, reader=frozenset({"group:thanes"})) == ["d1", "d3", "d0", "d4"]
    assert kept.rows(PassageFilter(PLAYS, frozenset({"d2", "d1"}), reader=ROSS), by_title, 10).total == 2
    everything = every_document(PLAYS, (Exists("status"),))
    assert [row.document.document_id for row in kept.rows(everything, by_title, 10).rows] == ["d1", "d3", "d2", "d0"]
    assert (kept.count(every_document(PLAYS)), kept.count_documents(everything)) == (10, 4)
    assert kept.count(PassageFilter(PLAYS)) == 6


def test_counts_are_those_of_the_documents_that_the_viewer_may_see(kept: CataloguedIndex) -> None:
    assert kept.count_documents(_shown()) == 5
    assert kept.count(_shown()) == 10
    assert kept.count_documents(_shown(reader=frozenset())) == 3
    assert kept.count_documents(_shown(AnyOf("tags", frozenset({"audit"})))) == 1
    assert _counted(kept, "status") == [("approved", 2), ("draft", 1), ("retired", 1), (None, 1)]
    assert _counted(kept, "status", reader=frozenset()) == [("approved", 2), (None, 1)]
    assert _counted(kept, "tags") == [("gmp", 2), ("audit", 1), (None, 3)]
    assert _counted(kept, "value") == [(-1.0, 1), (7.0, 1), (70.0, 1), (None, 2)]
    assert [(type(value), value) for value, _ in _counted(kept, "secret")][:2] == [(bool, False), (bool, True)]
    assert _counted(kept, "stat") == _counted(kept, "st.*") == [(None, 5)]
    elsewhere = PassageFilter(KnowledgeBaseKey("tenant-b", "plays"), reader=ROSS)
    assert (kept.count_documents(elsewhere), kept.aggregate(elsewhere, (), ("status",)).groups) == (0, ())
    assert kept.rows(elsewhere, Sort(TITLE), 10).rows == ()


def test_numbers_are_of_the_documents_that_match_and_each_says_how_many_have_a_value(kept: CataloguedIndex) -> None:
    asked = [DOCUMENTS, *(Aggregate(op, "value") for op in ("count", "sum", "avg", "min", "max"))]
    found = kept.aggregate(_shown(), asked)
    assert [(each.value, each.documents) for each in found.figures] == [
        (5, 5),
        (3, 3),
        (76.0, 3),
        (76 / 3, 3),
        (-1.0, 3),
        (70.0, 3),
    ]
    assert (found.documents, found.groups, found.group_count) == (5, (), 0)
    open_to_all = kept.aggregate(_shown(reader=frozenset()), asked)
    assert [each.value for each in open_to_all.figures] == [3, 2, 77.0, 38.5, 7.0, 70.0]
    of_days = kept.aggregate(_shown(), [Aggregate("min", "since"), Aggregate("max", "since")])
    assert of_days.figures == (Figure("2024-01-31", 3), Figure("2025-06-01", 3))


def test_what_no_document_has_a_value_for_has_no_number(kept: CataloguedIndex) -> None:
    asked = [
        Aggregate("sum", "status"),
        Aggregate("avg", "since"),
        Aggregate("max", "status"),
        Aggregate("sum", "secret"),
        Aggregate("count", "no such field"),
    ]
    assert kept.aggregate(_shown(), asked).figures == (*(Figure(None, 0),) * 4, Figure(0, 0))
    nothing = kept.aggregate(_shown(AnyOf("status", frozenset({"lost"}))), [*asked, DOCUMENTS], ("status",))
    assert (nothing.documents, nothing.groups) == (0, ())
    assert nothing.figures[-1] == Figure(0, 0)


def test_of_a_field_with_numbers_and_texts_only_the_numbers_count(index: CataloguedIndex) -> None:
    values: list[MetadataValue] = [12.0, "n/a", 0.1, "2026-01-01", True, 0.2]
    for number, value in enumerate(values):
        document = DocumentKey(PLAYS, f"m{number}")
        kept = passage(document, 0, "queen", metadata={"value": value})
        index.replace(document, [EmbeddedPassage(kept, vector(1.0))])
    asked = [Aggregate(op, "value") for op in ("sum", "min", "max", "count")]
    assert eventually(
        lambda: (
            index.aggregate(_shown(), asked).figures == (Figure(12.3, 3), Figure(0.1, 3), Figure(12.0, 3), Figure(6, 6))
        )
    )
    assert [each.values[0] for each in index.aggregate(_shown(), (), ("value",)).groups] == [
        True,
        0.1,
        0.2,
        12.0,
        "2026-01-01",
        "n/a",
    ]


@pytest.mark.parametrize(
    ("sort", "limit", "expected"),
    [
        (None, 9, ["approved", "draft", "retired", None]),
        (Sort(EVERY, descending=True, of="count"), 1, ["approved"]),
        (Sort(EVERY, descending=True, of="count"), 2, ["approved", "draft", "retired"]),
        (Sort(EVERY, of="count"), 9, ["draft", "retired", "approved", None]),
        (Sort("value", of="max"), 9, ["draft", "approved", "retired", None]),
        (Sort("value", descending=True, of="sum"), 2, ["approved", "draft"]),
        (Sort("status"), 9, ["approved", "draft", "retired", None]),
        (Sort("status", descending=True), 9, ["retired", "draft", "approved", None]),
        (Sort("title"), 9, ["approved", "draft", "retired", None]),
    ],
)
def test_groups_come_in_the_order_that_is_asked_for_and_those_without_a_value_last(
    kept: CataloguedIndex, sort: Sort | None, limit: int, expected: list[str | None]
) -> None:
    found = kept.aggregate(_shown(), (DOCUMENTS,), ("status",), sort, limit)
    assert [each.values for each in found.groups] == [(value,) for value in expected]
    assert (found.documents, found.group_count, found.missing) == (5, 3, 1)
    assert all(each.figures == (Figure(each.documents, each.documents),) for each in found.groups)


def test_more_values_than_the_server_counts_at_once_are_counted_all_the_same(
    kept: CataloguedIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cicada.adapters.opensearch.catalogue._MAX_VALUES", 2)
    assert _counted(kept, "status") == [("approved", 2), ("draft", 1), ("retired", 1), (None, 1)]


def test_days_are_counted_for_each_period(kept: CataloguedIndex) -> None:
    assert _counted(kept, "since@year") == [("2024", 1), ("2025", 2), (None, 2)]


def test_groups_of_two_fields_have_their_own_numbers(kept: CataloguedIndex) -> None:
    found = kept.aggregate(_shown(), [Aggregate("sum", "value")], ("status", "tags"))
    assert [(each.values, each.documents, each.figures[0].value) for each in found.groups] == [
        (("approved", "gmp"), 2, 77.0),
        (("approved", "audit"), 1, 7.0),
        (("draft", None), 1, -1.0),
        (("retired", None), 1, None),
        ((None, None), 1, None),
    ]
    assert (found.group_count, found.missing) == (2, 3)


def test_copies_are_the_other_documents_of_the_base_with_the_same_bytes(index: CataloguedIndex) -> None:
    rows = _put_all(index)
    elsewhere = DocumentKey(KnowledgeBaseKey("tenant-b", "plays"), "d0")
    for document in (DocumentKey(PLAYS, "z"), DocumentKey(PLAYS, "a"), elsewhere):
        row = replace(rows["d3"], document=document)
        index.replace(document, [EmbeddedPassage(passage(document, 0, "queen"), vector(1.0))], row)
    assert eventually(lambda: index.copies_of(DocumentKey(PLAYS, "a"), "hash of d3") == ("d3", "z"))
    assert index.copies_of(DocumentKey(PLAYS, "new"), "hash of d3") == ("a", "d3", "z")
    assert index.copies_of(elsewhere, "hash of d3") == index.copies_of(elsewhere, "") == ()
    assert index.copies_of(DocumentKey(PLAYS, "new"), "") == index.copies_of(DocumentKey(PLAYS, "new"), "d3") == ()


def test_viewers_are_given_to_whoever_asks_and_unknown_documents_are_left_out(kept: CataloguedIndex) -> None:
    assert kept.readers_of(PLAYS, ["d3", "d0", "d9", "d3\0"]) == {"d0": (), "d3": ("group:thanes", "user:ross")}
    assert kept.readers_of(KnowledgeBaseKey("tenant-b", "plays"), ["d0"]) == kept.readers_of(PLAYS, []) == {}


def test_pages_follow_each_other_without_gap_or_repeat(kept: CataloguedIndex) -> None:
    seen: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = kept.rows(_shown(), Sort("status"), limit=2, offset=offset)
        assert page.total == 5
        seen += [row.document.document_id for row in page.rows]
        offset = page.next_offset
    assert seen == ["d0", "d1", "d2", "d3", "d4"]
    assert kept.rows(_shown(), Sort("status"), limit=2, offset=9).rows == ()


def test_a_row_changes_and_goes_with_its_passages(index: CataloguedIndex) -> None:
    _put_all(index)
    document = DocumentKey(PLAYS, "d0")
    kept = passage(document, 0, "king", version="v2", metadata={"status": "retired"})
    index.replace(document, [EmbeddedPassage(kept, vector(1.0))])
    derived = DocumentRow(document, "d0", "v2", 1, 0.0, "", {"status": "retired"})
    assert eventually(lambda: index.row(document) == derived)
    assert eventually(lambda: _counted(index, "status")[:3] == [("retired", 2), ("approved", 1), ("draft", 1)])
    index.delete(document)
    assert eventually(lambda: index.row(document) is None and index.count_documents(_shown()) == 4)
    index.replace(DocumentKey(PLAYS, "d1"), [])
    assert eventually(lambda: index.count_documents(_shown()) == 3)


def test_while_a_document_is_replaced_it_always_has_one_row(index: CataloguedIndex) -> None:
    _put_all(index)
    seen = set[tuple[str, ...]]()
    with ThreadPoolExecutor(1) as writer:
        writing = writer.submit(lambda: [_put(index, "d0") for _ in range(6)])
        while not (seen and writing.done()):
            seen.add(tuple(_names(index, Sort(TITLE))))
        writing.result()
    assert seen == {("d1", "d3", "d2", "d0", "d4")}


def test_the_row_of_a_document_has_what_its_passages_have_in_common(index: CataloguedIndex) -> None:
    document = DocumentKey(PLAYS, "script")
    chapters = [passage(document, n, "queen", metadata={"chapter": str(n), "episode": "1"}) for n in range(3)]
    index.replace(document, [EmbeddedPassage(each, vector(1.0)) for each in chapters])
    assert eventually(lambda: index.row(document) is not None)
    row = index.row(document)
    assert row is not None
    assert (dict(row.metadata), row.passages) == ({"episode": "1"}, 3)


def test_a_rebuild_switches_the_rows_with_the_passages(under_test: IndexUnderTest) -> None:
    index = under_test.open()
    _put_all(index)
    rebuild = under_test.rebuild()
    building: CataloguedIndex = rebuild.begin()  # type: ignore[assignment]
    _put(building, "d3")
    assert index.count_documents(_shown()) == 5
    rebuild.switch()
    assert eventually(lambda: _names(index, Sort(TITLE)) == ["d3"])


def test_records_are_passages_with_a_row_of_their_own(index: CataloguedIndex) -> None:
    document, everybody = DocumentKey(PLAYS, "tickets.csv"), _shown(reader=frozenset())
    states = (None, "open", "shut", "open")
    kept = [
        passage(document, number, "queen", metadata={"status": state, ROW: number + 1.0} if state else {})
        for number, state in enumerate(states)
    ]
    index.replace(document, [EmbeddedPassage(each, vector(1.0)) for each in kept])
    hidden = DocumentKey(PLAYS, "hidden.csv")
    of_ross = passage(hidden, 0, "queen", metadata={"status": "open", ROW: 2.0}, readers=("user:ross",))
    index.replace(hidden, [EmbeddedPassage(of_ross, vector(1.0))])
    found = index.records(everybody)
    assert [(row.document, row.metadata) for row in found] == [
        (document, {"status": state}) for state in states if state
    ]
    assert [row.title[-5:] for row in found] == ["row 2", "row 3", "row 4"]
    assert len(index.records(_shown(AnyOf("status", frozenset({"open"})), reader=frozenset()))) == 2
    assert len(index.records(_shown(AnyOf("status", frozenset({"open"}))))) == 3
    index.delete(document)
    assert eventually(lambda: index.records(everybody) == ())
