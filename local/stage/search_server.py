"""A real OpenSearch for the stage, fetched and started without Docker."""

from __future__ import annotations

from collections.abc import Callable

from local.stage.processes import Running
from local.stage.settings import StageConfig, StageError


def start_opensearch(config: StageConfig, say: Callable[[str], None]) -> tuple[Running, str]:
    raise StageError("not yet")
