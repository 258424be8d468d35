"""Runs an ASGI app on a free port of this machine, in a thread."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from tests.patience import PATIENCE_SECONDS


@contextmanager
def serving(app: ASGIApp) -> Iterator[str]:
    """The app's address, as `127.0.0.1:port`, while the block runs."""
    listener = socket.create_server(("127.0.0.1", 0))
    # This one of uvicorn's WebSocket protocols raises no deprecation warnings.
    config = uvicorn.Config(app, log_level="error", ws="websockets-sansio", lifespan="off", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
    thread.start()
    try:
        while not server.started:
            if not thread.is_alive():
                raise RuntimeError("The server did not start; its log tells why.")
            time.sleep(0.01)
        yield f"127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(PATIENCE_SECONDS)
        listener.close()
