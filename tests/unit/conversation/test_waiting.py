"""How long a request waited for a processor, and not for its own session."""

from __future__ import annotations

from typing import Any

import pytest

from cicada.conversation.delivery import waiting_seconds
from cicada.conversation.model import Lease, NewRequest, Question, RequestKey, Status
from cicada.errors import UnavailableError
from tests.unit.conversation.situation import ANN, ID, KEY, LEASE_SECONDS, Situation

LATER = RequestKey(ANN, "7e57d004-2b97-4e7a-b45f-5387367791ce")


def asked(here: Situation, key: RequestKey) -> None:
    now = here.clock()
    here.log.create(NewRequest(key, Question("Who?", ID, "scripts"), "c1", now, now + 3600), "{}")


def answer(here: Situation, lease: Lease, seconds: float) -> None:
    here.clock.now += seconds
    here.log.advance(lease, 2, here.clock() + LEASE_SECONDS, Status.COMPLETE)


def waited(here: Situation, key: RequestKey, sent_at: float) -> float:
    return waiting_seconds(here.log, key, ID, sent_at, here.clock(), LEASE_SECONDS)


def test_a_sessions_first_request_waits_from_its_message_on() -> None:
    here = Situation()
    asked(here, KEY)
    sent_at = here.clock()
    here.clock.now += 61
    assert waited(here, KEY, sent_at) == 61


def test_the_answer_before_it_in_its_session_is_no_wait_for_a_processor() -> None:
    here = Situation()
    asked(here, KEY)
    lease = here.lease()
    here.clock.now += 10
    asked(here, LATER)
    sent_at = here.clock()
    answer(here, lease, 200)
    here.clock.now += 7
    assert waited(here, LATER, sent_at) == 7


def test_an_earlier_answer_that_had_ended_is_not_waited_for() -> None:
    here = Situation()
    asked(here, KEY)
    answer(here, here.lease(), 5)
    here.clock.now += 10
    asked(here, LATER)
    sent_at = here.clock()
    here.clock.now += 61
    assert waited(here, LATER, sent_at) == 61


def test_a_message_from_a_clock_that_is_ahead_has_not_waited() -> None:
    here = Situation()
    assert waited(here, KEY, here.clock() + 3) == 0


def test_a_log_that_cannot_be_read_does_not_fail_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise UnavailableError("The database could not be reached; try again.")

    here = Situation()
    sent_at = here.clock()
    here.clock.now += 30
    monkeypatch.setattr(here.log, "head", fail)
    assert waited(here, LATER, sent_at) == 30
