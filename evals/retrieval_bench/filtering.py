"""`python -m evals.retrieval_bench.filtering`: whether to filter first or to rank first, by how many documents match.

Figures of this machine at this moment: nothing is asserted, and the load is printed beside them. Both ways answer the
same questions in turn, so that load from elsewhere slows both.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory
from uuid import uuid4

import numpy as np
from msgspec.structs import replace

from cicada.adapters.opensearch.client import connect
from cicada.adapters.opensearch.options import IndexOptions
from cicada.adapters.opensearch.passage_index import OpenSearchPassageIndex
from cicada.documents.filter import AnyOf, PassageFilter
from cicada.knowledge_bases.settings import KnowledgeBase
from cicada.retrieval.model import Retrieval, Vector
from cicada.retrieval.ports import CataloguedIndex
from cicada.retrieval.strategies.filtered import FilteredSearch
from cicada.retrieval.strategies.hybrid import HybridSearch
from cicada_embedded.passage_index import SqlitePassageIndex
from evals.retrieval_bench.corpus import DIMENSION, Corpus, Question, made
from evals.retrieval_bench.ours import BASE, MODEL, add_in_bulk, passages
from evals.retrieval_bench.server import say, server
from local.stage.settings import StageError

PASSAGES_OF_A_DOCUMENT = 4
FIELD = "group"
TOP = 10
ENGINES = ("embedded", "OpenSearch")


@dataclass(frozen=True, slots=True)
class Answered:
    """One question, both ways: milliseconds, how many of filter-first's best ten rank-first has, whether it gave up."""

    filter_first: float
    rank_first: float
    shared: float
    is_given_up: bool


@dataclass(frozen=True, slots=True)
class Compared:
    """Both ways where `matching` documents match: medians in milliseconds; for `shared` and `given_up` the mean.

    `shared`: the share of filter-first's best ten that rank-first returns. `given_up`: the share of questions for which
    rank-first found too few and the engine filtered after all.
    """

    engine: str
    matching: int
    filter_first: float
    rank_first: float
    shared: float
    given_up: float


class QuestionEmbedder:
    """The vectors of the corpus's questions."""

    model_id = MODEL
    dimension = DIMENSION

    def __init__(self, questions: Sequence[Question]) -> None:
        self._vectors: dict[str, Vector] = {each.text: each.vector.tolist() for each in questions}

    def embed_query(self, text: str) -> Vector:
        return self._vectors[text]

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return [self.embed_query(text) for text in texts]


def main(arguments: list[str]) -> int:
    options = _options(arguments)
    load = os.getloadavg()[0]
    corpus = made(options.documents * PASSAGES_OF_A_DOCUMENT)
    sizes = sorted({size for size in options.matching if size <= options.documents})
    groups = groups_of(options.documents, sizes)
    compared: list[Compared] = []
    try:
        with TemporaryDirectory(prefix="cicada-bench-") as folder:
            for engine in [each for each in ENGINES if each not in options.without]:
                say(f"{engine}, {options.documents} documents …")
                with _index(engine, Path(folder), options.opensearch, corpus, groups) as index:
                    search = _search(index, corpus)
                    questions = [each.text for each in corpus.questions[: options.questions]]
                    compared += [compare(engine, search, questions, size) for size in sizes]
    except StageError as error:
        print(error, file=sys.stderr)
        return 1
    found = {
        "load": [load, os.getloadavg()[0]],
        "documents": options.documents,
        "compared": list(map(asdict, compared)),
    }
    print(json.dumps(found, indent=2) if options.json else "\n".join(_table(found["load"], compared)))
    return 0


def groups_of(documents: int, sizes: Sequence[int], seed: int = 7) -> list[tuple[str, ...]]:
    """For each document, the groups that it belongs to. Each group is named by its size and drawn at random."""
    places = np.random.default_rng(seed).permutation(documents).tolist()
    return [tuple(str(size) for size in sizes if place < size) for place in places]


def compare(engine: str, search: FilteredSearch, questions: Sequence[str], matching: int) -> Compared:
    """Each question both ways. The first one is asked once more beforehand: it fills caches."""
    filter = PassageFilter(BASE, conditions=(AnyOf(FIELD, frozenset({str(matching)})),))
    ask = partial(_answered, search, filter)
    ask(questions[0], True)
    return summed(engine, matching, [ask(text, at % 2 == 0) for at, text in enumerate(questions)])


def summed(engine: str, matching: int, answers: Sequence[Answered]) -> Compared:
    return Compared(
        engine,
        matching,
        median(each.filter_first for each in answers),
        median(each.rank_first for each in answers),
        fmean(each.shared for each in answers),
        fmean(each.is_given_up for each in answers),
    )


def crossing(compared: Sequence[Compared]) -> int | None:
    """Of one engine: the fewest matching documents from which on rank-first is always faster. None if it never is."""
    faster = None
    for each in sorted(compared, key=lambda each: -each.matching):
        if each.rank_first >= each.filter_first:
            break
        faster = each.matching
    return faster


def _answered(search: FilteredSearch, filter: PassageFilter, text: str, is_filter_first: bool) -> Answered:
    """Whichever way is asked second finds the engine's caches warm, so callers take turns."""
    ways = {"filter": replace(search, filter_first=sys.maxsize), "rank": replace(search, filter_first=0)}
    order = ("filter", "rank") if is_filter_first else ("rank", "filter")
    timed = {way: _timed(ways[way], text, filter) for way in order}
    (filtered, filter_ms), (ranked, rank_ms) = timed["filter"], timed["rank"]
    return Answered(filter_ms, rank_ms, shared(filtered, ranked), not ranked.path[0].startswith("rank_first"))


def shared(filtered: Retrieval, ranked: Retrieval) -> float:
    """The share of the first one's best ten passages that are among the second one's best ten."""
    best = [{each.passage.passage_id for each in found.passages[:TOP]} for found in (filtered, ranked)]
    return len(best[0] & best[1]) / len(best[0]) if best[0] else 1.0


def _timed(search: FilteredSearch, text: str, filter: PassageFilter) -> tuple[Retrieval, float]:
    began = time.perf_counter()
    found = search.retrieve(text, filter)
    return found, (time.perf_counter() - began) * 1000


def _search(index: CataloguedIndex, corpus: Corpus) -> FilteredSearch:
    """With the default settings, but without a reranker, which costs the same both ways."""
    base = KnowledgeBase("bench")
    search = HybridSearch(index, QuestionEmbedder(corpus.questions), base.candidates, base.limit, base.fusion)
    return FilteredSearch(search, index)


@contextmanager
def _index(
    engine: str, folder: Path, url: str, corpus: Corpus, groups: Sequence[tuple[str, ...]]
) -> Iterator[CataloguedIndex]:
    documents = (
        passages(corpus, number, PASSAGES_OF_A_DOCUMENT, {FIELD: groups[number]} if groups[number] else {})
        for number in range(len(groups))
    )
    if engine == "embedded":
        embedded = SqlitePassageIndex(folder / "index.sqlite", MODEL, DIMENSION)
        for document in documents:
            embedded.replace(document[0].passage.document, document)
        yield embedded
        embedded.close()
        return
    with server(url, folder) as served:
        client, name = connect(served, None), f"bench-{uuid4().hex}"
        index = OpenSearchPassageIndex(client, IndexOptions(MODEL, DIMENSION, given_name=name))
        add_in_bulk(index, client, name, documents)
        yield index


def _table(load: Sequence[float], compared: Sequence[Compared]) -> Iterator[str]:
    yield f"load {load[0]:.1f} before, {load[1]:.1f} after; medians in milliseconds"
    yield f"{'engine':<11}{'matching':>9}{'filter first':>14}{'rank first':>12}{'of the best 10':>16}{'given up':>10}"
    for each in compared:
        yield (
            f"{each.engine:<11}{each.matching:>9}{each.filter_first:>14.1f}{each.rank_first:>12.1f}"
            f"{each.shared:>16.0%}{each.given_up:>10.0%}"
        )
    for engine in dict.fromkeys(each.engine for each in compared):
        least = crossing([each for each in compared if each.engine == engine])
        yield f"{engine}: " + (f"rank-first is faster from {least} on" if least else "filter-first is always faster")


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.retrieval_bench.filtering")
    parser.add_argument("--documents", type=int, default=5_000, help=f"of {PASSAGES_OF_A_DOCUMENT} passages")
    parser.add_argument("--matching", type=int, nargs="+", default=[10, 100, 500, 1_000, 2_500, 4_500])
    parser.add_argument("--questions", type=int, default=15)
    parser.add_argument("--opensearch", default="", metavar="URL", help="one that runs; otherwise one is started")
    parser.add_argument("--without", nargs="*", default=[], choices=ENGINES)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
