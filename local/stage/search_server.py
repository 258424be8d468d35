"""The stage's own OpenSearch, for `SEARCH=opensearch`."""

from __future__ import annotations

from collections.abc import Callable

from local.opensearch import RunningServer, prepare, start
from local.stage.settings import ROOT, StageConfig


def start_opensearch(config: StageConfig, say: Callable[[str], None]) -> RunningServer:
    """Start it. The distribution is fetched once for all stages; each stage has its own data."""
    distribution = prepare(ROOT / ".build" / "opensearch", say)
    log = config.folder / "logs" / "opensearch.log"
    return start(distribution, config.folder / "opensearch", config.opensearch_port, log, say)
