"""`python -m bench.search_bench`: how long a hybrid search of the embedded index takes, in made-up passages."""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, PassageFilter, SectionLocator
from cicada.retrieval.model import EmbeddedPassage, IndexQuery
from cicada_embedded.passage_index import SqlitePassageIndex

BASE = KnowledgeBaseKey("bench", "passages")
DIMENSION, WORDS, OF_A_PASSAGE, OF_A_DOCUMENT, OF_A_QUESTION = 384, 30_000, 120, 50, 10
ASKER = PassageFilter(BASE, reader=frozenset({"user:bob"}))


class Corpus:
    """Words are as frequent as in a text (Zipf), vectors are random; every tenth document is for other viewers."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)  # noqa: S311 - made-up texts
        self._vectors = np.random.default_rng(seed)
        self._words = [f"w{number:x}" for number in range(WORDS)]
        self._shares = list(np.cumsum(1 / (np.arange(WORDS) + 10)))

    def text(self, words: int) -> str:
        return " ".join(self._random.choices(self._words, cum_weights=self._shares, k=words))

    def vector(self) -> list[float]:
        found: list[float] = self._vectors.normal(size=DIMENSION).tolist()
        return found

    def document(self, number: int, size: int) -> tuple[DocumentKey, list[EmbeddedPassage]]:
        key = DocumentKey(BASE, f"document {number}")
        readers = ("user:ann",) if number % 10 == 0 else ()
        return key, [
            EmbeddedPassage(self._passage(key, f"{number}#{place:06d}", readers), self.vector())
            for place in range(size)
        ]

    def _passage(self, key: DocumentKey, name: str, readers: tuple[str, ...]) -> Passage:
        title, text = f"Title {key.document_id}", self.text(OF_A_PASSAGE)
        metadata = {"kind": self._random.choice("abcd")}
        return Passage(name, key, "v1", title, text, title, SectionLocator(()), metadata=metadata, readers=readers)


def measure(index: SqlitePassageIndex, passages: int, searches: int) -> dict[str, float]:
    """Milliseconds: `p50` and `p95` of a search, the `first` search of a process and one `after` a write."""
    corpus = Corpus()
    for number in range(passages // OF_A_DOCUMENT):
        index.replace(*corpus.document(number, OF_A_DOCUMENT))
    first = _milliseconds(index, corpus)
    times = [_milliseconds(index, corpus) for _ in range(searches)]
    index.replace(*corpus.document(1, OF_A_DOCUMENT))
    after = _milliseconds(index, corpus)
    p50, p95 = np.percentile(times, [50, 95])
    return {"p50": float(p50), "p95": float(p95), "first": first, "after": after}


def _milliseconds(index: SqlitePassageIndex, corpus: Corpus) -> float:
    query = IndexQuery(ASKER, corpus.text(OF_A_QUESTION), corpus.vector())
    began = time.perf_counter()
    index.search(query)
    return 1000 * (time.perf_counter() - began)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.search_bench", description=__doc__)
    parser.add_argument("--passages", type=int, default=20_000)
    parser.add_argument("--searches", type=int, default=200)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="cicada-bench-") as folder:
        index = SqlitePassageIndex(Path(folder) / "index.sqlite", "bench", DIMENSION)
        found = measure(index, options.passages, options.searches)
    print(", ".join(f"{name} {value:.1f} ms" for name, value in found.items()))


if __name__ == "__main__":
    main()
