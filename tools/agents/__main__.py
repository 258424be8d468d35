"""Trains the agents' heads from the examples, or with `--unseen` measures them on authors left out."""

from __future__ import annotations

import sys

from local.bedrock.agent_heads.request import PACKAGED
from tools.agents.examples import digest, load
from tools.agents.training import content, trained
from tools.agents.unseen import measured, table


def main() -> None:
    """Write the heads' file, or print how well they read messages of authors that they have not learnt from."""
    examples = load()
    if "--unseen" in sys.argv:
        print(table(list(measured(examples))))
        return
    print(f"Learning from {len(examples):,} messages …", flush=True)
    written = content(trained(examples), digest(examples))
    PACKAGED.write_bytes(written)
    print(f"Wrote {PACKAGED.name}: {len(written) / 1e6:.2f} MB.")


if __name__ == "__main__":
    main()
