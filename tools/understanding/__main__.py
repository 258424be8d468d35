"""Trains the packaged heads from the examples, or with `--unseen` measures them on authors left out."""

from __future__ import annotations

import sys

from cicada.understanding.heads import PACKAGED
from tools.understanding.examples import digest, load
from tools.understanding.training import content, trained
from tools.understanding.unseen import table


def main() -> None:
    messages = load()
    if "--unseen" in sys.argv:
        print(table(messages))
        return
    print(f"Learning from {len(messages):,} messages …", flush=True)
    written = content(trained(messages), digest())
    PACKAGED.write_bytes(written)
    print(f"Wrote {PACKAGED.name}: {len(written) / 1e6:.2f} MB.")


if __name__ == "__main__":
    main()
