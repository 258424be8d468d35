"""The traces of a question and of an upload, as X-Ray's daemon receives them from the functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.fakes.bedrock_wire import Refused
from tests.fakes.xray_daemon import XRayDaemon, invoked, traced_function
from tests.functions.deployed_processor import EMBEDDED, MESSAGE, SAID, Deployed, delivered
from tests.functions.message_path import ID, MessagePath

TRACE = "1-5759e988-bd862e3fe1be46a994272793"
OTHER = "Root=1-6543e988-ad862e3fe1be46a994272794;Parent=63995c3f42cd8ad9;Sampled="
SEND = {"action": "sendMessage", "requestId": ID, "message": MESSAGE}


@pytest.fixture
def daemon(monkeypatch: pytest.MonkeyPatch) -> Iterator[XRayDaemon]:
    header = f"Root={TRACE};Parent=53995c3f42cd8ad8;Sampled=1;Lineage=1:a87bd80c:0"
    with traced_function(monkeypatch, "cicada-dev-ws-message", header) as daemon:
        yield daemon


def queued(path: MessagePath) -> dict[str, Any]:
    """The event by which Lambda passes the queued message on, with its tracing header."""
    [message] = path.queues.client.receive_message(
        QueueUrl=path.queues.requests_url, MessageSystemAttributeNames=["All"]
    )["Messages"]
    event = delivered(message["Body"])
    header = message.get("Attributes", {}).get("AWSTraceHeader")
    event["Records"][0]["attributes"] |= {"AWSTraceHeader": header} if header else {}
    return event


def shape(document: dict[str, Any]) -> object:
    inner = [shape(each) for each in document.get("subsegments", [])]
    return {document["name"]: inner} if inner else document["name"]


def test_question_is_one_trace(
    path: MessagePath, deploy: Deployed, daemon: XRayDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.send("ws_message", SEND)
    event = queued(path)
    invoked(monkeypatch, "cicada-dev-message-processor", f"{OTHER}1")
    with deploy(EMBEDDED, SAID):
        path.invoke("message_processor", event)
    command, answer = daemon.documents()
    assert {command["trace_id"], answer["trace_id"]} == {TRACE}
    assert command["parent_id"] == "53995c3f42cd8ad8"
    assert shape(command) == {"command": ["SQS"]}
    assert answer["parent_id"] == command["subsegments"][0]["id"]
    assert shape(answer) == {
        "cicada-dev-message-processor": [
            "planning",
            "planning",
            {"judging": [{"searching": ["ranking"]}, "gate"]},
            "gate",
            "answering",
        ]
    }
    assert command["annotations"] == {"action": "sendMessage"}
    assert answer["annotations"] == {
        "requestId": ID,
        "intent": "script_query",
        "strategy": "ContentOnly",
        "knowledgeBase": "scripts",
        "path": " ".join(path.posted()[-1]["path"]),
        "searches": 1,
        "outcome": "complete",
    }


def test_lambda_can_still_detect_a_loop_through_the_queue(path: MessagePath, daemon: XRayDaemon) -> None:
    path.send("ws_message", SEND)
    header = queued(path)["Records"][0]["attributes"]["AWSTraceHeader"]
    [sent] = daemon.documents()[0]["subsegments"]
    assert header == f"Root={TRACE};Parent={sent['id']};Sampled=1;Lineage=1:a87bd80c:0"


def test_no_question_answer_or_title_is_in_a_trace(path: MessagePath, deploy: Deployed, daemon: XRayDaemon) -> None:
    path.send("ws_message", SEND)
    with deploy(EMBEDDED, SAID):
        path.invoke("message_processor", queued(path))
    sent = b"".join(daemon.datagrams()).decode()
    assert [word for word in ("queen", "Seyton", "Macbeth", "macbeth", "Dunsinane") if word in sent] == []


def test_a_failed_answer_is_marked_with_its_phase(path: MessagePath, deploy: Deployed, daemon: XRayDaemon) -> None:
    path.send("ws_message", SEND)
    with deploy(EMBEDDED, Refused(403, "AccessDeniedException")):
        path.invoke("message_processor", queued(path))
    _, answer = daemon.documents()
    assert (answer["fault"], answer["annotations"]["outcome"]) == (True, "failed")
    assert [each["name"] for each in answer["subsegments"] if each.get("fault")] == ["answering"]
    assert answer["cause"]["exceptions"][0]["type"] == "ConfigurationError"
    assert (answer["annotations"]["intent"], answer["annotations"]["strategy"]) == ("script_query", "ContentOnly")


def test_an_answer_that_crashes_is_marked_too(path: MessagePath, daemon: XRayDaemon) -> None:
    event = delivered("hello")
    assert path.invoke("message_processor", event)["batchItemFailures"]
    [answer] = daemon.documents()
    assert answer["error"]
    assert answer["cause"]["exceptions"][0]["type"] == "InvalidFrameError"


def test_a_command_that_is_refused_is_marked_as_the_clients_error(path: MessagePath, daemon: XRayDaemon) -> None:
    path.send_text("ws_message", "{")
    [command] = daemon.documents()
    assert command["error"]
    assert "fault" not in command


def test_unsampled_question(
    path: MessagePath, deploy: Deployed, daemon: XRayDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    invoked(monkeypatch, "cicada-dev-ws-message", f"{OTHER}0")
    path.send("ws_message", SEND)
    event = queued(path)
    assert "AWSTraceHeader" not in event["Records"][0]["attributes"]
    # The SDK sends the invocation's header with the message unasked, and SQS keeps it.
    event["Records"][0]["attributes"]["AWSTraceHeader"] = f"{OTHER}0"
    invoked(monkeypatch, "cicada-dev-message-processor", f"{OTHER}1")
    with deploy(EMBEDDED, SAID):
        path.invoke("message_processor", event)
    assert path.posted()[-1]["type"] == "complete"
    assert daemon.datagrams() == []
