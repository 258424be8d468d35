"""What a process keeps of a knowledge base in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cicada.documents.model import DocumentKey, KnowledgeBaseKey, PassageFilter
from cicada.retrieval.model import EmbeddedPassage, IndexQuery
from cicada_embedded import snapshot
from cicada_embedded.passage_index import SqlitePassageIndex
from cicada_embedded.texts import texts
from tests.fakes.passages import passage

BASES = [KnowledgeBaseKey("tenant", name) for name in ("plays", "poems", "songs")]


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SqlitePassageIndex]:
    with closing(SqlitePassageIndex(tmp_path / "index.sqlite", "embedder", 2)) as index:
        yield index


def put(index: SqlitePassageIndex, base: KnowledgeBaseKey, name: str, *words: str) -> None:
    key = DocumentKey(base, name)
    index.replace(key, [EmbeddedPassage(passage(key, n, word), [1.0, 0.0]) for n, word in enumerate(words)])


def found(index: SqlitePassageIndex, base: KnowledgeBaseKey = BASES[0], limit: int = 100) -> list[str]:
    hits = index.search(IndexQuery(PassageFilter(base), "crown", [1.0, 0.0], limit)).lexical
    return [hit.passage.passage_id for hit in hits]


def test_what_was_written_since_is_found(index: SqlitePassageIndex) -> None:
    put(index, BASES[0], "macbeth", "crown", "queen")
    put(index, BASES[0], "hamlet", "crown")
    assert found(index) == ["macbeth#000000", "hamlet#000000"]
    put(index, BASES[0], "macbeth", "crown")
    assert found(index) == found(index) == ["hamlet#000000", "macbeth#000000"]


def test_the_base_that_was_searched_least_recently_is_given_up(
    index: SqlitePassageIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "_MAX_KEPT", 2)
    reads: list[int] = []
    monkeypatch.setattr(snapshot, "texts", lambda *rows: reads.append(rows[2]) or texts(*rows))  # type: ignore[func-returns-value]
    for base in BASES:
        put(index, base, "macbeth", "crown")
    for place, read in ((0, 1), (1, 2), (0, 2), (2, 3), (0, 3), (1, 4)):
        assert found(index, BASES[place]) == ["macbeth#000000"]
        assert reads.count(len(snapshot.PASSAGE_FIELDS)) == read


@pytest.mark.parametrize("limit", [1, 3, 5, 9])
def test_passages_that_score_alike_are_found_as_they_were_written(index: SqlitePassageIndex, limit: int) -> None:
    put(index, BASES[0], "macbeth", *["crown"] * 6)
    assert found(index, limit=limit) == [f"macbeth#{number:06d}" for number in range(6)][:limit]
