"""The result of a chaos run."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.chaos.asker import Asked
from tests.chaos.target import Suffered

# A broken stream is retried once, and so is a silent model; a call is tried three times; at most three processors begin
# an answer.
_BREAKS, _SILENCES, _CALLS, _PROCESSORS = 2, 2, 3, 3
_SLOWEST = 5


@dataclass(frozen=True, slots=True)
class Wrong:
    """A broken promise, and the disturbances planned for that answer."""

    request_id: str
    what: tuple[str, ...]
    plan: str


@dataclass(frozen=True, slots=True)
class Slow:
    """An answer with a long wait while no processor was killed, and what else there was in its time.

    `replacement_seconds`: the longest wait for another processor, after one that gave up.
    """

    request_id: str
    wait_seconds: float
    replacement_seconds: float
    seconds: float
    suffered: Suffered
    plan: str


@dataclass(frozen=True, slots=True)
class Report:
    """Counts of a run. `exact`: the same text as undisturbed. `exhausted`: ended in an expected `error`.

    The same seed makes the same plans; which other answers a kill, a fault or a storm hits depends on the timing.
    """

    seed: int
    seconds: float
    runs: int
    exact: int
    exhausted: tuple[str, ...]
    wrong: tuple[Wrong, ...]
    cuts: int
    kills: int
    hits: int
    duplicates: int
    resets: int
    faults: Mapping[str, int]
    throttled: int
    recovery_seconds: tuple[float, ...]
    waits: tuple[Slow, ...]
    requests: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return not self.wrong


def judge(asked: Asked, undisturbed: str) -> list[str]:
    """What is wrong with an answer; nothing if it is exact.

    Nothing is wrong either if it failed after enough disturbances to use up all retries.
    """
    problems = list(asked.problems)
    if asked.status == "failed":
        if not _due(asked):
            problems.append(f"The answer failed ({asked.code}), which {asked.suffered} does not account for.")
    elif asked.status == "complete":
        if asked.text != undisturbed:
            problems.append(f"The text has {len(asked.text)} characters and differs from the undisturbed one.")
    elif not problems:
        problems.append(f"The answer is {asked.status}.")
    return problems


def _due(asked: Asked) -> bool:
    suffered = asked.suffered
    if asked.code == "stream_broken":
        return suffered.late_faults >= _BREAKS
    if asked.code in ("dependency_throttled", "dependency_unavailable"):
        return suffered.early_faults >= _CALLS or suffered.silences >= _SILENCES
    # A processor gives up when DynamoDB refused every try of a call.
    return asked.code == "internal" and suffered.kills + suffered.throttled // _CALLS >= _PROCESSORS


def report(
    answers: Sequence[Asked],
    undisturbed: Mapping[str, str],
    faults: Mapping[str, int],
    throttled: int,
    *,
    seed: int,
    seconds: float,
) -> Report:
    found = [(asked, judge(asked, undisturbed[asked.plan.question])) for asked in answers]
    return Report(
        seed=seed,
        seconds=seconds,
        runs=len(answers),
        exact=sum(asked.status == "complete" and not problems for asked, problems in found),
        exhausted=tuple(str(asked.code) for asked, problems in found if asked.status == "failed" and not problems),
        wrong=tuple(
            Wrong(asked.request_id, tuple(problems), repr(asked.plan)) for asked, problems in found if problems
        ),
        cuts=sum(asked.cuts for asked in answers),
        kills=sum(asked.kills for asked in answers),
        hits=sum(asked.suffered.kills for asked in answers),
        duplicates=sum(asked.duplicates for asked in answers),
        resets=sum(asked.resets for asked in answers),
        faults=faults,
        throttled=throttled,
        recovery_seconds=tuple(sorted(each.recovery_seconds for each in answers if each.recovery_seconds is not None)),
        waits=waits(answers),
        requests=tuple(asked.request_id for asked in answers),
    )


def waits(answers: Sequence[Asked]) -> tuple[Slow, ...]:
    """Those with the longest waits first, of answers during which no processor of the stage was killed."""
    alive = sorted((each for each in answers if not each.suffered.deaths), key=lambda each: -each.waits.seconds)
    return tuple(
        Slow(
            each.request_id,
            each.waits.seconds,
            each.waits.replacement_seconds,
            each.seconds,
            each.suffered,
            repr(each.plan),
        )
        for each in alive
    )


def render(found: Report) -> str:
    """The report as lines of text."""
    rows: list[tuple[str, Any]] = [
        ("seed", found.seed),
        ("seconds", f"{found.seconds:.0f}"),
        ("questions asked", found.runs),
        ("answers exact", found.exact),
        ("errors that were due", f"{len(found.exhausted)} {' '.join(sorted(found.exhausted))}".strip()),
        ("wrong", len(found.wrong)),
        ("connections cut", found.cuts),
        ("processors killed", f"{found.kills}, {found.hits} of them in the middle of an answer"),
        ("deliveries repeated", found.duplicates),
        ("model faults", f"{sum(found.faults.values())} ({_listed(found.faults)})"),
        ("calls of DynamoDB refused", found.throttled),
        ("answers begun again", found.resets),
        ("seconds from a kill to the next text", _spread(found.recovery_seconds)),
        ("longest waits, no processor killed", _longest(each.wait_seconds for each in found.waits)),
        ("for another processor, none killed", _longest(each.replacement_seconds for each in found.waits)),
    ]
    lines = [f"{name:<38}{value}" for name, value in rows]
    for slow in found.waits[:_SLOWEST]:
        waited = f"{slow.wait_seconds:.1f} s, {slow.replacement_seconds:.1f} s for another processor"
        lines += ["", f"{slow.request_id}: waited {waited}, of {slow.seconds:.1f} s, {slow.suffered}", f"  {slow.plan}"]
    for wrong in found.wrong:
        lines += ["", f"{wrong.request_id}: {' '.join(wrong.what)}", f"  {wrong.plan}"]
    return "\n".join(lines)


def _longest(seconds: Iterable[float]) -> str:
    return ", ".join(f"{each:.1f} s" for each in sorted(seconds, reverse=True)[:_SLOWEST])


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _spread(seconds: Sequence[float]) -> str:
    if not seconds:
        return "none was hit"
    return f"median {statistics.median(seconds):.1f}, longest {max(seconds):.1f}, of {len(seconds)}"
