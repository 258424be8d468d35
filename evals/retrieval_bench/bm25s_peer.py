"""bm25s: BM25 in memory, without vectors, tenants or later writes."""

from __future__ import annotations

from typing import Any

import bm25s  # type: ignore[import-untyped]
import numpy as np
import Stemmer  # type: ignore[import-not-found]  # It has no types.

from evals.retrieval_bench.corpus import CHUNKS_OF_A_DOCUMENT, Corpus, Question
from evals.retrieval_bench.engine import LIMIT


class Bm25s:
    """The index is held in the class: there is no file to open again."""

    hits = ("bm25",)
    _index = bm25s.BM25()
    _chunks = 0

    def __init__(self) -> None:
        self._stemmer = Stemmer.Stemmer("english")

    def ingest(self, corpus: Corpus) -> None:
        type(self)._chunks = len(corpus.texts)
        self._index.index(self._tokens(corpus.texts), show_progress=False)

    def search(self, retriever: str, question: Question, documents: list[int] | None) -> int:
        if retriever not in self.hits:
            raise ValueError(f"bm25s has no {retriever} search.")
        mask = None
        if documents is not None:
            chosen = np.zeros((self._chunks // CHUNKS_OF_A_DOCUMENT, CHUNKS_OF_A_DOCUMENT), np.float32)
            chosen[documents] = 1
            mask = chosen.ravel()
        found = self._index.retrieve(self._tokens([question.text]), k=LIMIT, show_progress=False, weight_mask=mask)
        return int((found.scores > 0).sum())

    def _tokens(self, texts: list[str]) -> Any:
        return bm25s.tokenize(texts, stopwords="en", stemmer=self._stemmer, show_progress=False)
