"""The OpenSearch server that a benchmark measures."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evals.retrieval_bench.corpus import ROOT
from local import opensearch
from local.stage.isolated import free_port


@contextmanager
def server(url: str, folder: Path) -> Iterator[str]:
    """The URL of the given OpenSearch, or of one that is started here and keeps its data in `folder`."""
    if url:
        yield url
        return
    folder.chmod(0o755)  # As root, the server runs as another user.
    distribution = opensearch.prepare(ROOT / ".build" / "opensearch", say)
    started = opensearch.start(distribution, folder / "opensearch", free_port(), folder / "server.log", say)
    try:
        yield started.url
    finally:
        started.stop()


def say(line: str) -> None:
    """Report progress."""
    print(line, file=sys.stderr, flush=True)
