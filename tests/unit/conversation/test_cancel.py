from __future__ import annotations

import pytest

from cicada.conversation.accept import cancel
from cicada.conversation.model import RequestKey, Status
from cicada.conversation.protocol import Cancelled
from cicada.errors import RequestNotFoundError
from tests.unit.conversation.situation import BOB, ID, KEY, Situation


@pytest.fixture
def here() -> Situation:
    made = Situation()
    made.ask()
    return made


def test_a_cancel_asks_the_processor_to_stop_and_sends_nothing_itself(here: Situation) -> None:
    cancel(KEY, here.log)
    assert (here.head().cancel_requested, here.head().status) == (True, Status.QUEUED)
    assert here.channel.frames == {}


def test_an_ended_request_stays_as_it_ended(here: Situation) -> None:
    here.delivery().send(Cancelled())
    before = here.head()
    cancel(KEY, here.log)
    assert (here.head().status, here.head().last_seq) == (before.status, before.last_seq)


@pytest.mark.parametrize("key", [RequestKey(BOB, ID), RequestKey(KEY.principal, ID.upper())])
def test_a_request_that_is_not_the_users_does_not_exist(here: Situation, key: RequestKey) -> None:
    with pytest.raises(RequestNotFoundError):
        cancel(key, here.log)
    assert not here.head().cancel_requested
