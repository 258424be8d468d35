"""Measures one engine of this environment: `python -m evals.retrieval_bench.worker ENGINE LOCATION CHUNKS`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from uuid import uuid4

from evals.retrieval_bench.engine import Engine, measured


def _maker(engine: str, location: str) -> Callable[[], Engine]:
    """Only this engine is imported: the others would be counted as its memory."""
    if engine == "bm25s":
        from evals.retrieval_bench.bm25s_peer import Bm25s

        return Bm25s
    from evals.retrieval_bench.ours import OpenSearch, Sqlite

    if engine == "sqlite":
        return partial(Sqlite, Path(location))
    return partial(OpenSearch, location, f"bench-{uuid4().hex}")


if __name__ == "__main__":
    name, location, chunks = sys.argv[1:]
    print(json.dumps(asdict(measured(name, _maker(name, location), int(chunks)))))
