"""What the model of the delivery must never do, stated independently of how it works."""

from __future__ import annotations

from tests.model.delivery_model import Delivery
from tests.model.delivery_states import NOBODY, Bounds, Frame, Rules, State, arrivals, whole_until
from tests.model.exhaustive import Explored, Model, explore


def check(bounds: Bounds, rules: Rules | None = None) -> Explored:
    """Visit everything that the rules allow within the bounds, and say the first thing that breaks the promise."""
    delivery = Delivery(bounds, rules or Rules())

    def problem(state: State) -> str:
        return state.problem or (_problem_at_rest(state, bounds) if at_rest(state) else "")

    return explore(Model(delivery.start(), delivery.steps, at_rest, problem))


def at_rest(state: State) -> bool:
    """The servers have nothing left to do; the client may still want something."""
    return not state.processors and not state.resumes and (state.head.ended or not state.waiting)


def _problem_at_rest(state: State, bounds: Bounds) -> str:
    if not state.head.ended:
        return "The request has not ended, and nobody works on it."
    return _problem_of_who_is_there(state) or _problem_of_who_resumes_once_more(state, bounds)


def _problem_of_who_is_there(state: State) -> str:
    """The connection attached last, if it stays, gets everything without a resume.

    The network and the senders must live.
    """
    if state.client.connection == NOBODY or state.client.connection != state.pointed:
        return ""
    numbers = {frame.seq for frame in state.client.seen | state.network} | state.unposted
    missing = set(range(1, state.head.last_seq + 1)) - numbers
    return f"The client has stayed, and nobody has posted {sorted(missing)} to it." if missing else ""


def _problem_of_who_resumes_once_more(state: State, bounds: Bounds) -> str:
    """Whatever has arrived so far: one resume over a connection that holds brings the rest."""
    for seen in arrivals(state):
        if problem := _problem_of_text(seen | _replayed(state, whole_until(seen)), state, bounds):
            return problem
    return ""


def _replayed(state: State, after: int) -> frozenset[Frame]:
    rows = state.rows[after : state.head.last_seq]
    return frozenset(Frame(seq, row.body) for seq, row in enumerate(rows, start=after + 1) if row)


def _problem_of_text(held: frozenset[Frame], state: State, bounds: Bounds) -> str:
    bodies = [frame.body for frame in sorted(held)]
    numbers = [frame.seq for frame in sorted(held)]
    if numbers != list(range(1, state.head.last_seq + 1)):
        return f"The client resumed to the end and has the events {numbers} of {state.head.last_seq}."
    ends = [body for body in bodies if body.startswith("complete")]
    if ends != [f"complete {state.head.attempt}"] or bodies[-1] != ends[0]:
        return f"The client has seen these ends: {ends}, and the last event is {bodies[-1]}."
    expected = [f"chunk {state.head.attempt}.{number}" for number in range(1, bounds.events)]
    if _text(bodies) != expected:
        return f"The client's text is {_text(bodies)}; what was generated is {expected}."
    return ""


def _text(bodies: list[str]) -> list[str]:
    """The chunks after the last reset."""
    resets = [place for place, body in enumerate(bodies) if body.startswith("reset")]
    return [body for body in bodies[resets[-1] if resets else 0 :] if body.startswith("chunk")]
