"""Cards while documents come and go: held against the fake and both engines."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from cicada.documents.model import DocumentKey
from cicada.errors import UnavailableError
from cicada.retrieval.model import CardHit
from cicada.retrieval.ports import CataloguedIndex
from cicada_embedded.passage_index import SqlitePassageIndex
from tests.contract.card_index import asking, card, described, found, names, put
from tests.contract.passage_indexes import DIMENSION, MODEL, IndexUnderTest, OpenSearchUnderTest, eventually
from tests.contract.passages import MACBETH, PLAYS, WORDS, embedded, vector
from tests.contract.test_opensearch_passage_index import Dying

ROOT = Path(__file__).parents[2]


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


def test_many_replacements_leave_the_last_cards_alone(index: CataloguedIndex) -> None:
    for last in range(6):
        for number, word in enumerate(WORDS[:3]):
            put(index, word, card(word), vector(*[0.0] * ((last + number) % 5), 1.0), version=f"v{last}")
            assert found(index, asking(word, vector(1.0)))[0] == [word]
    asked = asking("crown dagger forest", vector(1.0))
    assert eventually(lambda: {hit.row.version for hit in index.find_cards(asked).semantic} == {"v5"})
    hits = index.find_cards(asked)
    assert sorted(names(hits.lexical)) == sorted(names(hits.semantic)) == list(WORDS[:3])
    assert (names(hits.semantic)[0], hits.semantic[0].score) == ("crown", pytest.approx(1.0, abs=1e-4))


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


def test_cards_that_are_written_at_the_same_time_are_all_found(index: CataloguedIndex) -> None:
    def write(name: str) -> None:
        for number in range(3):
            put(index, name, card(f"{name} throne {number}"), vector(1.0), version=f"v{number}")

    with ThreadPoolExecutor() as writers:
        list(writers.map(write, WORDS[:4]))
    expected = sorted((name, "v2", f"{name} throne 2") for name in WORDS[:4])

    def shown(hits: Sequence[CardHit]) -> list[tuple[str, str, str]]:
        rows = [hit.row for hit in hits]
        return sorted((row.document.document_id, row.version, row.card.title if row.card else "") for row in rows)

    def is_shown() -> bool:
        hits = index.find_cards(asking("throne", vector(1.0)))
        return shown(hits.lexical) == shown(hits.semantic) == expected

    assert eventually(is_shown)


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


def test_a_process_killed_while_replacing_leaves_the_old_card(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    index = SqlitePassageIndex(path, MODEL, DIMENSION)
    put(index, MACBETH.document_id, card("Old crown"), vector(1.0))
    command = [sys.executable, "-m", "tests.contract.interrupted_replace", str(path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "half\n"
        assert found(index, asking("new")) == ([], [])
        os.kill(writer.pid, signal.SIGKILL)
    assert found(index, asking("new")) == ([], [])
    assert found(index, asking("old", vector(1.0))) == ([MACBETH.document_id],) * 2
    index.close()
