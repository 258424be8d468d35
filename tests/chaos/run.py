"""A run: several askers work in parallel while the stage is disturbed."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor

from tests.chaos.asker import Asked, ask
from tests.chaos.plan import LONGEST_STALL_SECONDS, QUESTIONS, USERS, VICTIMS, Disturbance, Plan, Victim, plans
from tests.chaos.report import Report, report
from tests.chaos.target import Target, Trouble

Say = Callable[[str], None]


def _silent(_: str) -> None:
    """Report no progress."""


class NotReadyError(Exception):
    """The stage does not answer undisturbed questions, so there is nothing to compare with."""


def run(
    target: Target,
    *,
    seconds: float,
    seed: int,
    lanes: int = 4,
    kinds: Collection[Disturbance] = tuple(Disturbance),
    kills: float = math.inf,
    victims: Sequence[Victim] = VICTIMS,
    longest_stall: float = LONGEST_STALL_SECONDS,
    say: Say = _silent,
) -> Report:
    """Ask for so many seconds or until so many processors are killed, then wait for the answers that are still out.

    `lanes`: askers in parallel. `kinds`: kinds of disturbance. `victims`: which processors kills hit.
    `longest_stall`: seconds for which a model is silent before it goes on.
    """
    trouble = Trouble(target, seed)
    undisturbed = {question: _undisturbed(question, target, trouble) for question in QUESTIONS}
    began = time.monotonic()
    until = began + seconds

    def ask_on(lane: int) -> list[Asked]:
        answers: list[Asked] = []
        for plan in plans(seed, lane, kinds, victims, longest_stall):
            if time.monotonic() >= until or trouble.kills >= kills:
                return answers
            answers.append(ask(plan, target, trouble))
            say(_line(lane, answers[-1]))
        return answers

    try:
        with ThreadPoolExecutor(lanes) as pool:
            answers = [asked for lane in pool.map(ask_on, range(lanes)) for asked in lane]
    finally:
        trouble.calm()
    return report(
        answers,
        undisturbed,
        trouble.faults(),
        target.database.throttled,
        seed=seed,
        seconds=time.monotonic() - began,
    )


def _undisturbed(question: str, target: Target, trouble: Trouble) -> str:
    asked = ask(Plan(USERS[0], question), target, trouble)
    if asked.status != "complete" or asked.problems:
        raise NotReadyError(f"An undisturbed question was not answered: {asked.status} {' '.join(asked.problems)}")
    return asked.text


def _line(lane: int, asked: Asked) -> str:
    done = f"cuts {asked.cuts} kills {asked.kills} duplicates {asked.duplicates} resets {asked.resets}"
    return f"lane {lane}: {asked.status} after {asked.seconds:.1f} s, {done}"
