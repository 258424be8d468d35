"""The lexical retriever compared with other BM25 settings, and with SQLite's FTS5 on the same words."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing

from cicada.languages.terms import MAX_TERMS
from cicada.retrieval.bm25 import Bm25
from cicada_embedded.analyzer import analyzer
from evals.figures.cells import mean, score
from evals.figures.record import Table
from evals.figures.sets import TUNED_ON, Sets
from evals.retrieval.dataset import Dataset, Row
from evals.retrieval.measures import Rankings, scores_of
from evals.retrieval.pipeline import LIMIT, Pipeline

_SETTINGS = {
    "b = .6, .25 of the title's BM25 (used)": Bm25(),
    "b = .75": Bm25(b=0.75),
    "nothing for the title": Bm25(title=0.0),
}


def variants(sets: Sets) -> Table:
    rows = [
        [
            name,
            *_cells([_mean(sets.scores(each, Pipeline(depth=0, bm25=bm25))["bm25"]["ndcg@10"]) for each in TUNED_ON]),
        ]
        for name, bm25 in _SETTINGS.items()
    ]
    for name, title in (("SQLite's FTS5", 0.0), ("SQLite's FTS5, .25 of the title's", 0.25)):
        rows.append([name, *_cells([_fts5_ndcg(sets.dataset(each), title) for each in TUNED_ON])])
    return Table(["nDCG@10 of the retriever", *TUNED_ON, "mean"], rows, sets.samples(*TUNED_ON))


def _fts5_ndcg(dataset: Dataset, title: float) -> float:
    return _mean(scores_of(_fts5(dataset, title), dataset.judgements)["ndcg@10"])


def _fts5(dataset: Dataset, title: float) -> Rankings:
    """FTS5 has fixed k1 and b, and one length over both columns."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE VIRTUAL TABLE passages USING fts5(words, title)")
        connection.executemany("INSERT INTO passages (rowid, words, title) VALUES (?, ?, ?)", _numbered(dataset.rows))
        ranked = "SELECT rowid FROM passages WHERE passages MATCH ? ORDER BY bm25(passages, 1.0, ?), rowid LIMIT ?"
        return {
            query.id: [
                dataset.rows[number].id for (number,) in connection.execute(ranked, (_any_of(query.text), title, LIMIT))
            ]
            for query in dataset.queries
        }


def _numbered(rows: Sequence[Row]) -> list[tuple[int, str, str]]:
    return [
        (number, " ".join(_words(f"{row.title or ''} {row.text}")), " ".join(_words(row.title or "")))
        for number, row in enumerate(rows)
    ]


def _any_of(text: str) -> str:
    return " OR ".join(dict.fromkeys(_words(text)[:MAX_TERMS])) or '""'


def _words(text: str) -> list[str]:
    """The index's terms, which are numbers, as words that FTS5 leaves unchanged."""
    return [f"t{term:x}" for term in analyzer("english").terms(text)]


def _cells(values: Sequence[float]) -> list[str]:
    return [*map(score, values), score(mean(values))]


def _mean(by_query: dict[str, float]) -> float:
    return mean(list(by_query.values()))
