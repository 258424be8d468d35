"""The retrieval sets that figures are computed on, each read, embedded and searched once in a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from cicada.retrieval.model import Retrieval
from cicada.retrieval.ports import Embedder
from cicada.retrieval.strategies.hybrid import HybridSearch
from evals.plays.dataset import PLAYS, plays_dataset
from evals.retrieval.dataset import Dataset, DatasetError, load_dataset
from evals.retrieval.measures import Rankings, Scores, scores_of
from evals.retrieval.pipeline import Pipeline, rankings_of, retriever, search_all

# Folders of DATA. The weights, BM25's parameters and the calibration were chosen on these three.
TUNED_ON = ("scifact", "cranfield", "mtrag-clapnq")
# The same corpus as mtrag-clapnq, with the users' original questions instead of the rewritten ones.
LAST_TURN = "mtrag-clapnq, last turn"
_DEFAULT = Pipeline()


class Sets:
    """Raises DatasetError for a missing set."""

    def __init__(self, data: Path | None, embedder: Embedder) -> None:
        self._data = data
        self.embedder = embedder
        self.dataset = cache(self._read)
        self._retrievals = cache(self._searched)
        self._scores = cache(self._scored)

    def retrievals(self, name: str, pipeline: Pipeline = _DEFAULT) -> dict[str, Retrieval]:
        """Every query's search by the query's id."""
        return self._retrievals(name, pipeline)

    def rankings(self, name: str, pipeline: Pipeline = _DEFAULT) -> dict[str, Rankings]:
        return rankings_of(self.dataset(name), self._retrievals(name, pipeline))

    def scores(self, name: str, pipeline: Pipeline = _DEFAULT) -> Mapping[str, Scores]:
        """By stage."""
        return self._scores(name, pipeline)

    @contextmanager
    def searching(self, name: str, pipeline: Pipeline = _DEFAULT) -> Iterator[HybridSearch]:
        with retriever(self.dataset(name), self.embedder, pipeline) as search:
            yield search

    def samples(self, *names: str) -> dict[str, int]:
        return {name: len(self.dataset(name).queries) for name in names}

    def folder(self, name: str) -> Path:
        if self._data is None:
            raise DatasetError(f"The figure needs {name}; give the folder of the retrieval sets as DATA=….")
        return self._data / name

    def _read(self, name: str) -> Dataset:
        if name == PLAYS:
            return plays_dataset()
        if name == LAST_TURN:
            folder = self.folder("mtrag-clapnq")
            return load_dataset(folder, folder / "queries_lastturn.jsonl")
        return load_dataset(self.folder(name))

    def _searched(self, name: str, pipeline: Pipeline) -> dict[str, Retrieval]:
        with self.searching(name, pipeline) as search:
            return search_all(self.dataset(name), search)

    def _scored(self, name: str, pipeline: Pipeline) -> Mapping[str, Scores]:
        judgements = self.dataset(name).judgements
        return {stage: scores_of(each, judgements) for stage, each in self.rankings(name, pipeline).items()}
