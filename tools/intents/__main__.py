"""`python -m tools.intents`: train the packaged models from the examples; with `--calibrate`, calibrate them anew."""

from __future__ import annotations

import sys

from cicada.answering import asked_writes
from cicada.answering.asked_writes import KINDS
from cicada.understanding.intent import model
from tools.intents.model_file import calibrated, write_models


def main(arguments: list[str]) -> None:
    """Write the models' files."""
    found = calibrated() if "--calibrate" in arguments else None
    write_models(calibration=found)
    for path in (model.PACKAGED, asked_writes.PACKAGED):
        print(f"{path.name}: {path.stat().st_size // 1000} kB")
    if found:
        print(f"intents: temperature {found.temperature:.3f}, decides alone from {found.threshold:.3f} on")
        print(
            "changes: allowed from",
            ", ".join(f"{kind} {of:.3f}" for kind, of in zip(KINDS, found.changes, strict=True)),
        )


if __name__ == "__main__":
    main(sys.argv[1:])
