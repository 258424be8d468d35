"""`python -m tests.under_load COMMAND …`: a command beside two busy loops, all of it at the lowest priority.

The loops have the command's own priority: at a higher one they would leave it next to nothing. They end with this
process, however that ends.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

LOOPS = 2
_LOWEST_PRIORITY = 19
_LOOP = "import os, sys\nwhile os.getppid() == int(sys.argv[1]): pass"


@contextmanager
def busy_loops() -> Iterator[list[int]]:
    """Their process ids."""
    command = [sys.executable, "-c", _LOOP, str(os.getpid())]
    # The loops have their own sessions: the terminal's Ctrl-C is for the command, which ends in order, then the loops.
    loops = [subprocess.Popen(command, start_new_session=True) for _ in range(LOOPS)]
    try:
        yield [loop.pid for loop in loops]
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def main(command: list[str]) -> int:
    """The command's exit status."""
    os.nice(_LOWEST_PRIORITY)
    with busy_loops() as loops:
        sys.stdout.write(f"Beside the busy loops {', '.join(map(str, loops))}\n")
        sys.stdout.flush()
        running = subprocess.Popen(command)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, lambda *_: running.terminate())
        return running.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
