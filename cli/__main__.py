"""Starts the `cicada` command, which Ctrl-C ends at any time; its imports alone take a while."""

from __future__ import annotations

import sys
from collections.abc import Sequence

_INTERRUPTED = 130  # 128 + SIGINT, as shells report it


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one subcommand. Returns its exit code: 0 for success, 1 for failure, 2 for wrong use, 130 after Ctrl-C."""
    try:
        from cli.command import run

        return run(arguments)
    except KeyboardInterrupt:
        return _INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
