"""A process's cache of an index file, and the passages that a filter selects."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from cicada.documents.filter import AnyOf, PassageFilter
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, SectionLocator
from cicada.retrieval.model import EmbeddedPassage, IndexHits, IndexQuery
from cicada_embedded import cache as kept
from cicada_embedded import lexical, semantic
from cicada_embedded.cache import KnowledgeBaseCache, Selected, best_rows, selected_numbers
from cicada_embedded.file import IndexFile
from cicada_embedded.filters import KnowledgeBaseState, find_knowledge_base, selection
from cicada_embedded.passage_index import SqlitePassageIndex, live_build

BASE = KnowledgeBaseKey("tenant", "plays")
ROSS, LENNOX = frozenset({"user:ross"}), frozenset({"user:lennox"})


@dataclass(frozen=True, slots=True)
class Sized:
    revision: int
    size: int


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    with sqlite3.connect(":memory:") as opened:
        yield opened
    opened.close()


def state(number: int) -> KnowledgeBaseState:
    return KnowledgeBaseState("file", number, 1, has_restricted=False)


def loaded(connection: sqlite3.Connection, sizes: dict[int, int], searched: list[int]) -> list[int]:
    """The knowledge bases that had to be read, in order, when these are searched one after the other."""
    read: list[int] = []

    def refreshed(_: sqlite3.Connection, base: KnowledgeBaseState, __: Sized) -> Sized:
        read.append(base.number)
        return Sized(base.revision, sizes[base.number])

    collections = KnowledgeBaseCache(Sized(-1, 0), refreshed)
    for number in searched:
        collections.of(connection, state(number))
    return read


def test_a_transaction_that_began_earlier_does_not_make_the_next_one_read_all_again(
    connection: sqlite3.Connection,
) -> None:
    read: list[tuple[int, int]] = []

    def refreshed(_: sqlite3.Connection, base: KnowledgeBaseState, before: Sized) -> Sized:
        read.append((before.revision, base.revision))
        return Sized(base.revision, 5)

    collections = KnowledgeBaseCache(Sized(-1, 0), refreshed)
    for revision in (1, 2, 1, 2, 3):
        asked = KnowledgeBaseState("file", 1, revision, has_restricted=False)
        assert collections.of(connection, asked).revision == revision
    assert read == [(-1, 1), (1, 2), (-1, 1), (2, 3)]


def test_many_small_collections_are_kept(connection: sqlite3.Connection) -> None:
    numbers = list(range(100))
    assert loaded(connection, dict.fromkeys(numbers, 20), numbers * 2) == numbers


def test_of_large_collections_the_one_least_lately_searched_makes_way(connection: sqlite3.Connection) -> None:
    sizes = dict.fromkeys((1, 2, 3), kept.MAX_CACHED // 2)
    assert loaded(connection, sizes, [1, 2, 1, 3, 1, 2]) == [1, 2, 3, 2]


def test_a_collection_larger_than_all_that_is_kept_is_read_once(connection: sqlite3.Connection) -> None:
    assert loaded(connection, {1: kept.MAX_CACHED * 2, 2: 1}, [2, 1, 1, 1]) == [2, 1]


def test_there_is_an_end_to_the_number_of_empty_collections(connection: sqlite3.Connection) -> None:
    numbers = list(range(kept.MAX_CACHED // 100 + 1))
    assert loaded(connection, dict.fromkeys(numbers, 0), [*numbers, 0])[-1] == 0


def passage(number: int, *, readers: tuple[str, ...] = (), language: str = "en") -> EmbeddedPassage:
    key = DocumentKey(BASE, f"d{number // 3}")
    text = " ".join(random.Random(number).choices(("crown", "dagger", "forest", "ghost"), k=number % 5 + 1))
    made = Passage(
        f"{key.document_id}#{number}", key, "v1", "Macbeth", text, "", SectionLocator(()), language, readers=readers
    )
    return EmbeddedPassage(made, [1.0, number / 7])


def written(index: SqlitePassageIndex, passages: list[EmbeddedPassage]) -> None:
    for document in dict.fromkeys(each.passage.document for each in passages):
        index.replace(document, [each for each in passages if each.passage.document == document])


def listed(path: Path, filter: PassageFilter) -> Selected:
    file = IndexFile(path, "embedder", 2)
    with file.reading() as connection:
        base = find_knowledge_base(connection, live_build(connection), BASE)
        assert base is not None
        selected = selected_numbers(connection, selection(base, filter))
    file.close()
    return selected


def test_one_restricted_passage_does_not_make_a_search_list_all_others(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    index = SqlitePassageIndex(path, "embedder", 2)
    written(index, [passage(0, readers=("user:ross",)), *(passage(number) for number in range(1, 30))])
    index.close()
    assert [len(listed(path, PassageFilter(BASE, reader=reader)).numbers) for reader in (ROSS, LENNOX)] == [0, 1]
    chosen = listed(path, PassageFilter(BASE, frozenset({"d0"}), reader=LENNOX))
    assert (len(chosen.numbers), chosen.is_excluding) == (2, False)


def test_what_is_left_out_and_what_is_chosen_are_told_apart() -> None:
    numbers = np.array([1, 4, 6, 9])
    some = np.array([4, 9])
    assert Selected(some, is_excluding=False).among(numbers).tolist() == [False, True, False, True]
    assert Selected(some, is_excluding=True).among(numbers).tolist() == [True, False, True, False]


@pytest.mark.parametrize("limit", range(1, 9))
def test_of_equal_scores_the_lower_number_comes_first_and_is_the_last_to_be_left_out(limit: int) -> None:
    numbers = np.array([8, 3, 7, 1, 5, 2, 6])
    scores = np.array([0.5, 0.5, 0.9, 0.5, 0.1, 0.9, 0.5], np.float32)
    assert numbers[best_rows(numbers, scores, limit)].tolist() == [2, 7, 1, 3, 6, 8, 5][:limit]


def test_passages_that_score_alike_are_found_in_the_order_in_which_they_were_written(tmp_path: Path) -> None:
    """In whichever languages they are, which have lists of their own."""
    index = SqlitePassageIndex(tmp_path / "index.sqlite", "embedder", 2)
    key = DocumentKey(BASE, "d")
    alike = [
        EmbeddedPassage(
            Passage(f"d#{number}", key, "v1", "", "crown", "", SectionLocator(()), ("en", "de")[number % 2]), [1.0, 0.0]
        )
        for number in range(10)
    ]
    index.replace(key, alike)
    hits = index.search(IndexQuery(PassageFilter(BASE), "crown", [1.0, 1.0], 7))
    for retriever in (hits.lexical, hits.semantic):
        assert [hit.passage for hit in retriever] == [each.passage for each in alike[:7]]
    index.close()


SELECTIONS = {
    "readers": PassageFilter(BASE, reader=ROSS),
    "documents": PassageFilter(BASE, frozenset({"d0"}), reader=ROSS),
    "metadata": PassageFilter(BASE, None, (AnyOf("act", frozenset("1")),), ROSS),
}


@pytest.mark.parametrize("filter", SELECTIONS.values(), ids=SELECTIONS)
def test_a_search_reads_rows_of_its_own_collection_only(tmp_path: Path, filter: PassageFilter) -> None:
    """Rows of other tenants and bases are neither shown nor gone through, in any table that a filter looks into."""
    index = SqlitePassageIndex(tmp_path / "index.sqlite", "embedder", 2)
    written(index, [passage(0, readers=("user:ross",)), passage(1)])
    index.close()
    tables: set[str] = set()
    for step in query_plan(tmp_path / "index.sqlite", filter):
        if step.startswith(("SCAN", "SEARCH")) and "json_each" not in step:
            assert "(collection=?" in step
            tables.add(step.split()[1])
    assert {"passage", "reader"} <= tables <= {"passage", "reader", "attribute"}


def query_plan(path: Path, filter: PassageFilter) -> list[str]:
    """How SQLite goes about the lists of what a filter shows and hides. https://sqlite.org/eqp.html"""
    file = IndexFile(path, "embedder", 2)
    with file.reading() as connection:
        base = find_knowledge_base(connection, live_build(connection), BASE)
        assert base is not None
        chosen = selection(base, filter)
        listings = [each for each in (chosen.shown, chosen.hidden) if each]
        plans = [connection.execute(f"EXPLAIN QUERY PLAN {each.sql}", each.values) for each in listings]
        steps = [str(row[3]) for plan in plans for row in plan]
    file.close()
    return steps


def test_what_is_read_in_many_portions_is_found_as_in_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "index.sqlite"
    passages = [
        passage(number, language=("en", "de")[number % 2], readers=("user:ross",) * (number % 7 == 0))
        for number in range(60)
    ]

    def answers(index: SqlitePassageIndex) -> list[IndexHits]:
        filters = [PassageFilter(BASE, reader=ROSS), PassageFilter(BASE), PassageFilter(BASE, frozenset({"d1", "d5"}))]
        # Scores are equal by construction. BM25 is worked out passage by passage, and a product with an axis is the
        # vector's own value, in whatever order a kernel adds. Along this axis no two passages are equally near.
        return [index.search(IndexQuery(each, "crown ghost", [0.0, 1.0], 100)) for each in filters]

    index = SqlitePassageIndex(path, "embedder", 2)
    written(index, passages)
    expected = answers(index)
    assert [len(hits.semantic) for hits in expected] == [60, 51, 6]
    monkeypatch.setattr(lexical, "BATCH_SIZE", 7)
    monkeypatch.setattr(semantic, "BATCH_SIZE", 7)
    fresh = SqlitePassageIndex(path, "embedder", 2)
    assert answers(fresh) == expected
    written(fresh, [passage(number) for number in range(30)])
    again = SqlitePassageIndex(path, "embedder", 2)
    assert answers(fresh) == answers(again)
    for opened in (index, fresh, again):
        opened.close()
