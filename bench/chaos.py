"""`python -m bench.chaos --minutes 10 --seed 1`: is the delivery promise kept whatever happens? (docs/delivery.md)

Starts a local stage of its own. Exit status 1 if any answer is wrong, has a gap or two ends.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from dataclasses import asdict

from bench.own_stage import own_stage, say
from local.stage.settings import StageError
from tests.chaos.plan import VICTIMS, Disturbance, Victim
from tests.chaos.report import render
from tests.chaos.run import NotReadyError, run


def main(arguments: list[str]) -> int:
    options = _options(arguments)
    try:
        with own_stage("chaos", leaseSeconds=str(options.lease), processors=str(options.lanes)) as target:
            found = run(
                target,
                seconds=options.minutes * 60,
                seed=options.seed,
                lanes=options.lanes,
                kinds=options.only,
                kills=options.kills,
                victims=options.victims,
                say=say,
            )
            print(json.dumps(asdict(found), indent=2) if options.json else render(found))
            if not found.passed:
                raise StageError(f"The stage's logs are in {target.info['logs']}.")
    except (StageError, NotReadyError) as error:
        say(str(error))
        return 1
    return 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.chaos", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lanes", type=int, default=4, help="how many ask, and how many processors answer, at once")
    parser.add_argument("--lease", type=float, default=15, help="seconds; a shorter one has more happen in a run")
    parser.add_argument("--kills", type=float, default=math.inf, help="end when so many processors are killed")
    parser.add_argument(
        "--victims", type=Victim, choices=list(Victim), nargs="+", default=list(VICTIMS), help="whom a kill hits"
    )
    parser.add_argument("--only", type=Disturbance, choices=list(Disturbance), nargs="+", default=list(Disturbance))
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
