"""`python -m bench.vector_compression DIR…`: what compressed vectors cost in a real OpenSearch, on sets in BEIR form.

The server from Maven Central has the engine Lucene alone, and with it `1x`, `4x` and `32x`; `8x` and `16x` need Faiss.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from statistics import median

from opensearchpy import OpenSearch

from bench.own_stage import say
from cicada.adapters.opensearch.client import connect
from cicada.adapters.opensearch.passage_index import OpenSearchPassageIndex
from cicada.adapters.opensearch.schema import IndexOptions
from cicada.documents.model import DocumentKey, PassageFilter
from cicada.retrieval.model import IndexQuery
from cicada.retrieval.ports import Embedder
from evals.retrieval.dataset import Dataset, load_dataset
from evals.retrieval.embedding import local_embedder
from evals.retrieval.measures import means, scores_of
from evals.retrieval.pipeline import CORPUS_BASE, LIMIT, embedded_rows
from local import opensearch
from local.stage.isolated import free_port
from local.stage.settings import ROOT

LEVELS = ("1x", "4x", "32x")
# Files of Lucene's with what kNN goes through: whole vectors, or compressed ones, which lie beside the whole ones.
_WHOLE, _COMPRESSED = "vec", "veq"
_MB = 1e6


def measure(client: OpenSearch, dataset: Dataset, embedder: Embedder, level: str) -> str:
    """One level on one set, by vectors alone, in an index of its own of one segment, which is deleted again."""
    name = f"bench-{level}-{time.time_ns()}"
    options = IndexOptions(embedder.model_id, embedder.dimension, compression=level, given_name=name)
    index = OpenSearchPassageIndex(client, options)
    rows = embedded_rows(dataset.rows, embedder)
    index.replace(DocumentKey(CORPUS_BASE, "corpus"), rows)
    client.indices.forcemerge(index=name, params={"max_num_segments": 1}, request_timeout=300)
    rankings: dict[str, list[str]] = {}
    seconds, wrong = [], 0.0
    for query in dataset.queries:
        vector = embedder.embed_query(query.text)
        began = time.perf_counter()
        hits = index.search(IndexQuery(PassageFilter(CORPUS_BASE), "", vector, limit=LIMIT)).semantic
        seconds.append(time.perf_counter() - began)
        numbers = [int(hit.passage.passage_id) for hit in hits]
        rankings[query.id] = [dataset.rows[number].id for number in numbers]
        true = [sum(a * b for a, b in zip(vector, rows[number].vector, strict=True)) for number in numbers]
        wrong = max(wrong, *(abs(hit.score - each) for hit, each in zip(hits, true, strict=True)))
    found = means(scores_of(rankings, dataset.judgements))
    whole, searched = _megabytes(client, name)
    client.indices.delete(index=f"{name}-*")
    return (
        f"{dataset.name} {level}: nDCG@10 {found['ndcg@10']:.3f}, Recall@100 {found['recall@100']:.3f}; "
        f"index {whole:.1f} MB, vectors {searched:.2f} MB; search {1000 * median(seconds):.0f} ms; "
        f"cosine wrong by {wrong:.6f} at most"
    )


def _megabytes(client: OpenSearch, name: str) -> tuple[float, float]:
    """The size of the index, and of the vectors in it that kNN goes through."""
    files = {"include_segment_file_sizes": "true"}
    found = client.indices.stats(index=name, params=files)["_all"]["primaries"]
    sizes = {kind: each["size_in_bytes"] for kind, each in found["segments"]["file_sizes"].items()}
    return found["store"]["size_in_bytes"] / _MB, sizes.get(_COMPRESSED, sizes[_WHOLE]) / _MB


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.vector_compression", description=__doc__)
    parser.add_argument("folders", metavar="DIR", nargs="+", type=Path)
    datasets = [load_dataset(folder) for folder in parser.parse_args(arguments).folders]
    distribution = opensearch.prepare(ROOT / ".build" / "opensearch", say)
    with tempfile.TemporaryDirectory(prefix="cicada-bench-") as name, local_embedder(say) as embedder:
        folder = Path(name)
        folder.chmod(0o755)  # The server runs as another user if this is root.
        server = opensearch.start(distribution, folder / "data", free_port(), folder / "server.log", say)
        try:
            client = connect(server.url, None)
            # With mapped files the plugin compares compressed vectors by a native library, which Maven Central lacks.
            settings = {"index.store.type": "niofs"}
            template = {"index_patterns": ["bench-*"], "template": {"settings": settings}}
            client.indices.put_index_template(name="bench", body=template)
            for dataset, level in product(datasets, LEVELS):
                print(measure(client, dataset, embedder, level), flush=True)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
