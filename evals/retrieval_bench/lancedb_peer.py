"""LanceDB, in its own virtual environment: `python -m evals.retrieval_bench.lancedb_peer FOLDER CHUNKS`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from functools import partial

import lancedb  # type: ignore[import-not-found]  # Installed in .build/peers only.
import pyarrow as pa  # type: ignore[import-not-found]
from lancedb.index import FTS, BTree  # type: ignore[import-not-found]

from evals.retrieval_bench.corpus import CHUNKS_OF_A_DOCUMENT, DIMENSION, Corpus, Question
from evals.retrieval_bench.engine import LIMIT, measured

_BATCH = 2_000


class LanceDb:
    """Exact kNN, like ours; full-text index with stemming and without stop words."""

    hits = ("bm25", "knn", "hybrid")

    def __init__(self, folder: str) -> None:
        self._database = lancedb.connect(folder)

    def ingest(self, corpus: Corpus) -> None:
        schema = pa.schema(
            [
                ("tenant", pa.string()),
                ("document", pa.int64()),
                ("text", pa.string()),
                ("vector", pa.list_(pa.float32(), DIMENSION)),
            ]
        )
        table = self._database.create_table("chunks", schema=schema)
        for start in range(0, len(corpus.texts), _BATCH):
            table.add(
                [
                    {"tenant": "tenant", "document": n // CHUNKS_OF_A_DOCUMENT, "text": text, "vector": vector}
                    for n, (text, vector) in enumerate(
                        zip(
                            corpus.texts[start : start + _BATCH],
                            corpus.vectors[start : start + _BATCH],
                            strict=True,
                        ),
                        start,
                    )
                ]
            )
        table.create_index("text", config=FTS(stem=True, remove_stop_words=True))
        for column in ("tenant", "document"):
            table.create_index(column, config=BTree())
        table.optimize()

    def search(self, retriever: str, question: Question, documents: list[int] | None) -> int:
        table = self._database.open_table("chunks")
        if retriever == "bm25":
            query = table.search(question.text, query_type="fts")
        elif retriever == "knn":
            query = table.search(question.vector)
        else:
            query = table.search(query_type="hybrid").vector(question.vector).text(question.text)
        wanted = "tenant = 'tenant'"
        if documents is not None:
            wanted += f" AND document IN ({', '.join(map(str, documents))})"
        return int(query.where(wanted, prefilter=True).limit(LIMIT).to_arrow().num_rows)


if __name__ == "__main__":
    print(json.dumps(asdict(measured("LanceDB", partial(LanceDb, sys.argv[1]), int(sys.argv[2])))))
