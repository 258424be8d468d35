"""`python -m evals.retrieval_bench`: search latency, compared with the alternatives.

Figures of this machine at this moment: nothing is asserted, and the load is printed beside them. Each engine runs in a
process of its own, one after the other, on the same chunks and questions.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from evals.retrieval_bench.corpus import ROOT
from evals.retrieval_bench.server import say, server
from evals.retrieval_bench.shapes import shapes
from local.stage.settings import StageError

PEERS = ROOT / ".build" / "peers" / "bin" / "python"

Result = dict[str, Any]


def main(arguments: list[str]) -> int:
    options = _options(arguments)
    load = os.getloadavg()[0]
    results: list[Result] = []
    try:
        with TemporaryDirectory(prefix="cicada-bench-") as folder, server(options.opensearch, Path(folder)) as url:
            for chunks in options.chunks:
                results += _engines(Path(folder), chunks, url, options.without)
            whole = list(shapes(url, say))
    except StageError as error:
        print(error, file=sys.stderr)
        return 1
    found = {"load": [load, os.getloadavg()[0]], "results": results, "shapes": whole}
    print(json.dumps(found, indent=2) if options.json else "\n".join(_table(found)))
    return 0


def _engines(folder: Path, chunks: int, url: str, without: list[str]) -> Iterator[Result]:
    worker = "evals.retrieval_bench.worker"
    commands = {
        "sqlite": [sys.executable, "-m", worker, "sqlite", str(folder / f"{chunks}.sqlite"), str(chunks)],
        "opensearch": [sys.executable, "-m", worker, "opensearch", url, str(chunks)],
        "bm25s": [sys.executable, "-m", worker, "bm25s", "", str(chunks)],
        "lancedb": [str(PEERS), "-m", "evals.retrieval_bench.lancedb_peer", str(folder / f"{chunks}"), str(chunks)],
    }
    for name, command in commands.items():
        if name in without or (name == "lancedb" and not PEERS.exists()):
            print(f"{name} is left out.", file=sys.stderr)
            continue
        print(f"{name}, {chunks} chunks …", file=sys.stderr, flush=True)
        ended = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
        if ended.returncode:
            raise StageError(f"{name} failed; what it said is above.")
        yield json.loads(ended.stdout.splitlines()[-1])


def _table(found: Result) -> Iterator[str]:
    yield f"load {found['load'][0]:.1f} before, {found['load'][1]:.1f} after; milliseconds, p50/p95"
    yield f"{'engine':<11}{'chunks':>8}{'ingest/s':>10}{'first':>8}{'MB':>7}  searches"
    for each in found["results"]:
        searches = "; ".join(
            f"{at['lane']} in {at['filter']} {at['p50']:.1f}/{at['p95']:.1f}" for at in each["latencies"]
        )
        yield (
            f"{each['engine']:<11}{each['chunks']:>8}{each['ingest_per_second']:>10.0f}{each['first_ms']:>8.0f}"
            f"{each['memory_mb']:>7.0f}  {searches}"
        )
    yield "the whole search on the sample plays; milliseconds, p50/p95, without the query's embedding"
    for each in found["shapes"]:
        yield f"{each['shape']:<30} nDCG@10 {each['ndcg@10']:.3f}  {each['p50']:.1f}/{each['p95']:.1f}"


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m evals.retrieval_bench")
    parser.add_argument("--chunks", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--opensearch", default="", metavar="URL", help="one that runs; otherwise one is started")
    parser.add_argument("--without", nargs="*", default=[], metavar="ENGINE", help="of sqlite opensearch bm25s lancedb")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
