"""The functions behind the WebSocket routes: the console's events in their order, then bad input of every kind."""

from __future__ import annotations

import importlib
import io
import json
import uuid
from typing import Any

import pytest

from cicada.conversation.model import RequestKey, Status
from cicada.conversation.protocol import Cancelled, Chunk
from cicada.documents.model import AnyOf, Range
from cicada.errors import ConfigurationError, UnavailableError
from cicada.identity import Principal
from tests.fakes.audit import RecordingTrail
from tests.functions.message_path import CONSOLE, ID, NOW, MessagePath, Metrics, Reply, console_event, frame_event
from tests.unit.conversation.test_commands import ACTIONS

BOB = Principal("default", "bob")
OTHER_ID = "7e57d004-2b97-4e7a-b45f-5387367791ce"
SECRET = "s3cret"
SEND = {"action": "sendMessage", "requestId": ID, "message": "Who tells Macbeth that the queen is dead?"}
RESUME = {"action": "resume", "requestId": ID, "afterSeq": 0}
CANCEL = {"action": "cancel", "requestId": ID}
KEY = RequestKey(CONSOLE, ID)


def test_the_consoles_events_work_one_after_the_other(path: MessagePath) -> None:
    assert path.invoke("ws_disconnect", console_event("ws_disconnect")) == {"statusCode": 200}
    assert path.invoke("ws_connect", console_event("ws_connect")) == {
        "statusCode": 200,
        "headers": {"Sec-WebSocket-Protocol": "cicada.v1"},
    }
    accepted = path.invoke("ws_message", console_event("ws_message"))
    assert json.loads(accepted["body"]) == {
        "requestId": ID,
        "seq": 1,
        "type": "accepted",
        "sessionId": "console",
        "knowledgeBase": "scripts",
    }
    assert json.loads(path.invoke("ws_resume", console_event("ws_resume"))["body"])["type"] == "pending"
    assert [event["type"] for event in path.posted()] == ["accepted"]
    page = json.loads(path.invoke("ws_control", console_event("ws_control"))["body"])
    assert [(turn["requestId"], turn["status"]) for turn in page["turns"]] == [(ID, "queued")]
    assert json.loads(path.invoke("ws_message", console_event("ws_message"))["body"])["type"] == "pending"


def test_a_connection_is_recorded_with_its_user_and_address(path: MessagePath, audited: RecordingTrail) -> None:
    path.connect("c7", BOB)
    opened = audited.handshakes[-1]
    assert (opened.tenant, opened.user, opened.connection_id) == ("default", "bob", "c7")
    assert (opened.address, opened.user_agent) == ("203.0.113.7", "Python/3.13 websockets/16.0")
    assert (opened.at, opened.refused) == (NOW, "")


@pytest.mark.usefixtures("few_commands")
def test_a_user_who_connects_too_often_is_refused_and_recorded(path: MessagePath, audited: RecordingTrail) -> None:
    for number in range(15):
        event = console_event("ws_connect")
        event["requestContext"]["connectionId"] = f"c{number}"
        if path.invoke("ws_connect", event) == {"statusCode": 429}:
            break
    last = audited.handshakes[-1]
    assert (last.connection_id, last.user, last.address) == (f"c{number}", "console-user", "203.0.113.7")
    assert "too fast" in last.refused
    assert not any(each.refused for each in audited.handshakes[:-1])


def test_a_connection_that_an_outage_refuses_is_recorded(path: MessagePath, audited: RecordingTrail) -> None:
    path.database.delete_table(TableName="connections")
    with pytest.raises(ConfigurationError) as failure:
        path.connect("c7", BOB)
    assert [(each.user, each.refused) for each in audited.handshakes if each.connection_id == "c7"] == [
        ("bob", str(failure.value))
    ]


def test_a_connection_that_cannot_be_recorded_is_opened(path: MessagePath, audited: RecordingTrail) -> None:
    audited.failure = UnavailableError("The audit log did not do the call.")
    path.connect("c7", BOB)
    assert path.send("ws_control", {"action": "ping"}, "c7") == {"type": "pong"}


def test_a_message_is_stored_and_queued(path: MessagePath) -> None:
    path.send("ws_message", SEND)
    head = path.head()
    assert (head.status, head.connection_id, head.session_id) == (Status.QUEUED, "console", ID)
    assert path.queues.bodies(path.queues.requests_url) == [
        {"tenant": "default", "user": "console-user", "groups": [], "login": "", "requestId": ID}
    ]


def test_a_user_beyond_the_limit_is_refused_with_the_seconds_to_wait_and_others_are_not(path: MessagePath) -> None:
    def ask(request_id: str, connection_id: str = "console") -> Reply:
        return path.send("ws_message", SEND | {"requestId": request_id}, connection_id)

    sent = [str(uuid.uuid4()) for _ in range(10)]
    assert {ask(each)["type"] for each in sent} == {"accepted"}
    refused_id = str(uuid.uuid4())
    refused = ask(refused_id)
    assert "10 questions under way" in refused["error"]
    assert (refused["requestId"], refused["code"], refused["retryAfterSeconds"]) == (refused_id, "rate_limited", 5)
    assert not path.knows(refused_id)
    assert {body["requestId"] for body in path.queues.bodies(path.queues.requests_url)} == set(sent)
    assert ask(sent[0])["type"] == "pending"
    path.connect("other", Principal("default", "other-user"))
    assert ask(str(uuid.uuid4()), "other")["type"] == "accepted"


def test_a_filter_is_checked_against_the_schema_of_the_base_and_a_refused_one_stores_nothing(path: MessagePath) -> None:
    asked = SEND | {"knowledgeBase": "store"}
    refused = path.send("ws_message", asked | {"scope": {"filters": [{"field": "colour", "op": "exists"}]}})
    assert (refused["code"], refused["requestId"], path.knows()) == ("invalid_filter", ID, False)
    assert refused["error"].startswith("The knowledge base has no field 'colour'; use one of type, status, ")
    filters = [{"field": "effective", "op": "gte", "value": "31 January 2026"}]
    accepted = path.send("ws_message", asked | {"scope": {"filters": filters, "metadata": {"Status": ["DRAFT"]}}})
    assert accepted["type"] == "accepted"
    question = path.log.question(KEY)
    assert question is not None
    assert question.scope == (AnyOf("status", frozenset({"draft"})), Range("effective", least="2026-01-31"))


def test_a_resume_replays_and_points(path: MessagePath) -> None:
    path.send("ws_message", SEND)
    answer = path.delivery()
    answer.send(Chunk(content="Sey"))
    path.connect("second")
    pending = {"requestId": ID, "type": "pending", "retryAfterSeconds": 15.5}
    assert path.send("ws_resume", RESUME | {"afterSeq": 1}, "second") == pending
    answer.send(Chunk(content="ton"))
    assert [event["content"] for event in path.posted("second")] == ["Sey", "ton"]


def test_a_resume_of_an_abandoned_request_queues_it_again(path: MessagePath) -> None:
    path.send("ws_message", SEND)
    path.delivery()
    path.queues.bodies(path.queues.requests_url)
    path.clock.now += 60
    path.send("ws_resume", RESUME)
    assert [body["requestId"] for body in path.queues.bodies(path.queues.requests_url)] == [ID]


def test_a_cancel_reaches_the_processor_and_is_answered_by_it(path: MessagePath) -> None:
    path.send("ws_message", SEND)
    answer = path.delivery()
    assert path.send("ws_control", CANCEL) == {}
    answer.heartbeat()
    assert answer.cancel_requested
    answer.send(Cancelled())
    assert path.posted()[-1] == {"requestId": ID, "seq": 2, "type": "cancelled"}


def test_history_lists_the_users_own_sessions(path: MessagePath) -> None:
    path.send("ws_message", SEND)
    path.connect("bob", BOB)
    mine = path.send("ws_control", {"action": "history"})
    assert [session["sessionId"] for session in mine["sessions"]] == [ID]
    theirs = path.send("ws_control", {"action": "history"}, "bob")
    assert theirs["sessions"] == []


def test_an_answer_is_rated_by_its_user_alone_and_can_be_taken_back(path: MessagePath, metrics: Metrics) -> None:
    path.send("ws_message", SEND)
    rate = {"action": "feedback", "requestId": ID, "rating": "bad", "reasons": ["wrong", "wrong"], "comment": " No. "}
    assert path.send("ws_control", rate) == {"requestId": ID, "type": "feedback", "rating": "bad"}
    kept = path.head().feedback
    assert kept is not None and (kept.rating, kept.reasons, kept.comment) == ("bad", ("wrong",), "No.")
    [line] = [each for each in metrics() if "RatedAnswers" in each]
    assert (line["RatedAnswers"], line["Rating"]) == (1, "bad")
    [turn] = path.send("ws_control", {"action": "history", "sessionId": ID})["turns"]
    assert turn["rating"] == "bad"
    path.connect("bob", BOB)
    refused = path.send("ws_control", rate | {"rating": "good"}, "bob")
    assert (refused["code"], refused["error"]) == ("request_not_found", "There is no such answer of yours to rate.")
    assert path.send("ws_control", {"action": "feedback", "requestId": ID})["rating"] is None
    assert path.head().feedback is None


FUNCTIONS = ["ws_message", "ws_resume", "ws_control"]


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (SECRET, "The frame is not valid JSON."),
        (f'{{"action":"sendMessage","message":"{SECRET}"', "The frame is not valid JSON."),
        (f'["{SECRET}"]', "The frame must be a JSON object."),
        (f'{{"action":"{SECRET}"}}', ACTIONS),
        ('{"action":"sendMessage"}', 'The field "requestId" is missing.'),
        (json.dumps(SEND | {"message": SECRET * 21_846}), "The frame is larger than 128 KB; send a shorter message."),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_every_function_refuses_a_bad_frame(path: MessagePath, frame: str, said: str, logged: io.StringIO) -> None:
    request_id = {"requestId": ID} if ID in frame else {}
    for function in FUNCTIONS:
        reply = path.send_text(function, frame)
        assert reply == request_id | {"type": "error", "error": said, "code": "invalid_frame", "retryable": False}
    assert SECRET not in logged.getvalue()


@pytest.mark.parametrize(
    ("function", "fields"),
    [
        ("ws_message", RESUME),
        ("ws_message", {"action": "ping"}),
        ("ws_resume", SEND),
        ("ws_control", SEND),
        ("ws_control", RESUME),
    ],
)
def test_a_command_of_another_function_is_refused(path: MessagePath, function: str, fields: dict[str, Any]) -> None:
    reply = path.send(function, fields)
    assert reply["code"] == "invalid_frame"
    assert not path.knows()


def test_an_unknown_connection_is_told_to_connect_again_and_closed(path: MessagePath) -> None:
    for function in FUNCTIONS:
        reply = path.send(function, SEND, "unknown")
        assert (reply["code"], reply["requestId"], reply["retryable"]) == ("unauthorized", ID, True)
        assert path.channel.closed == {"unknown"}
        path.channel.closed.clear()
    assert [frame["code"] for frame in path.posted("unknown")] == ["unauthorized"] * 3
    assert not path.knows()


@pytest.mark.parametrize(
    ("function", "fields"),
    [("ws_message", SEND), ("ws_resume", RESUME), ("ws_control", CANCEL), ("ws_control", {"action": "ping"})],
)
def test_an_expired_token_stops_every_command(path: MessagePath, function: str, fields: dict[str, Any]) -> None:
    path.connect("late", expires_at=NOW + 10)
    path.clock.now += 10
    reply = path.send(function, fields, "late")
    assert (reply["code"], reply["retryable"]) == ("token_expired", True)
    assert not path.knows()


def test_a_connection_that_was_closed_is_unknown(path: MessagePath) -> None:
    path.invoke("ws_disconnect", console_event("ws_disconnect"))
    reply = path.send("ws_control", {"action": "ping"})
    assert reply["code"] == "unauthorized"


@pytest.mark.parametrize("stranger", [BOB, Principal("other", CONSOLE.user)])
@pytest.mark.parametrize(("function", "fields"), [("ws_resume", RESUME), ("ws_control", CANCEL)])
def test_a_request_of_another_user_or_tenant_is_none_at_all(
    path: MessagePath, function: str, fields: dict[str, Any], stranger: Principal
) -> None:
    path.send("ws_message", SEND)
    path.delivery().send(Chunk(content="Sey"))
    path.connect("stranger", stranger)
    replies = [
        path.invoke(function, frame_event(json.dumps(fields | {"requestId": request_id}), "stranger"))
        for request_id in (ID, OTHER_ID)
    ]
    assert json.dumps(replies[0]) == json.dumps(replies[1]).replace(OTHER_ID, ID)
    assert json.loads(replies[0]["body"])["code"] == "request_not_found"
    assert path.posted("stranger") == []
    head = path.head()
    assert (head.connection_id, head.cancel_requested) == ("console", False)


@pytest.mark.parametrize(("function", "fields"), [("ws_message", SEND), ("ws_resume", RESUME), ("ws_control", CANCEL)])
def test_crash_is_an_internal_error(
    path: MessagePath, function: str, fields: dict[str, Any], monkeypatch: pytest.MonkeyPatch, logged: io.StringIO
) -> None:
    def crash() -> None:
        try:
            raise KeyError(f"{SECRET} inner")
        except KeyError as error:
            raise RuntimeError(f"while at {SECRET}") from error

    monkeypatch.setattr(importlib.import_module(f"functions.{function}.handler"), "conversation", crash)
    reply = path.send(function, fields | {"message": SECRET})
    assert reply == {
        "requestId": ID,
        "type": "error",
        "error": "Something went wrong on our side. Please try again.",
        "code": "internal",
        "retryable": True,
    }
    assert SECRET not in logged.getvalue()
    entry = json.loads(logged.getvalue())
    assert entry["level"] == "ERROR"
    assert entry["kinds"] == ["RuntimeError", "KeyError"]
    assert any("crash" in place for place in entry["places"])


def test_only_a_command_that_fails_on_our_side_is_counted_as_failed(path: MessagePath, metrics: Metrics) -> None:
    path.send("ws_message", SEND)
    path.send("ws_message", SEND | {"message": ""})
    path.send("ws_control", CANCEL, "bob")
    assert metrics() == []
    path.database.delete_table(TableName="requests")
    path.send("ws_control", CANCEL)
    [line] = metrics()
    [written] = line["_aws"]["CloudWatchMetrics"]
    assert (line["FailedCommands"], written["Dimensions"]) == (1, [["Stage"]])


def test_a_failing_database_is_told_by_its_code_and_no_text_is_logged(path: MessagePath, logged: io.StringIO) -> None:
    path.database.delete_table(TableName="requests")
    reply = path.send("ws_message", SEND | {"message": SECRET})
    assert (reply["code"], reply["requestId"]) == ("misconfigured", ID)
    assert "table" not in reply["error"]
    assert SECRET not in logged.getvalue()
    assert json.loads(logged.getvalue())["code"] == "misconfigured"


def test_a_connection_table_that_fails_is_no_unknown_connection(path: MessagePath) -> None:
    path.database.delete_table(TableName="connections")
    reply = path.send("ws_control", {"action": "ping"})
    assert reply["code"] == "misconfigured"
