"""A search of questions on DynamoDB: what it reads at the most, and that it reads what earlier releases have stored."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from cicada.adapters.dynamodb.request_log import DynamoRequestLog
from cicada.conversation.history import history
from cicada.conversation.model import NewRequest, Question, RequestKey
from cicada.conversation.protocol import History, HistoryPage
from cicada.conversation.search import SEARCHED_QUESTIONS, SEARCHED_SESSIONS
from tests.contract.dynamo_requests import requests_of
from tests.contract.requests_table import TABLE, requests_table
from tests.contract.stored_rows import FIXTURES, KEY, stored
from tests.fakes.access import OpenAccess, withholding
from tests.fakes.clock import Clock
from tests.fakes.usage_table import unlimited

READ_AT_ONCE = 100


def search(log: DynamoRequestLog, clock: Clock, words: str, before: str | None = None) -> HistoryPage:
    command = History(search=words, before=before)
    return history(command, KEY.principal, log, withholding(OpenAccess()), unlimited(log, clock))


@pytest.mark.parametrize(("sessions", "turns"), [(SEARCHED_SESSIONS + 5, 1), (1, SEARCHED_QUESTIONS + 5)])
def test_one_page_reads_few_rows_and_writes_none(sessions: int, turns: int) -> None:
    with requests_table() as client:
        clock = Clock()
        log = DynamoRequestLog(client, TABLE, clock)
        for number in range(sessions * turns):
            clock.now += 1
            key = RequestKey(KEY.principal, f"r{number}")
            question = Question(f"Who is number {number}?", f"s{number % sessions}", "store")
            log.create(NewRequest(key, question, "c", clock(), clock() + 3600), "{}")
        sent = requests_of(client)
        first = search(log, clock, "number 0?")
        calls = Counter(each.operation for each in sent)
        asked = min(sessions * turns, SEARCHED_QUESTIONS, SEARCHED_SESSIONS * turns)
        batches = 1 + -(-asked // READ_AT_ONCE)
        assert calls == {"Query": 1 + min(sessions, SEARCHED_SESSIONS), "BatchGetItem": batches}
        assert first.before is not None
        found = search(log, clock, "number 0?", first.before)
        assert [each.request_id for session in found.sessions for each in session.asked or ()] == ["r0"]


@pytest.mark.parametrize("name", sorted(path.stem for path in FIXTURES.glob("*.json")))
def test_what_an_earlier_release_has_stored_is_found(name: str) -> None:
    fixture = json.loads((FIXTURES / f"{name}.json").read_text("utf-8"))
    message = fixture["read"]["question"]["message"]
    with stored(fixture["rows"]) as client:
        clock = Clock()
        found = search(DynamoRequestLog(client, "requests", clock), clock, message.upper())
        asked = [(each.request_id, each.excerpt) for session in found.sessions for each in session.asked or ()]
        assert asked == [(KEY.request_id, message)]
