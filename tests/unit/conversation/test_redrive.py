from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from cicada.conversation.history import answer_text
from cicada.conversation.model import Head, RequestKey, Status
from cicada.conversation.protocol import TERMINAL, Cancelled, Chunk, Complete, Failed, Reset, event_body, parse_event
from cicada.errors import LeaseLostError, UnavailableError
from cli.operator.dead_letters import Redriven, Redriver
from tests.fakes.dead_letters import InMemoryDeadLetters
from tests.unit.conversation.situation import BOB, ID, KEY, LEASE_SECONDS, WHOLE, Situation

FAILURE = Failed(error="The answer broke off.", code="stream_broken", retryable=True)


@dataclass
class Operated(Situation):
    """A conversation, and an operator who looks after its dead letters."""

    dead_letters: InMemoryDeadLetters = field(default_factory=InMemoryDeadLetters)

    @property
    def redriver(self) -> Redriver:
        return Redriver(self.dead_letters, self.log, self.log, self.clock)

    def put(self, key: RequestKey | None = KEY, reason: str | None = "stream_broken") -> None:
        self.dead_letters.put(key, reason, self.clock())

    def outcomes(self) -> list[Redriven]:
        return [outcome for _, outcome in self.redriver.redrive()]

    def answer_again(self) -> None:
        delivery = self.delivery()
        for event in (Reset(reason="Again."), Chunk(content="The queen."), WHOLE):
            delivery.send(event)

    def kinds(self) -> list[str]:
        return [parse_event(event.body).type for event in self.log.events(KEY, 0, self.head().last_seq)]


@pytest.fixture
def here() -> Operated:
    """A question that failed in the middle of its answer and was set aside."""
    here = Operated()
    here.ask()
    delivery = here.delivery()
    delivery.send(Chunk(content="The que"))
    delivery.send(FAILURE)
    here.put()
    return here


def given_up(here: Operated) -> Operated:
    """The same, for a question whose processors died until the queue gave it up."""
    here.dead_letters.waiting.clear()
    here.put(reason=None)
    return here


def dead() -> Operated:
    here = Operated()
    here.ask()
    here.delivery().send(Chunk(content="The que"))
    here.clock.now += LEASE_SECONDS + 1
    return given_up(here)


def test_a_failed_request_is_queued_again_and_its_letter_goes_last(here: Operated) -> None:
    steps: list[object] = []
    here.dead_letters.before = lambda step: steps.append((step, here.head().status))
    assert here.outcomes() == [Redriven.QUEUED]
    assert steps == [("requeue", Status.QUEUED), ("remove", Status.QUEUED)]
    assert here.dead_letters.requeued == [KEY]
    assert here.dead_letters.waiting == []


def test_whoever_asks_again_sees_a_reset_where_the_error_was_and_then_the_whole_answer(here: Operated) -> None:
    here.outcomes()
    here.answer_again()
    assert here.kinds() == ["accepted", "chunk", "reset", "reset", "chunk", "complete"]
    assert answer_text(here.log.events(KEY, 0, here.head().last_seq)) == "The queen."
    here.resumer.resume(KEY, 0, "c2")
    assert here.numbers("c2") == [1, 2, 3, 4, 5, 6]


def test_whoever_has_the_error_and_asks_for_the_rest_gets_the_same_answer(here: Operated) -> None:
    error_seq = here.head().last_seq
    had = list(here.log.events(KEY, 0, error_seq))
    here.outcomes()
    here.answer_again()
    rest = list(here.log.events(KEY, error_seq, here.head().last_seq))
    assert answer_text([*had, *rest]) == "The queen."


@pytest.mark.parametrize("redrives", [1, 2, 5])
def test_a_log_never_holds_two_terminal_events(here: Operated, redrives: int) -> None:
    for _ in range(redrives):
        here.outcomes()
        here.delivery().send(FAILURE)
        here.put()
    terminal = {event.__struct_config__.tag for event in TERMINAL}
    assert [kind in terminal for kind in here.kinds()].count(True) == 1
    assert here.kinds()[-1] == "error"


def test_the_attempts_before_do_not_count_and_still_fence_off_who_made_them(here: Operated) -> None:
    here.outcomes()
    lease = here.lease()
    assert (lease.attempt, lease.tries) == (2, 1)
    here.clock.now += LEASE_SECONDS + 1
    assert here.lease().tries == 2


def test_a_processor_from_before_the_redrive_can_write_nothing_more() -> None:
    here = dead()
    lease = here.log.head(KEY)
    assert lease is not None
    stale = here.delivery(here.lease())
    here.clock.now += LEASE_SECONDS + 1
    here.outcomes()
    with pytest.raises(LeaseLostError):
        stale.send(Chunk(content="en."))
    here.lease()
    with pytest.raises(LeaseLostError):
        stale.send(Chunk(content="en."))


def test_a_request_that_the_queue_gave_up_is_queued_again() -> None:
    here = dead()
    assert here.outcomes() == [Redriven.QUEUED]
    assert here.kinds() == ["accepted", "chunk"]
    assert (here.head().status, here.lease().tries) == (Status.QUEUED, 1)
    assert here.dead_letters.requeued == [KEY]


def test_a_request_that_no_processor_ever_began_is_queued_again() -> None:
    here = Operated()
    here.ask()
    assert given_up(here).outcomes() == [Redriven.QUEUED]
    assert here.dead_letters.requeued == [KEY]


def test_a_request_that_is_being_answered_is_left_alone() -> None:
    here = Operated()
    here.ask()
    here.delivery().send(Chunk(content="The que"))
    here.put()
    before = here.head()
    assert here.outcomes() == [Redriven.RUNNING]
    assert (here.head(), here.dead_letters.requeued) == (before, [])
    assert here.dead_letters.count() == 1


@pytest.mark.parametrize("end", [WHOLE, Cancelled()])
def test_of_a_request_that_has_ended_well_only_the_letter_goes(end: Complete | Cancelled) -> None:
    here = Operated()
    here.ask()
    here.delivery().send(end)
    here.put()
    before = here.head()
    assert here.outcomes() == [Redriven.ENDED]
    assert (here.head(), here.dead_letters.requeued, here.dead_letters.count()) == (before, [], 0)


def test_of_a_request_that_has_expired_only_the_letter_goes(here: Operated) -> None:
    here.clock.now += 3601
    assert here.outcomes() == [Redriven.EXPIRED]
    assert (here.dead_letters.requeued, here.dead_letters.count()) == ([], 0)


def test_another_users_request_of_the_same_id_is_not_touched(here: Operated) -> None:
    here.dead_letters.waiting.clear()
    here.put(RequestKey(BOB, ID))
    before = here.head()
    assert here.outcomes() == [Redriven.EXPIRED]
    assert here.head() == before


def test_a_letter_that_names_no_request_is_left_where_it_is(here: Operated) -> None:
    here.put(None, None)
    assert here.outcomes() == [Redriven.QUEUED, Redriven.UNREADABLE]
    assert [letter.key for letter in here.dead_letters.waiting] == [None]


def test_two_letters_of_one_request_are_one_answer(here: Operated) -> None:
    here.put()
    assert here.outcomes() == [Redriven.QUEUED, Redriven.QUEUED]
    assert here.dead_letters.count() == 0
    here.lease()
    assert here.log.take_lease(KEY, here.clock(), here.clock() + 15) is None


@pytest.mark.parametrize("step", ["requeue", "remove"])
def test_a_redrive_that_dies_in_between_is_finished_by_the_next(here: Operated, step: str) -> None:
    def fail(reached: str) -> None:
        if reached == step:
            raise UnavailableError("The request queue could not be reached.")

    here.dead_letters.before = fail
    with pytest.raises(UnavailableError):
        here.outcomes()
    assert here.dead_letters.count() == 1
    here.dead_letters.before = lambda step: None
    assert here.outcomes() == [Redriven.QUEUED]
    assert set(here.dead_letters.requeued) == {KEY}
    assert here.kinds() == ["accepted", "chunk", "reset"]
    assert here.lease().tries == 1


def test_a_request_that_a_processor_takes_over_at_that_moment_is_left_alone() -> None:
    here = dead()

    class Overtaken:
        def reopen(self, key: RequestKey, head: Head, reset: str) -> bool:
            here.lease()
            return here.log.reopen(key, head, reset)

    redriver = Redriver(here.dead_letters, here.log, Overtaken(), here.clock)
    assert [outcome for _, outcome in redriver.redrive()] == [Redriven.RUNNING]
    assert here.dead_letters.requeued == []
    assert (here.head().status, here.head().forgiven_attempts) == (Status.PROCESSING, 0)


def test_looking_changes_nothing(here: Operated) -> None:
    here.clock.now -= 100
    here.put(None, None)
    before = here.head()
    assert [(letter.key, letter.reason) for letter in here.redriver.look()] == [(None, None), (KEY, "stream_broken")]
    assert (here.head(), here.dead_letters.count(), here.dead_letters.requeued) == (before, 2, [])


def test_the_reset_in_place_of_the_error_says_why(here: Operated) -> None:
    here.outcomes()
    [event] = here.log.events(KEY, 2, 3)
    assert event.body == event_body(Reset(reason="The answer failed and is being generated again."))
