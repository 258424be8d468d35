"""Visit every state that a model can reach, and find the shortest way to one that breaks a promise."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

State = TypeVar("State", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Explored:
    """How much was visited. `problem` and `trace`: what is wrong at the end of the shortest way there, if anything."""

    states: int
    transitions: int
    ends: int
    problem: str = ""
    trace: tuple[str, ...] = ()

    def __str__(self) -> str:
        told = f"{self.states:,} states, {self.transitions:,} transitions, {self.ends:,} ends"
        steps = [f"  {number}. {step}" for number, step in enumerate(self.trace, start=1)]
        return "\n".join([told, *steps, f"  => {self.problem}"] if self.problem else [told])


@dataclass(frozen=True, slots=True)
class Model(Generic[State]):
    """`steps`: what may happen next, in words, and the state after it. `problem`: what is wrong in a state, or "".

    `at_rest`: whether an execution may end in this state.
    """

    start: State
    steps: Callable[[State], Iterable[tuple[str, State]]]
    at_rest: Callable[[State], bool]
    problem: Callable[[State], str]


def explore(model: Model[State]) -> Explored:
    """Breadth first over all interleavings; states are compared whole, not by a digest that might collide."""
    came_from: dict[State, tuple[State, str] | None] = {model.start: None}
    waiting = deque([model.start])
    transitions = ends = 0
    while waiting:
        state = waiting.popleft()
        ends += model.at_rest(state)
        if problem := model.problem(state):
            return Explored(len(came_from), transitions, ends, problem, _way_to(state, came_from))
        for label, following in model.steps(state):
            transitions += 1
            if following not in came_from:
                came_from[following] = (state, label)
                waiting.append(following)
    return Explored(len(came_from), transitions, ends)


def _way_to(state: State, came_from: dict[State, tuple[State, str] | None]) -> tuple[str, ...]:
    labels = []
    while (step := came_from[state]) is not None:
        state, label = step
        labels.append(label)
    return tuple(reversed(labels))
