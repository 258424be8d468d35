"""The audit trail of the deployed stage: what its functions write, and what `cicada audit` finds."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any, TypeVar

import pytest
from websockets.exceptions import InvalidStatus

from cli.__main__ import main
from local.stage.aws import aws_client
from tests.chaos.target import Target
from tests.e2e.test_operator import as_on_aws
from tests.e2e.wire import Events, ask, connected, receive_all
from tests.patience import PATIENCE_SECONDS

QUESTION = "Who tells Macbeth that the queen is dead?"
SECRET = "not-a-token-but-a-secret"
T = TypeVar("T")
Audit = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def audit(stage: Target, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Audit:
    """The records that the command finds."""
    monkeypatch.setenv("CICADA_STAGE_FILE", str(stage.config.info_file))

    def found(*options: str) -> list[dict[str, Any]]:
        capsys.readouterr()
        assert main(["audit", "--json", *options]) == 0
        records: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["records"]
        return records

    return found


def eventually(found: Callable[[], T]) -> T:
    """What is found at last: a record is written after the answer's last event."""
    until = time.monotonic() + PATIENCE_SECONDS
    while not (value := found()) and time.monotonic() < until:
        time.sleep(0.2)
    assert value
    return value


def answered(stage: Target, user: str, message: str) -> tuple[str, Events]:
    """The request's id and its events."""
    with connected(stage.url, stage.token(user)) as wire:
        request_id = ask(wire, message)
        return request_id, receive_all(wire, Events())


def of_request(records: list[dict[str, Any]], request_id: str) -> list[dict[str, Any]]:
    return [each for each in records if each.get("requestId") == request_id]


def test_who_was_shown_a_document_is_found_by_document_and_by_user(stage: Target, audit: Audit) -> None:
    request_id, events = answered(stage, "alice", QUESTION)
    sources = next(event["sources"] for event in events.by_seq.values() if event["type"] == "sources")
    shown = {source["documentId"] for source in sources}

    [answer] = eventually(lambda: of_request(audit("--user", "alice"), request_id))
    assert {each["documentId"] for each in answer["documents"]} == shown
    assert all(each["version"] for each in answer["documents"])
    assert (answer["kind"], answer["outcome"], answer["login"], answer["attempt"]) == ("answer", "complete", "alice", 1)
    assert answer["models"] == ["amazon.nova-lite-v1:0"]
    assert answer["outputTokens"] > 0
    for document in shown:
        assert of_request(audit("--document", document, "--since", "1h"), request_id) == [answer]
    assert of_request(audit("--document", "no-such-document"), request_id) == []
    assert of_request(audit("--user", "bob"), request_id) == []
    # The answer came over a connection whose user and address are known.
    opened = [each for each in audit("--user", answer["user"]) if each["kind"] == "connection"]
    assert answer["connectionId"] in {each["connectionId"] for each in opened}
    assert {each["address"] for each in opened} == {"127.0.0.1"}


def test_a_replay_is_found_as_one(stage: Target, audit: Audit) -> None:
    request_id, _ = answered(stage, "alice", QUESTION)
    with connected(stage.url, stage.token("alice")) as wire:
        wire.send(action="resume", requestId=request_id, afterSeq=0)
        receive_all(wire, Events())

    def both() -> bool:
        found = {each["outcome"] for each in of_request(audit("--user", "alice"), request_id)}
        return found == {"complete", "replayed"}

    eventually(both)


def test_a_refused_connection_is_found_with_its_address_and_without_its_token(stage: Target, audit: Audit) -> None:
    with pytest.raises(InvalidStatus), connected(stage.url, SECRET):
        pass

    def refused() -> list[dict[str, Any]]:
        return [each for each in audit() if each["kind"] == "connection" and each.get("refused")]

    assert {each["address"] for each in eventually(refused)} == {"127.0.0.1"}


def test_the_same_is_found_by_the_stacks_name(stage: Target, audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    request_id, _ = answered(stage, "alice", QUESTION)
    eventually(lambda: of_request(audit(), request_id))
    as_on_aws(stage, monkeypatch)
    assert of_request(audit("--user", "alice"), request_id)


def test_no_record_of_the_stage_holds_a_token_or_the_words_of_question_or_answer(stage: Target, audit: Audit) -> None:
    """Look into the log itself, at all that the tests before have asked."""
    _, events = answered(stage, "alice", QUESTION)
    assert "Seyton" in events.text
    logs = aws_client(stage.config, "logs")
    found = logs.filter_log_events(logGroupName=stage.info["outputs"]["AuditLogGroup"])["events"]
    text = "\n".join(each["message"] for each in found)
    assert '"kind":"answer"' in text
    for words in (SECRET, "Seyton", "queen", QUESTION, "eyJ"):
        assert words not in text
