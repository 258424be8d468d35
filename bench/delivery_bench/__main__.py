"""`python -m bench.delivery_bench`: what the delivery promise costs (docs/delivery.md).

Figures of this machine at this moment: nothing is asserted, and the load is printed beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict

from bench.delivery_bench.cost import cost
from bench.delivery_bench.crowd import Crowd, crowd
from bench.delivery_bench.growth import LENGTHS, growth
from bench.delivery_bench.overhead import overhead
from bench.delivery_bench.render import Results, render
from bench.own_stage import own_stage
from cicada.answering.pump import STEADY, Pace
from local.stage.settings import StageError


def main(arguments: list[str]) -> int:
    options = _options(arguments)
    load = os.getloadavg()[0]
    try:
        found = Results(
            growth=[growth(length, haste=options.haste) for length in LENGTHS],
            overhead=overhead(options.runs),
            costs=[cost(pace) for pace in (STEADY, Pace())],
            crowd=_crowd(options.sockets, options.answers) if options.sockets else None,
            load=(load, os.getloadavg()[0]),
        )
    except StageError as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(asdict(found), indent=2) if options.json else render(found))
    return 0


def _crowd(sockets: int, answers: int) -> Crowd:
    # The emulator starts a process for each answer that streams at the same time.
    with own_stage("bench", processors=str(answers), requestsInFlight=str(answers)) as target:
        return crowd(target, sockets=sockets, answers=answers)


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.delivery_bench")
    parser.add_argument("--haste", type=float, default=4, help="how many times faster than 100 tokens/s (growth only)")
    parser.add_argument("--runs", type=int, default=50, help="first tokens measured")
    parser.add_argument("--sockets", type=int, default=1000, help="0 leaves the local stage out")
    parser.add_argument("--answers", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
