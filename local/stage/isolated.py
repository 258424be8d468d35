"""A stage beside others, for tests and measurements."""

from __future__ import annotations

import secrets
import socket
from contextlib import suppress
from pathlib import Path

from local.stage.settings import StageConfig

# Ephemeral ports: Linux uses 32768 to 60999, macOS and Windows 49152 to 65535.
_FIRST_PORT, _PORTS = 12_000, 20_000


def isolated(folder: Path, **context: str) -> StageConfig:
    """A configuration with the embedded index and the plays, on ports that nothing listens on.

    `context` as in `StageConfig`.
    """
    return StageConfig(
        folder=folder,
        emulator_port=free_port(),
        bedrock_port=free_port(),
        page_port=free_port(),
        opensearch_port=free_port(),
        search="embedded",
        opensearch_url="",
        context=context,
        bases=("scripts",),
        warm_up=False,
    )


def free_port() -> int:
    """A port that nothing listens on at the moment.

    It is drawn from below the ephemeral ports that systems give to outgoing connections and to servers that ask for
    any: one of these could take it before the server starts. Parallel processes rarely draw the same.
    """
    while True:
        port = _FIRST_PORT + secrets.randbelow(_PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
