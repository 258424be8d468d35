"""The stage's processes: started under a guard, logged to files, ended together."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from local.stage.settings import ROOT, StageError

# A process that fails to start usually ends; one that hangs is given up after this, which suits a slow machine.
START_SECONDS = 300.0
_POLL_SECONDS = 0.05
# Longer than the guard waits before SIGKILL.
_END_SECONDS = 45


@dataclass(frozen=True, slots=True)
class Running:
    """A process of the stage. Closing the guard's standard input ends it. `url` answers as soon as it is ready."""

    name: str
    guard: subprocess.Popen[bytes]
    log: Path
    url: str = ""

    def wait_until_ready(self) -> None:
        """`StageError` as in `wait_until`."""
        wait_until(answers(self.url), self)

    def begin_to_stop(self) -> None:
        """Have the guard end the process and its children, without waiting for it."""
        if self.guard.stdin:
            self.guard.stdin.close()

    def stop(self) -> int:
        """End the process and its children, and wait until it is gone; returns its exit status."""
        self.begin_to_stop()
        try:
            return self.guard.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self.guard.kill()
            return self.guard.wait()


def start(name: str, command: list[str], environment: Mapping[str, str], log: Path, url: str = "") -> Running:
    """Start the command in the project's folder; its output goes to the log."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        guard = subprocess.Popen(
            [sys.executable, "-B", "-m", "local.stage.guard", *command],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            cwd=ROOT,
            env=dict(environment),
        )
    return Running(name, guard, log, url)


def stop_all(processes: Sequence[Running]) -> dict[str, int]:
    """End all at once and wait until all are gone; returns their exit statuses by name."""
    for process in processes:
        process.begin_to_stop()
    return {process.name: process.stop() for process in processes}


def finish(name: str, command: list[str], environment: Mapping[str, str], log: Path) -> int:
    """Run the command to its end under a guard; returns its exit status."""
    running = start(name, command, environment, log)
    try:
        return running.guard.wait()
    finally:
        running.stop()


def wait_until(ready: Callable[[], bool], running: Running) -> None:
    """Wait for `ready`. `StageError` with the end of the log when the process dies first or time runs out."""
    deadline = time.monotonic() + START_SECONDS
    while not ready():
        if running.guard.poll() is not None or time.monotonic() > deadline:
            why = "ended" if running.guard.poll() is not None else f"was not ready within {START_SECONDS:.0f} s"
            raise StageError(f"The {running.name} {why}. Its log, {running.log}, ends with:\n{_tail(running.log)}")
        time.sleep(_POLL_SECONDS)


def answers(url: str) -> Callable[[], bool]:
    """Whether the URL answers with success."""

    def ask() -> bool:
        try:
            with urllib.request.urlopen(url, timeout=10) as reply:  # noqa: S310 - a loopback address of the stage
                return bool(reply.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    return ask


def require_free(port: int, variable: str, host: str = "127.0.0.1") -> None:
    """`StageError` if something listens on the port already."""
    with socket.socket() as probe:
        if probe.connect_ex((host, port)) == 0:
            raise StageError(
                f"Port {port} is in use. If an earlier stage still runs, `make stop` ends it; "
                f"otherwise choose another port: make run {variable}={port + 1000 if port < 60_000 else port - 1000}."
            )


def _tail(log: Path, lines: int = 15) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])
