"""The measurements of an engine. Needs nothing but numpy, so that a peer's own environment can run it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from evals.retrieval_bench.corpus import Corpus, Question, made

LIMIT = 100


class Engine(Protocol):
    """`documents`: numbers of the documents that may be found, None for all of the tenant's."""

    @property
    def hits(self) -> tuple[str, ...]: ...

    def ingest(self, corpus: Corpus) -> None: ...

    def search(self, retriever: str, question: Question, documents: list[int] | None) -> int:
        """The number of chunks found, at most 100."""
        ...


@dataclass(frozen=True, slots=True)
class Latency:
    """In milliseconds."""

    retriever: str
    filter: str
    p50: float
    p95: float


@dataclass(frozen=True, slots=True)
class Measured:
    """`first_ms`: the first search after the ingest. `memory_mb`: the process's memory at the end without the corpus; a
    server's memory is not included.
    """

    engine: str
    chunks: int
    ingest_per_second: float
    first_ms: float
    memory_mb: float
    latencies: list[Latency]


def measured(name: str, make: Callable[[], Engine], chunks: int) -> Measured:
    """`make` opens the engine on what was ingested before, if anything."""
    corpus = made(chunks)
    before = _memory_mb()
    began = time.perf_counter()
    make().ingest(corpus)
    rate = len(corpus.texts) / (time.perf_counter() - began)
    engine = make()
    first = _milliseconds(lambda: engine.search(engine.hits[-1], corpus.questions[0], None))
    latencies = [
        _latency(engine, retriever, scope, corpus, documents)
        for scope, documents in (("tenant", None), ("500 documents", corpus.narrow()))
        for retriever in engine.hits
    ]
    return Measured(name, chunks, rate, first, _memory_mb() - before, latencies)


def _latency(engine: Engine, retriever: str, scope: str, corpus: Corpus, documents: list[int] | None) -> Latency:
    def search(question: Question) -> None:
        if not engine.search(retriever, question, documents):
            raise ValueError(f"A {retriever} search found nothing.")

    for question in corpus.questions[:5]:
        search(question)
    times = [_milliseconds(lambda: search(question)) for question in corpus.questions]  # noqa: B023
    return Latency(retriever, scope, float(np.percentile(times, 50)), float(np.percentile(times, 95)))


def _milliseconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def _memory_mb() -> float:
    """Resident memory of the process now; 0 on systems other than Linux."""
    status = Path("/proc/self/status")
    lines = status.read_text("ascii").splitlines() if status.exists() else []
    return sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS:")) / 1000
