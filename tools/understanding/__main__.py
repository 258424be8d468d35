"""Trains the packaged heads from the examples, or with `--unseen` measures them on authors left out.

With `--confidence` only what judges whole plans is trained, and no plan changes: for after a change of the rules.
"""

from __future__ import annotations

import sys

from cicada.understanding.heads import PACKAGED, packaged_heads
from tools.understanding.examples import digest, load
from tools.understanding.training import content, judged_anew, trained
from tools.understanding.unseen import table


def main() -> None:
    messages = load()
    if "--unseen" in sys.argv:
        print(table(messages))
        return
    print(f"Learning from {len(messages):,} messages …", flush=True)
    heads = judged_anew(packaged_heads(), messages) if "--confidence" in sys.argv else trained(messages)
    written = content(heads, digest())
    PACKAGED.write_bytes(written)
    print(f"Wrote {PACKAGED.name}: {len(written) / 1e6:.2f} MB.")


if __name__ == "__main__":
    main()
