"""`python -m bench.chaos --minutes 10 --seed 1`: is the delivery promise kept whatever happens? (docs/delivery.md)

Starts a local stage of its own. Exit status 1 if any answer is wrong, has a gap or two ends.
With `--beside COMMIT` half of the processors are those of an earlier commit, as during a shift of releases.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from dataclasses import asdict

from bench.own_stage import own_stage, say
from local.stage.settings import StageError
from tests.chaos.earlier_release import share_with, worked_on
from tests.chaos.plan import LONGEST_STALL_SECONDS, VICTIMS, Disturbance, Victim
from tests.chaos.report import Report, render
from tests.chaos.run import NotReadyError, run
from tests.chaos.target import Target


def main(arguments: list[str]) -> int:
    options = _options(arguments)
    try:
        with own_stage("chaos", leaseSeconds=str(options.lease), processors=str(options.lanes)) as target:
            found = _run(target, options)
            print(json.dumps(asdict(found), indent=2) if options.json else render(found))
            if not found.passed:
                raise StageError(f"The stage's logs are in {target.info['logs']}.")
    except (StageError, NotReadyError) as error:
        say(str(error))
        return 1
    return 0


def _run(target: Target, options: argparse.Namespace) -> Report:
    before = share_with(target, options.beside) if options.beside else ""
    found = run(
        target,
        seconds=options.minutes * 60,
        seed=options.seed,
        lanes=options.lanes,
        kinds=options.only,
        kills=options.kills,
        victims=options.victims,
        longest_stall=options.longest_stall,
        say=say,
    )
    if before:
        names = (before, target.info["functions"]["message_processor"])
        old, new = (worked_on(target, each, found.requests) for each in names)
        say(f"{len(old - new)} answers by {options.beside}, {len(new - old)} by today's, {len(old & new)} by both.")
    return found


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
    parser.add_argument("--longest-stall", type=float, default=LONGEST_STALL_SECONDS, help="seconds of a silent model")
    parser.add_argument("--only", type=Disturbance, choices=list(Disturbance), nargs="+", default=list(Disturbance))
    parser.add_argument("--beside", metavar="COMMIT", help="whose processors share the queue with today's")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
