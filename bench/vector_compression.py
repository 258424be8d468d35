"""`python -m bench.vector_compression DIR…`: what compressed vectors cost in a real OpenSearch, on sets in BEIR form.

The server from Maven Central has the engine Lucene alone, and with it `1x`, `4x` and `32x`; `8x` and `16x` need Faiss:
`--url http://… --levels 1x 8x 16x 32x` measures a server that has it.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import product
from pathlib import Path
from statistics import median

from opensearchpy import OpenSearch

from bench.own_stage import say
from cicada.adapters.opensearch.client import connect
from cicada.adapters.opensearch.passage_index import OpenSearchPassageIndex
from cicada.adapters.opensearch.schema import IndexOptions
from cicada.documents.model import DocumentKey, PassageFilter
from cicada.errors import ConfigurationError
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


def measure(client: OpenSearch, dataset: Dataset, embedder: Embedder, level: str, engine: str) -> str:
    """One level on one set, by vectors alone, in an index of its own of one segment, which is deleted again."""
    name = f"bench-{level}-{time.time_ns()}"
    options = IndexOptions(embedder.model_id, embedder.dimension, engine, compression=level, given_name=name)
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
        f"nDCG@10 {found['ndcg@10']:.3f}, Recall@100 {found['recall@100']:.3f}; "
        f"index {whole:.1f} MB, vectors {searched:.2f} MB; search {1000 * median(seconds):.0f} ms; "
        f"cosine wrong by {wrong:.6f} at most"
    )


def _measured(client: OpenSearch, dataset: Dataset, embedder: Embedder, level: str, engine: str) -> str:
    """The measurement, or why the server has none of this level."""
    try:
        return measure(client, dataset, embedder, level, engine)
    except ConfigurationError as error:
        return f"refused: {error.__cause__}"


def _megabytes(client: OpenSearch, name: str) -> tuple[float, float]:
    """The size of the index, and of the vectors in it that kNN goes through."""
    files = {"include_segment_file_sizes": "true"}
    found = client.indices.stats(index=name, params=files)["_all"]["primaries"]
    sizes = {kind: each["size_in_bytes"] for kind, each in found["segments"]["file_sizes"].items()}
    return found["store"]["size_in_bytes"] / _MB, sizes.get(_COMPRESSED, sizes[_WHOLE]) / _MB


@contextmanager
def lucene_server() -> Iterator[OpenSearch]:
    """The server from Maven Central, for as long as it is measured."""
    distribution = opensearch.prepare(ROOT / ".build" / "opensearch", say)
    with tempfile.TemporaryDirectory(prefix="cicada-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # The server runs as another user if this is root.
        server = opensearch.start(distribution, folder / "data", free_port(), folder / "server.log", say)
        try:
            client = connect(server.url, None)
            # With mapped files the plugin compares compressed vectors by a native library, which Maven Central lacks.
            settings = {"index.store.type": "niofs"}
            template = {"index_patterns": ["bench-*"], "template": {"settings": settings}}
            client.indices.put_index_template(name="bench", body=template)
            yield client
        finally:
            server.stop()


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.vector_compression", description=__doc__)
    parser.add_argument("folders", metavar="DIR", nargs="+", type=Path)
    parser.add_argument("--levels", nargs="+", default=LEVELS, help="of compression")
    parser.add_argument("--url", help="of a server with Faiss, which is asked for that engine")
    options = parser.parse_args(arguments)
    datasets = [load_dataset(folder) for folder in options.folders]
    server = nullcontext(connect(options.url, None)) if options.url else lucene_server()
    engine = "faiss" if options.url else "lucene"
    with server as client, local_embedder(say) as embedder:
        for dataset, level in product(datasets, options.levels):
            print(f"{dataset.name} {level}: {_measured(client, dataset, embedder, level, engine)}", flush=True)


if __name__ == "__main__":
    main()
