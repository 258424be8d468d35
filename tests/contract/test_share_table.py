"""What every table of shared sessions does, beside its request log: the fake and DynamoDB alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from cicada.adapters.dynamodb.request_log import DynamoRequestLog
from cicada.adapters.dynamodb.share_table import DynamoShareTable
from cicada.conversation.model import Share
from cicada.conversation.ports import RequestLog, ShareTable
from cicada.identity import Principal
from tests.contract.requests_table import TABLE, requests_table
from tests.contract.test_request_log import ACCEPTED, ANN, BOB, new_request
from tests.fakes.clock import Clock
from tests.fakes.request_log import InMemoryRequestLog
from tests.fakes.share_table import InMemoryShareTable

MALLORY = Principal("elsewhere", "ann")


@dataclass
class House:
    """Ann has asked in the session `s1`, which is kept for an hour."""

    clock: Clock
    log: RequestLog
    shares: ShareTable

    def __post_init__(self) -> None:
        self.log.create(new_request(self.clock), ACCEPTED)

    @property
    def share_id(self) -> str:
        """The id in the session's row."""
        session = self.log.session(ANN, "s1")
        return session.share_id if session else "no session"


@pytest.fixture(params=["memory", "dynamo"])
def house(request: pytest.FixtureRequest) -> Iterator[House]:
    clock = Clock()
    if request.param == "memory":
        log = InMemoryRequestLog(clock)
        yield House(clock, log, InMemoryShareTable(log, clock))
    else:
        with requests_table() as client:
            tables = (client, TABLE, clock)
            yield House(clock, DynamoRequestLog(*tables), DynamoShareTable(*tables))


def test_a_session_is_shared_under_one_id_which_leads_to_it_in_its_tenant_alone(house: House) -> None:
    assert [house.shares.share(ANN, "s1", each) for each in ("First", "second")] == ["First", "First"]
    assert [house.share_id, *(each.share_id for each in house.log.sessions(ANN, None, 5))] == ["First", "First"]
    assert house.shares.find("acme", "First") == Share(ANN, "s1")
    others = [("elsewhere", "First"), ("acme", "first"), ("acme", "second"), ("acme", "s1"), ("acme", "ä" * 128)]
    assert [house.shares.find(*each) for each in others] == [None] * len(others)


def test_the_name_of_whom_the_session_belongs_to_is_kept_with_it(house: House) -> None:
    house.shares.share(Principal("acme", "ann", login="ann@acme"), "s1", "a")
    found = house.shares.find("acme", "a")
    assert found
    assert found.owner.login == "ann@acme"


@pytest.mark.parametrize("owner", [BOB, MALLORY])
def test_a_session_of_somebody_else_is_neither_shared_nor_unshared(house: House, owner: Principal) -> None:
    house.shares.share(ANN, "s1", "a")
    assert house.shares.share(owner, "s1", "b") is None
    assert not house.shares.end(owner, "s1")
    house.shares.forget(MALLORY, "a")
    assert (house.share_id, house.shares.find("acme", "a")) == ("a", Share(ANN, "s1"))


def test_what_is_not_shared_any_more_gets_another_id_when_it_is_shared_again(house: House) -> None:
    house.shares.share(ANN, "s1", "a")
    assert [house.shares.end(ANN, "s1") for _ in range(2)] == [True, True]
    assert (house.share_id, house.shares.find("acme", "a")) == ("", None)
    assert house.shares.share(ANN, "s1", "b") == "b"
    assert (house.shares.find("acme", "a"), house.shares.find("acme", "b")) == (None, Share(ANN, "s1"))


def test_a_deleted_session_is_not_shared_and_cannot_be(house: House) -> None:
    house.shares.share(ANN, "s1", "a")
    session = house.log.session(ANN, "s1")
    assert session
    assert house.log.delete_session(ANN, session)
    house.shares.forget(ANN, "a")
    house.shares.forget(ANN, "a")
    assert (house.shares.find("acme", "a"), house.share_id) == (None, "no session")
    assert house.shares.share(ANN, "s1", "b") is None
    assert not house.shares.end(ANN, "s1")


def test_an_id_expires_with_its_session_unless_a_question_renews_it(house: House) -> None:
    house.shares.share(ANN, "s1", "a")
    house.clock.now += 1800
    house.log.create(new_request(house.clock, request_id="later"), ACCEPTED)
    house.shares.renew(BOB, "a", house.clock() + 9000)
    house.shares.renew(ANN, "never", house.clock() + 9000)
    house.shares.renew(ANN, "a", house.clock() + 3600)
    house.clock.now += 3599
    assert house.shares.find("acme", "a") == Share(ANN, "s1")
    house.clock.now += 2
    assert (house.shares.find("acme", "a"), house.share_id) == (None, "no session")
    assert house.shares.share(ANN, "s1", "a") is None
    assert house.shares.find("acme", "never") is None
