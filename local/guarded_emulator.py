"""`python -m local.guarded_emulator ORIGIN …`: the emulator behind the origin guard, in the emulator's environment.

The emulator has no setting for that. Its `main` serves the application that its module names `app`.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from local.origin_guard import OriginGuard


def main(origins: list[str]) -> None:
    """`origins`: whose pages may call it. The emulator reads all else from its environment."""
    emulator: Any = importlib.import_module("ministack.app")
    emulator.app = OriginGuard(emulator.app, origins)
    sys.argv = ["ministack"]
    emulator.main()


if __name__ == "__main__":
    main(sys.argv[1:])
