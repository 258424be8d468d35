"""The peers: alternatives that people would use instead, on the same texts and vectors."""

from collections.abc import Mapping, Sequence

import bm25s  # type: ignore[import-untyped]
import numpy as np
import Stemmer  # type: ignore[import-not-found]
from numpy.typing import NDArray

from cicada.retrieval.ports import Embedder
from evals.retrieval.dataset import Dataset
from evals.retrieval.measures import Rankings
from evals.retrieval.pipeline import LIMIT, passage_text

RRF_K = 60
# The numbers of the best passages with their scores, best first.
Lane = list[tuple[int, float]]


def peer_rankings(dataset: Dataset, embedder: Embedder) -> dict[str, Rankings]:
    """bm25s with its defaults and a stemmer, MiniLM alone, and two fusions of their top 100."""
    words, meaning = bm25s_lanes(dataset), minilm_lanes(dataset, embedder)
    hits = {
        "bm25s": words,
        "minilm": meaning,
        "rrf": [reciprocal_ranks(*pair) for pair in zip(words, meaning, strict=True)],
        "minmax": [min_max(*pair) for pair in zip(words, meaning, strict=True)],
    }
    return {name: _rankings(dataset, each) for name, each in hits.items()}


def bm25s_lanes(dataset: Dataset) -> list[Lane]:
    stemmer = Stemmer.Stemmer("english")
    texts = [passage_text(row) for row in dataset.rows]
    index = bm25s.BM25()
    index.index(bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False), show_progress=False)
    asked = bm25s.tokenize(
        [query.text for query in dataset.queries], stopwords="en", stemmer=stemmer, show_progress=False
    )
    numbers, scores = index.retrieve(asked, k=min(LIMIT, len(texts)), show_progress=False)
    return [
        [(int(number), float(score)) for number, score in zip(*pair, strict=True) if score > 0]
        for pair in zip(numbers, scores, strict=True)
    ]


def minilm_lanes(dataset: Dataset, embedder: Embedder) -> list[Lane]:
    corpus = _matrix(embedder.embed_passages([passage_text(row) for row in dataset.rows]))
    asked = _matrix([embedder.embed_query(query.text) for query in dataset.queries])
    return [_nearest(corpus @ each) for each in asked]


def reciprocal_ranks(words: Lane, meaning: Lane) -> Lane:
    scores: dict[int, float] = {}
    for retriever in (words, meaning):
        for rank, (number, _) in enumerate(retriever, start=1):
            scores[number] = scores.get(number, 0.0) + 1 / (RRF_K + rank)
    return _falling(scores)


def min_max(words: Lane, meaning: Lane) -> Lane:
    """Half of each retriever's score after min-max normalisation; 0 where a retriever did not find the passage."""
    scores: dict[int, float] = {}
    for retriever in (words, meaning):
        for number, score in _between_0_and_1(retriever).items():
            scores[number] = scores.get(number, 0.0) + score / 2
    return _falling(scores)


def _between_0_and_1(retriever: Lane) -> Mapping[int, float]:
    values = [score for _, score in retriever]
    low, high = min(values, default=0.0), max(values, default=0.0)
    return {number: (score - low) / (high - low) if high > low else 1.0 for number, score in retriever}


def _falling(scores: Mapping[int, float]) -> Lane:
    return sorted(scores.items(), key=lambda each: (-each[1], each[0]))


def _nearest(cosines: NDArray[np.float32]) -> Lane:
    best = np.argsort(-cosines, kind="stable")[:LIMIT]
    return [(int(number), float(cosines[number])) for number in best]


def _matrix(vectors: Sequence[Sequence[float]]) -> NDArray[np.float32]:
    return np.array(vectors, dtype=np.float32)


def _rankings(dataset: Dataset, hits: Sequence[Lane]) -> Rankings:
    return {
        query.id: [dataset.rows[number].id for number, _ in retriever]
        for query, retriever in zip(dataset.queries, hits, strict=True)
    }
