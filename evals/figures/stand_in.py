"""How well the local stand-in answers from the passages of a prompt."""

from __future__ import annotations

from collections.abc import Sequence

from evals.figures.record import Table
from evals.figures.sets import Sets
from evals.plays.answers import Outcomes, measured


def answers(sets: Sets) -> Table:  # noqa: ARG001 - the plays are all that it needs
    found = measured()
    header = ["questions", "right line quoted, where retrieved", "in all", "answered", "unanswerable refused"]
    samples = {name: len(each.answerable) + len(each.unanswerable) for name, each in found.items()}
    return Table(header, [_row(name, each) for name, each in found.items()], samples)


def _row(name: str, found: Outcomes) -> list[str]:
    retrieved = [each for each in found.answerable if each.retrieved]
    return [
        name,
        _of([each.right for each in retrieved]),
        _of([each.right for each in found.answerable]),
        _of([each.answered for each in found.answerable]),
        _of([not each.answered for each in found.unanswerable]),
    ]


def _of(outcomes: Sequence[bool]) -> str:
    return f"{sum(outcomes)} of {len(outcomes)}"
