"""`python -m tools.grounding CLAIMS`: learn the weights of the check of answers, and measure them.

CLAIMS is a file as `cicada eval grounding` reads it. The figures are of domains and sources that were left out; the
weights are learnt from all of the file.
"""

import argparse
import json
from pathlib import Path

from cicada.grounding import checking
from cicada.grounding.signals import SIGNALS
from evals.changed_claims import changed_claims
from evals.grounding import evaluate, load_claims, render
from tools.grounding.training import examples_of, fitted, left_out, scored

_WEIGHTS = Path(checking.__file__).with_name("weights.json")
# In logits. What it leaves unmarked: docs/decisions/0035.
_THRESHOLD = -1.0


def main() -> None:
    """Write `weights.json`, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("claims", type=Path)
    claims, changed = load_claims(parser.parse_args().claims), changed_claims()
    examples = examples_of(claims)
    bias, weights = fitted(examples)
    scores = [*left_out(examples), *scored(examples_of(changed), bias, weights)]
    print(render(evaluate(list(zip([*claims, *changed], scores, strict=True)))))
    content = {
        "bias": round(bias, 4),
        "threshold": _THRESHOLD,
        "of": {name: round(float(weight), 4) for name, weight in zip(SIGNALS, weights, strict=True)},
    }
    _WEIGHTS.write_text(json.dumps(content, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
