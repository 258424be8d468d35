"""A stage beside others: what tests and measurements run on."""

from __future__ import annotations

import socket
from pathlib import Path

from local.stage.settings import StageConfig


def isolated(folder: Path, **context: str) -> StageConfig:
    """A configuration with the embedded index, on ports that nothing listens on; `context` as in `StageConfig`."""
    return StageConfig(
        folder=folder,
        emulator_port=free_port(),
        bedrock_port=free_port(),
        page_port=free_port(),
        opensearch_port=free_port(),
        search="embedded",
        opensearch_url="",
        context=context,
    )


def free_port() -> int:
    """A port that nothing listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
