"""One stage a folder: a lock that is released with its process, however that ends."""

from __future__ import annotations

import fcntl
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from local.stage.settings import StageError

_PATIENCE_SECONDS = 240


@contextmanager
def held(folder: Path) -> Iterator[None]:
    """Hold the folder's lock. `StageError` if another stage holds it."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("a+") as file:
        if not _take(file.fileno()):
            raise StageError("The local stage runs already; `make stop` ends it.")
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def stop(folder: Path) -> str:
    """Ask the stage that holds the lock to end, and wait for it; returns a sentence on what was done."""
    if not (folder / "lock").exists():
        return "The local stage is not running."
    with (folder / "lock").open("r+") as file:
        if _take(file.fileno()):
            return "The local stage is not running."
        deadline = time.monotonic() + _PATIENCE_SECONDS
        pid = _holder(file, deadline)
        os.kill(pid, signal.SIGTERM)
        while not _take(file.fileno()):
            if time.monotonic() > deadline:
                raise StageError(f"The local stage, process {pid}, has not ended within {_PATIENCE_SECONDS} s.")
            time.sleep(0.1)
    return "The local stage has been stopped."


def _holder(file: IO[str], deadline: float) -> int:
    """The process that holds the lock; it writes its id just after taking the lock."""
    while not (found := file.read()):
        if time.monotonic() > deadline:
            raise StageError("The local stage is starting and does not say which process it is; try again.")
        time.sleep(0.05)
        file.seek(0)
    return int(found)


def _take(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
