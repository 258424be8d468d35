"""The states of the delivery model: what there is at one moment, and what a client may have of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Literal, NamedTuple

NOBODY = 0
STRANGER = -1
ACCEPTED = "accepted"

SendStep = Literal["store", "advance", "post"]
ResumeStep = Literal["point", "read"]


@dataclass(frozen=True, slots=True)
class Bounds:
    """`events`: of one answer, its end included. `page`: how many events a resume reads and posts in one step.

    `same_connection`: a resume may also go over a connection that has not broken, as it does after silence.
    """

    events: int
    processors: int
    resumes: int
    page: int = 1
    same_connection: bool = True
    stranger: bool = False


@dataclass(frozen=True, slots=True)
class Rules:
    """The promise rests on each of these."""

    sending: tuple[SendStep, ...] = ("store", "advance", "post")
    resuming: tuple[ResumeStep, ...] = ("point", "read")
    store_is_fenced: bool = True
    advance_is_fenced: bool = True
    resume_stops_at_last_seq: bool = True
    takeover_resets: bool = True
    forgets_only_its_own: bool = True
    owner_is_in_the_key: bool = True


class Frame(NamedTuple):
    seq: int
    body: str


class Row(NamedTuple):
    attempt: int
    body: str


class Head(NamedTuple):
    last_seq: int
    attempt: int
    ended: bool
    connection: int


class Processor(NamedTuple):
    """`script`: the events still to send, the first of them under way as number `seq`. `at`: its next step."""

    attempt: int
    seq: int
    script: tuple[str, ...]
    at: int = 0
    connection: int = NOBODY


class Resume(NamedTuple):
    """`after`: the last event that has been read. `last`: the head's at the moment of pointing or looking."""

    connection: int
    after: int
    at: int = 0
    last: int = 0
    gone: bool = False


class Client(NamedTuple):
    """One user's client, on one connection at a time; connections are numbered and never reused."""

    connection: int
    opened: int
    seen: frozenset[Frame]


class State(NamedTuple):
    """`network`: what was posted to the client's present connection, or to its last one while it has none.

    `pointed`: the connection that the last resume pointed to. `unposted`: counted events whose sender died.
    `waiting` processors have not begun, and `unresumed` resumes have not been sent; those that have ended, died or
    given up are not in the state.
    """

    rows: tuple[Row | None, ...]
    head: Head
    network: frozenset[Frame]
    client: Client
    processors: tuple[Processor, ...]
    waiting: int
    resumes: tuple[Resume, ...]
    unresumed: int
    pointed: int
    unposted: frozenset[int]
    problem: str = ""


def arrivals(state: State) -> Iterator[frozenset[Frame]]:
    """What the client may have by now: all that it had, and any part of what was posted to it."""
    seen = state.client.seen
    new = sorted(state.network - seen)
    for some in chain.from_iterable(combinations(new, size) for size in range(len(new) + 1)):
        yield seen.union(some)


def whole_until(seen: frozenset[Frame]) -> int:
    """The last number before the first gap."""
    numbers = {frame.seq for frame in seen}
    return next(seq for seq in range(len(numbers) + 1) if seq + 1 not in numbers)


def stop(state: State, place: int) -> State:
    return with_processor(state, place, None)


def next_event(state: State, place: int, processor: Processor) -> State:
    rest = processor.script[1:]
    following = Processor(processor.attempt, processor.seq + 1, rest) if rest else None
    return with_processor(state, place, following)


def with_processor(state: State, place: int, processor: Processor | None) -> State:
    changed = (processor,) if processor else ()
    return state._replace(processors=state.processors[:place] + changed + state.processors[place + 1 :])


def with_resume(state: State, place: int, resume: Resume | None) -> State:
    changed = (resume,) if resume else ()
    return state._replace(resumes=state.resumes[:place] + changed + state.resumes[place + 1 :])


def row(state: State, seq: int) -> Row | None:
    return state.rows[seq - 1] if seq <= len(state.rows) else None
