"""What a run has shown, beside what the model of a queue predicts and the quotas allow."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence

from tests.load.queue_model import predicted
from tests.load.quotas import nearest, quotas, rounded, seconds
from tests.load.users import Run

_PERCENTILES = (50, 95, 99)


def rows(run: Run, *, users: int, pause: float, processors: int) -> list[list[str]]:
    """Two cells each: what it is, and the figure. The model knows the mean time of a processor and nothing else."""
    answered = [each for each in run.asked if not each.code]
    if not answered:
        return [["questions", _counted(each.kind for each in run.asked)], ["errors", _errors(run)]]
    service = statistics.fmean(each.service for each in answered)
    waits = statistics.fmean(each.whole - each.service for each in answered)
    rate = len(answered) / run.seconds
    model = predicted(users, pause=pause, service=service, processors=processors)
    used = nearest(quotas(users, rate, rate * service, processors))
    return [
        ["questions", _counted(each.kind for each in run.asked)],
        ["errors", _errors(run)],
        ["answers a second", f"{rounded(rate)}; predicted {rounded(model.rate)}"],
        ["an answer's processor, mean", seconds(service)],
        ["processors that answer, mean", f"{rounded(rate * service)} of {processors}; predicted {rounded(model.busy)}"],
        ["outside the processor, mean", f"{seconds(waits)}; predicted in the queue {seconds(model.wait)}"],
        ["to the first text, p50 / p95 / p99", _spread([each.first_text for each in answered if each.first_text])],
        ["to the end, p50 / p95 / p99", _spread([each.whole for each in answered])],
        ["to the end where a connection was cut", _spread([each.whole for each in answered if each.kind == "resumed"])],
        ["documents searchable after, p50 / p95 / p99", f"{_spread(run.ingested)}; {run.refused} refused"],
        ["nearest its quota", str(used[0])],
    ]


def percentile(values: Sequence[float], share: int) -> float:
    """The value that so many in a hundred do not exceed."""
    return sorted(values)[max(0, math.ceil(len(values) * share / 100) - 1)]


def _spread(values: Sequence[float]) -> str:
    if not values:
        return "none"
    return " / ".join(seconds(percentile(values, share)) for share in _PERCENTILES)


def _errors(run: Run) -> str:
    return _counted(each.code for each in run.asked if each.code) or "none"


def _counted(names: Iterable[str]) -> str:
    found = Counter(names)
    return ", ".join(f"{number} {name}" for name, number in sorted(found.items()))
