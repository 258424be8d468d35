"""`python -m bench.flood`: what one user can cause at each service, in commands and calls a second.

The deployed functions run in this process, on moto, with the limits of a deployed stage. Time is simulated, so the
figures depend on no machine. As one user, it sends each command a hundred times a second (`history` ten times), in two
periods: the first begins with a full bucket, the second follows at once. When its connection is closed, it tries to
connect again each second. What answers cause is not counted.
"""

from __future__ import annotations

import argparse
import sys
import time

from bench.own_stage import say
from tests.flood.counting import SERVICES
from tests.flood.floods import FLOODS, Period, measured


def main(arguments: list[str]) -> int:
    options = _options(arguments)
    head = ["a second", "period", "sent", "carried out", *SERVICES]
    rows = [head, ["---"] * len(head)]
    for flood in FLOODS:
        if options.only not in flood.name:
            continue
        began = time.monotonic()
        rows += [cells(each) for each in measured(flood, options.rate, options.seconds)]
        say(f"{flood.name}: {time.monotonic() - began:.0f} s")
    print("\n".join(f"| {' | '.join(row)} |" for row in rows))
    return 0


def cells(period: Period) -> list[str]:
    """All rates are for a second."""
    numbers = (period.sent, period.carried_out, *(period.calls[name] for name in SERVICES))
    return [period.command, f"{period.name}, {period.seconds:g} s", *(rate(each / period.seconds) for each in numbers)]


def rate(value: float) -> str:
    """One decimal below ten."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}".removesuffix(".0")


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.flood", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=20, help="of a period, in simulated time (default: 20)")
    parser.add_argument("--rate", type=float, default=100, help="commands that are sent in a second (default: 100)")
    parser.add_argument("--only", metavar="WORDS", default="", help="those whose name has these words")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
