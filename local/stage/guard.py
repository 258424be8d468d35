"""Runs a command that must not outlive its starter: `python -m local.stage.guard COMMAND …`.

Its standard input is a pipe from the starter. When the pipe closes, for whatever reason, the guard ends the command and
all its child processes; a starter that is killed outright cannot do that itself.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable

_GRACE_SECONDS = 30
# The emulator starts functions anew that end before it does, and then waits for them: they are told again.
_AGAIN_SECONDS = 1


def main(command: list[str]) -> int:
    """The command's exit status."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    has_ended = threading.Event()
    # The terminal's Ctrl-C is for the starter, which ends its processes in order.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: _thread(_end, process, has_ended))
    _thread(_end_with_starter, process, has_ended)
    status = process.wait()
    has_ended.set()
    _kill_group(process, signal.SIGKILL)
    return status


def _thread(target: Callable[..., None], *arguments: object) -> None:
    threading.Thread(target=target, args=arguments, daemon=True).start()


def _end_with_starter(process: subprocess.Popen[bytes], has_ended: threading.Event) -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    _end(process, has_ended)


def _end(process: subprocess.Popen[bytes], has_ended: threading.Event) -> None:
    for _ in range(_GRACE_SECONDS // _AGAIN_SECONDS):
        _kill_group(process, signal.SIGTERM)
        if has_ended.wait(_AGAIN_SECONDS):
            return
    _kill_group(process, signal.SIGKILL)


def _kill_group(process: subprocess.Popen[bytes], sent: signal.Signals) -> None:
    try:
        os.killpg(process.pid, sent)
    except ProcessLookupError:
        return


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
