"""The whole search in both configurations, on the sample plays: the local stage's and the deployed one's.

On AWS the index is OpenSearch.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from cicada.adapters.opensearch.client import connect
from cicada.adapters.opensearch.options import IndexOptions
from cicada.adapters.opensearch.passage_index import OpenSearchPassageIndex
from cicada.documents.filter import PassageFilter
from cicada.retrieval.ports import PassageIndex
from cicada.retrieval.strategies.hybrid import HybridSearch
from cicada_embedded.passage_index import SqlitePassageIndex
from evals.plays.dataset import plays_dataset
from evals.retrieval.dataset import Dataset
from evals.retrieval.embedding import CachedEmbedder, local_embedder
from evals.retrieval.measures import scores_of
from evals.retrieval.pipeline import CORPUS_BASE, Pipeline, rankings_of, search_all, search_over
from evals.retrieval.report import FINAL
from evals.retrieval.standin import Say

LOCAL, DEPLOYED = "embedded", "OpenSearch"


def shapes(url: str, say: Say) -> Iterator[dict[str, Any]]:
    """nDCG@10 on the plays' questions, and milliseconds of a search whose query is embedded already."""
    dataset = plays_dataset()
    with local_embedder(say) as embedder, tempfile.TemporaryDirectory(prefix="cicada-bench-") as folder:
        local = SqlitePassageIndex(Path(folder) / "index.sqlite", embedder.model_id, embedder.dimension)
        options = IndexOptions(embedder.model_id, embedder.dimension, given_name=f"shape-{time.time_ns()}")
        deployed = OpenSearchPassageIndex(connect(url, None), options)
        yield _measured(LOCAL, local, dataset, embedder)
        yield _measured(DEPLOYED, deployed, dataset, embedder)
        local.close()


def _measured(name: str, index: PassageIndex, dataset: Dataset, embedder: CachedEmbedder) -> dict[str, Any]:
    search = search_over(index, dataset, embedder, Pipeline())
    found = rankings_of(dataset, search_all(dataset, search))[FINAL]
    scores = scores_of(found, dataset.judgements)["ndcg@10"]
    times = [_milliseconds(search, query.text) for query in dataset.queries]
    p50, p95 = np.percentile(times, [50, 95])
    return {"shape": name, "ndcg@10": float(np.mean(list(scores.values()))), "p50": float(p50), "p95": float(p95)}


def _milliseconds(search: HybridSearch, text: str) -> float:
    started = time.perf_counter()
    search.retrieve(text, PassageFilter(CORPUS_BASE))
    return 1000 * (time.perf_counter() - started)
