"""`python -m intents`: train the packaged model from the examples; with `--calibrate`, measure its calibration anew."""

from __future__ import annotations

import sys

from cicada.planning.intent.linear import PACKAGED
from intents.examples import load_concepts, load_examples
from intents.model_file import calibrated, write_model


def main(arguments: list[str]) -> None:
    """Write the model's file."""
    found = calibrated(load_examples(), load_concepts()) if "--calibrate" in arguments else None
    write_model(calibration=found)
    print(f"{PACKAGED.name}: {PACKAGED.stat().st_size // 1000} kB")
    if found:
        print(f"temperature {found.temperature:.3f}, decides alone from {found.threshold:.3f} on")


if __name__ == "__main__":
    main(sys.argv[1:])
