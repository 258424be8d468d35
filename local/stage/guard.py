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

_GRACE_SECONDS = 30


def main(command: list[str]) -> int:
    """The command's exit status."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    # The terminal's Ctrl-C is for the starter, which ends its processes in order.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: _end(process))
    threading.Thread(target=_end_with_starter, args=(process,), daemon=True).start()
    status = process.wait()
    _kill_group(process, signal.SIGKILL)
    return status


def _end_with_starter(process: subprocess.Popen[bytes]) -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    _kill_group(process, signal.SIGTERM)
    threading.Timer(_GRACE_SECONDS, _kill_group, (process, signal.SIGKILL)).start()


def _kill_group(process: subprocess.Popen[bytes], sent: signal.Signals) -> None:
    try:
        os.killpg(process.pid, sent)
    except ProcessLookupError:
        return


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
