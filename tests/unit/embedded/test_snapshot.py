"""What a process keeps of a knowledge base in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, PassageFilter, SectionLocator
from cicada.retrieval.model import EmbeddedPassage, IndexQuery
from cicada_embedded import snapshots
from cicada_embedded.passage_index import SqlitePassageIndex
from cicada_embedded.texts import Row, texts

BASES = [KnowledgeBaseKey("tenant", name) for name in ("plays", "poems", "songs")]


def put(index: SqlitePassageIndex, base: KnowledgeBaseKey, name: str, *words: str) -> None:
    key = DocumentKey(base, name)
    passages = [Passage(f"{name}#{n}", key, "v", "", word, "", SectionLocator(())) for n, word in enumerate(words)]
    index.replace(key, [EmbeddedPassage(each, [1.0, 0.0]) for each in passages])


def found(index: SqlitePassageIndex, base: KnowledgeBaseKey, limit: int = 100) -> list[str]:
    hits = index.search(IndexQuery(PassageFilter(base), "crown", [1.0, 0.0], limit)).lexical
    return [hit.passage.passage_id for hit in hits]


def read_rows(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many passages are read from the file, at each reading."""
    counts: list[int] = []

    def counting(rows: list[Row], dimension: int, fields: int) -> Any:
        if fields == len(snapshots.PASSAGE_FIELDS):
            counts.append(len(rows))
        return texts(rows, dimension, fields)

    monkeypatch.setattr(snapshots, "texts", counting)
    return counts


def test_only_what_was_written_since_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = SqlitePassageIndex(tmp_path / "index.sqlite", "embedder", 2)
    put(index, BASES[0], "macbeth", "crown", "queen")
    put(index, BASES[0], "hamlet", "crown")
    counts = read_rows(monkeypatch)
    assert found(index, BASES[0]) == ["macbeth#0", "hamlet#0"]
    put(index, BASES[0], "macbeth", "crown")
    assert found(index, BASES[0]) == ["hamlet#0", "macbeth#0"]
    assert found(index, BASES[0]) == ["hamlet#0", "macbeth#0"]
    assert counts == [3, 1]


def test_the_base_that_was_searched_least_recently_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = SqlitePassageIndex(tmp_path / "index.sqlite", "embedder", 2)
    for base in BASES:
        put(index, base, "macbeth", "crown")
    monkeypatch.setattr(snapshots, "_MAX_KEPT", 2)
    counts = read_rows(monkeypatch)
    for place, read in ((0, 1), (1, 2), (0, 2), (2, 3), (0, 3), (1, 4)):
        assert found(index, BASES[place]) == ["macbeth#0"]
        assert len(counts) == read


@pytest.mark.parametrize("limit", [1, 3, 5, 9])
def test_passages_that_score_alike_are_found_as_they_were_written(tmp_path: Path, limit: int) -> None:
    index = SqlitePassageIndex(tmp_path / "index.sqlite", "embedder", 2)
    put(index, BASES[0], "macbeth", *["crown"] * 6)
    assert found(index, BASES[0], limit) == [f"macbeth#{number}" for number in range(6)][:limit]
