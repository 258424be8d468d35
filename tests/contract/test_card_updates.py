"""Cards while documents come and go: held against the fake and both engines."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from cicada.documents.model import DocumentKey
from cicada.errors import UnavailableError
from cicada.retrieval.ports import CataloguedIndex
from tests.contract.card_index import asking, card, described, found, names, put
from tests.contract.passage_indexes import IndexUnderTest, OpenSearchUnderTest, eventually
from tests.contract.passages import PLAYS, embedded, vector
from tests.contract.test_opensearch_passage_index import Dying


@pytest.fixture
def index(under_test: IndexUnderTest) -> Iterator[CataloguedIndex]:
    yield under_test.open()  # type: ignore[misc]


def test_a_replaced_card_is_gone_and_a_deleted_document_has_none(index: CataloguedIndex) -> None:
    put(index, "letter", card("Old crown"), vector(1.0))
    put(index, "stays", card("Old storm"), vector(1.0))
    put(index, "letter", card("New throne"), vector(0.0, 1.0), version="v2")
    assert eventually(lambda: found(index, asking("crown")) == ([], []))
    assert found(index, asking("new old", vector(0.0, 1.0), document_ids=frozenset({"letter"}))) == (["letter"],) * 2
    put(index, "letter", None, version="v3")
    assert eventually(lambda: found(index, asking("throne new", vector(0.0, 1.0))) == ([], ["stays"]))
    index.delete(DocumentKey(PLAYS, "stays"))
    assert eventually(lambda: found(index, asking("old storm", vector(1.0))) == ([], []))


def test_a_search_during_replacements_sees_one_card_and_never_half_of_two(index: CataloguedIndex) -> None:
    done, seen = Event(), set[tuple[str, str, float]]()

    def search() -> None:
        while not done.is_set():
            hits = index.find_cards(asking("crown", vector(1.0)))
            [hit], [_] = hits.semantic, hits.lexical
            seen.add((hit.row.version, hit.row.card.title if hit.row.card else "", round(hit.score, 2)))

    put(index, "letter", card("crown 0"), vector(1.0, 0.0), version="v0")
    with ThreadPoolExecutor(1) as searcher:
        searching = searcher.submit(search)
        for number in range(1, 7):
            put(index, "letter", card(f"crown {number}"), vector(1.0, float(number)), version=f"v{number}")
        done.set()
        searching.result()
    assert seen
    assert seen <= {(f"v{n}", f"crown {n}", round(vector(1.0, float(n))[0], 2)) for n in range(7)}


def test_a_rebuilt_index_has_the_cards_that_were_copied_and_those_written_meanwhile(
    under_test: IndexUnderTest, index: CataloguedIndex
) -> None:
    put(index, "macbeth", card("Old crown"), vector(1.0))
    rebuild = under_test.rebuild()
    building = rebuild.begin()
    put(building, "macbeth", card("Copied crown"), vector(1.0))  # type: ignore[arg-type]
    put(index, "hamlet", card("Late throne"), vector(0.0, 1.0))
    assert names(index.find_cards(asking("copied")).lexical) == []
    rebuild.switch()
    for reader in (index, under_test.open()):
        hits = reader.find_cards(asking("copied late", vector(1.0)))  # type: ignore[attr-defined]
        assert sorted(names(hits.lexical)) == ["hamlet", "macbeth"]
        assert [hit.row.card and hit.row.card.title for hit in hits.semantic] == ["Copied crown", "Late throne"]
        assert names(reader.find_cards(asking("old")).lexical) == []  # type: ignore[attr-defined]


def test_an_ingest_that_died_leaves_the_old_card(opensearch_under_test: OpenSearchUnderTest) -> None:
    index = opensearch_under_test.open()
    put(index, "macbeth", card("Old crown"), vector(1.0))
    document = DocumentKey(PLAYS, "macbeth")
    passages = embedded(document, *["queen"] * 501, version="v2")
    with pytest.raises(UnavailableError):
        index.replace(document, Dying(passages), described(passages, card("New crown")), vector(0.0, 1.0))
    assert eventually(lambda: index.count(asking("").filter) == 502)
    assert found(index, asking("new")) == ([], [])
    hits = index.find_cards(asking("crown", vector(0.0, 1.0)))
    assert [hit.row.version for hit in (*hits.lexical, *hits.semantic)] == ["v1", "v1"]
    assert [hit.score for hit in hits.semantic] == pytest.approx([0.0], abs=1e-4)
    put(index, "macbeth", card("Third crown"), vector(1.0), version="v3")
    assert eventually(lambda: found(index, asking("old new")) == ([], []))
    assert found(index, asking("third", vector(1.0))) == (["macbeth"], ["macbeth"])
