"""What is read of the rated and failed requests of a tenant, from the fake and from DynamoDB alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from cicada.adapters.dynamodb.noted_requests import DynamoNotedRequests
from cicada.adapters.dynamodb.request_log import DynamoRequestLog
from cicada.conversation.model import (
    AnswerFeedback,
    AnswerRecord,
    FailedRequest,
    NewRequest,
    Question,
    RatedRequest,
    RequestKey,
    Status,
)
from cicada.identity import Principal
from tests.contract.requests_table import TABLE, requests_table
from tests.fakes.clock import Clock
from tests.fakes.request_log import InMemoryRequestLog

NOW = 1_800_000_000.0
BAD = AnswerFeedback("bad", NOW, ("wrong",), "No.")


@dataclass
class Written:
    """A log and what reads the noted requests in it."""

    log: DynamoRequestLog | InMemoryRequestLog
    noted: DynamoNotedRequests | InMemoryRequestLog
    clock: Clock

    def ask(self, name: str, at: float = NOW, tenant: str = "acme") -> RequestKey:
        key = RequestKey(Principal(tenant, "ann"), name)
        self.log.create(NewRequest(key, Question("Who?", name, "store"), "c", at, NOW + 1000), "{}")
        return key

    def end(self, key: RequestKey, status: Status, code: str = "") -> None:
        lease = self.log.take_lease(key, NOW, NOW + 15)
        assert lease
        self.log.advance(lease, 2, NOW + 15, status, AnswerRecord(code=code))


@pytest.fixture(params=["memory", "dynamo"])
def written(request: pytest.FixtureRequest) -> Iterator[Written]:
    clock = Clock(NOW)
    if request.param == "memory":
        log = InMemoryRequestLog(clock)
        yield Written(log, log, clock)
    else:
        with requests_table() as client:
            yield Written(DynamoRequestLog(client, TABLE, clock), DynamoNotedRequests(client, TABLE, clock), clock)


def test_rated_requests_of_a_tenant_are_read_the_latest_first(written: Written) -> None:
    for name, at, tenant in (
        ("r-1", NOW - 9, "acme"),
        ("r-2", NOW, "acme"),
        ("r-3", NOW, "acm"),
        ("r-4", NOW - 99, "acme"),
    ):
        written.log.rate(written.ask(name, at, tenant), BAD)
    written.ask("r-5")
    latest, earlier = RatedRequest("r-2", NOW, "store", BAD), RatedRequest("r-1", NOW - 9, "store", BAD)
    assert written.noted.rated("acme", NOW - 50, 10) == ([latest, earlier], True)
    assert written.noted.rated("acme", NOW - 50, 2) == ([latest, earlier], True)
    assert written.noted.rated("acme", NOW - 50, 1) == ([latest], False)


def test_what_is_read_after_many_failures_is_bounded_and_said_not_to_be_all() -> None:
    """The pages of DynamoDB are as large as they may be; here each has one request."""
    clock = Clock(NOW)
    with requests_table() as client:
        written = Written(DynamoRequestLog(client, TABLE, clock), DynamoNotedRequests(client, TABLE, clock), clock)
        written.log.rate(written.ask("old", NOW - 99), BAD)
        for number in range(12):
            written.end(written.ask(f"f-{number}"), Status.FAILED, "internal")
        read = client.query

        def one_each(**request: Any) -> Any:
            return read(**request, Limit=1)

        client.query = one_each  # type: ignore[method-assign]
        assert written.noted.rated("acme", 0, 10) == ([], False)
        found, are_all = written.noted.failed("acme", 0, 20)
        assert (len(found), are_all) == (10, False)


def test_failed_requests_are_read_with_their_codes_and_answered_ones_are_not(written: Written) -> None:
    written.end(written.ask("f-1"), Status.FAILED, "internal")
    written.end(written.ask("f-2"), Status.COMPLETE)
    written.end(written.ask("f-3", tenant="beta"), Status.FAILED, "internal")
    assert written.noted.failed("acme", 0, 10) == ([FailedRequest("f-1", NOW, "store", "internal")], True)


def test_feedback_that_was_taken_back_is_not_read(written: Written) -> None:
    key = written.ask("r-1")
    written.log.rate(key, BAD)
    written.log.rate(key, None)
    assert written.noted.rated("acme", 0, 10) == ([], True)


def test_a_failed_request_that_was_rated_is_read_as_both(written: Written) -> None:
    key = written.ask("b-1")
    written.end(key, Status.FAILED, "internal")
    written.log.rate(key, BAD)
    assert [each.request_id for each in written.noted.rated("acme", 0, 9)[0]] == ["b-1"]
    assert [each.request_id for each in written.noted.failed("acme", 0, 9)[0]] == ["b-1"]


def test_what_was_deleted_or_has_expired_is_read_no_more(written: Written) -> None:
    gone, stays = written.ask("g-1"), written.ask("g-2")
    for key in (gone, stays):
        written.log.rate(key, BAD)
    written.log.delete_requests([gone])
    assert [each.request_id for each in written.noted.rated("acme", 0, 10)[0]] == ["g-2"]
    written.clock.now = NOW + 2000
    assert written.noted.rated("acme", 0, 10) == ([], True)
