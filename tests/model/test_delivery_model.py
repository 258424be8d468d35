"""The delivery's rules keep the promise in every interleaving, and without any one of them one breaks it.

`make prove` runs it and prints how much was visited and the shortest way to each broken promise. It takes five minutes
and 1.5 GB of memory. It is about the rules and not about the code, which the stateful test of `tests/property` drives.
"""

from __future__ import annotations

import pytest

from tests.model.delivery_promise import check
from tests.model.delivery_states import Bounds, Rules

# What a request's log may hold: `accepted`, what a first attempt has sent, `reset`, and the events of the last.
BOUNDS = {
    "six events, two new connections": Bounds(events=5, processors=1, resumes=2, same_connection=False),
    "four events, two resumes over any connection": Bounds(events=3, processors=1, resumes=2),
    "take-over in up to seven events, one resume": Bounds(events=3, processors=2, resumes=1),
    "take-over in up to five events, two new connections": Bounds(
        events=2, processors=2, resumes=2, page=9, same_connection=False
    ),
    "take-over while a stranger asks": Bounds(events=2, processors=2, resumes=1, stranger=True),
    "six events, two resumes over any connection": Bounds(events=5, processors=1, resumes=2),
    "two take-overs in up to seven events, one resume": Bounds(events=2, processors=3, resumes=1),
    "take-over in up to seven events, two new connections": Bounds(
        events=3, processors=2, resumes=2, page=9, same_connection=False
    ),
}
SMALL = Bounds(events=2, processors=1, resumes=1)
SMALL_TAKEOVER = Bounds(events=2, processors=2, resumes=1)


def show(title: str, found: object) -> None:
    print(f"\n{title}: {found}")  # noqa: T201 - the measured counts and the traces are read with -s


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", BOUNDS)
def test_no_interleaving_breaks_the_promise(name: str) -> None:
    found = check(BOUNDS[name])
    show(name, found)
    assert found.problem == ""
    assert found.ends > 100


def broken(title: str, rules: Rules, bounds: Bounds) -> tuple[str, str]:
    """What goes wrong, and the steps to it."""
    found = check(bounds, rules)
    show(title, found)
    assert found.trace
    return found.problem, "\n".join(found.trace)


def test_sending_before_storing_shows_what_a_successor_says_otherwise() -> None:
    rules = Rules(sending=("post", "store", "advance"))
    problem, trace = broken("send before store", rules, SMALL_TAKEOVER)
    assert problem == "Two events have the number 2: chunk 1.1, chunk 2.1."
    assert "stores 2 (chunk 1.1)" not in trace


def test_counting_before_storing_leaves_a_number_without_an_event() -> None:
    rules = Rules(sending=("advance", "store", "post"))
    problem, trace = broken("advance before store", rules, SMALL_TAKEOVER)
    assert problem == "The client resumed to the end and has the events [1, 2] of 3."
    assert "processor 1 makes 3 count\nprocessor 1 dies" in trace


def test_reading_before_pointing_misses_what_comes_between() -> None:
    problem, trace = broken("read before point", Rules(resuming=("read", "point")), SMALL)
    assert problem.startswith("The client has stayed, and nobody has posted [")
    assert trace.index("looks up the last event") < trace.index("points to it")


def test_a_store_without_the_fencing_token_lets_the_old_processor_overwrite_the_new_one() -> None:
    problem, trace = broken("store without the attempt", Rules(store_is_fenced=False), SMALL_TAKEOVER)
    assert "chunk 1." in problem
    assert trace.index("processor 2 stores") < trace.rindex("processor 1 stores")


def test_an_advance_without_the_fencing_token_lets_the_old_processor_answer_on() -> None:
    problem, trace = broken("advance without the attempt", Rules(advance_is_fenced=False), SMALL_TAKEOVER)
    assert problem
    assert trace.index("processor 2 takes the lease") < trace.rindex("processor 1 makes")


def test_a_resume_that_reads_beyond_the_last_event_shows_what_never_counted() -> None:
    problem, trace = broken("read beyond lastSeq", Rules(resume_stops_at_last_seq=False), SMALL_TAKEOVER)
    assert problem == "Two events have the number 2: chunk 1.1, chunk 2.1."
    assert "processor 1 makes 2 count" not in trace


def test_a_takeover_without_reset_joins_two_answers() -> None:
    problem, _ = broken("take-over without reset", Rules(takeover_resets=False), SMALL_TAKEOVER)
    assert problem == "The client's text is ['chunk 1.1', 'chunk 2.1']; what was generated is ['chunk 2.1']."


def test_forgetting_a_connection_that_is_not_ones_own_loses_the_client_that_has_come_back() -> None:
    problem, trace = broken("forget unconditionally", Rules(forgets_only_its_own=False), SMALL)
    assert problem.startswith("The client has stayed, and nobody has posted [")
    assert trace.index("points to it") < trace.index("forgets connection 1")


def test_a_key_without_its_owner_shows_the_answer_to_a_stranger() -> None:
    bounds = Bounds(events=2, processors=1, resumes=0, stranger=True)
    problem, _ = broken("key without its owner", Rules(owner_is_in_the_key=False), bounds)
    assert problem == "A frame was posted to a stranger."
