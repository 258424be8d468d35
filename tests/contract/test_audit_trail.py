"""The audit trail, in memory and in CloudWatch Logs (moto)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError, EndpointConnectionError
from moto import mock_aws

from cicada.adapters.cloudwatch_audit_trail import CloudWatchAuditTrail
from cicada.errors import ConfigurationError, ThrottledError, UnavailableError
from cicada.observability.audit import DocumentsShown, Handshake, ShownDocument

GROUP = "the-audit-log"
NOW = 1_795_262_400.0
OPENED = Handshake(NOW, "c1", "192.0.2.1", "curl/8", "acme", "u1", "ann")
REQUEST = "7e57d004-2b97-4e7a-b45f-5387367791cd"
DOCUMENT = ShownDocument("scripts", "macbeth.json", "v1")
SHOWN = DocumentsShown(NOW + 1, "acme", "u1", REQUEST, 1, "scripts", "complete", (DOCUMENT,), path=("generate",))


@pytest.fixture
def logs(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setattr("time.time", lambda: NOW + 5)
    with mock_aws():
        client = boto3.client("logs", region_name="us-east-1")
        client.create_log_group(logGroupName=GROUP)
        yield client


def stored(logs: Any) -> list[tuple[str, int, dict[str, Any]]]:
    events = logs.filter_log_events(logGroupName=GROUP)["events"]
    return [(each["logStreamName"], each["timestamp"], json.loads(each["message"])) for each in events]


def test_records_are_json_objects_at_their_times_in_the_writers_own_stream(logs: Any) -> None:
    trail = CloudWatchAuditTrail(logs, GROUP, "ws_connect/1")
    # Out of order: CloudWatch Logs would refuse them.
    trail.write([SHOWN, OPENED])
    trail.write([SHOWN])
    CloudWatchAuditTrail(logs, GROUP, "ws_connect/2").write([OPENED])
    written = stored(logs)
    assert sorted(stream for stream, _, _ in written) == ["ws_connect/1"] * 3 + ["ws_connect/2"]
    handshake = {"kind": "connection", "at": NOW, "connectionId": "c1", "address": "192.0.2.1"}
    handshake |= {"userAgent": "curl/8", "tenant": "acme", "user": "u1", "login": "ann"}
    assert ("ws_connect/1", int(NOW * 1000), handshake) in written
    shown = next(each for _, _, each in written if each["kind"] == "answer")
    assert shown["documents"] == [{"knowledgeBase": "scripts", "documentId": "macbeth.json", "version": "v1"}]


def test_nothing_to_write_is_no_call(logs: Any) -> None:
    CloudWatchAuditTrail(logs, "no-such-group", "s").write([])


def test_a_group_that_is_not_there_is_the_operators_to_mend(logs: Any) -> None:
    with pytest.raises(ConfigurationError, match="audit log refused the call"):
        CloudWatchAuditTrail(logs, "no-such-group", "s").write([OPENED])


class Refusing:
    """Answers PutLogEvents as scripted."""

    def __init__(self, reply: Any) -> None:
        self.reply = reply
        self.calls = 0

    def create_log_stream(self, **request: Any) -> object:
        raise ClientError({"Error": {"Code": "ResourceAlreadyExistsException"}}, "CreateLogStream")

    def put_log_events(self, **request: Any) -> Any:
        self.calls += 1
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        # The call succeeds, and records are missing all the same.
        ({"rejectedLogEventsInfo": {"tooOldLogEventEndIndex": 1}}, UnavailableError),
        (ClientError({"Error": {"Code": "ThrottlingException"}}, "PutLogEvents"), ThrottledError),
        (ClientError({"Error": {"Code": "AccessDeniedException"}}, "PutLogEvents"), ConfigurationError),
        (ClientError({"Error": {"Code": "ServiceUnavailableException"}}, "PutLogEvents"), UnavailableError),
        (EndpointConnectionError(endpoint_url="https://logs"), UnavailableError),
    ],
)
def test_a_record_that_is_not_stored_is_an_error(reply: Any, error: type[Exception]) -> None:
    client = Refusing(reply)
    with pytest.raises(error):
        CloudWatchAuditTrail(client, GROUP, "s").write([OPENED])
    assert client.calls == 1


def test_cloudwatch_logs_deletes_no_single_events() -> None:
    """Nobody can take a person or a trace out of the trail without taking out all others of the stream."""
    with mock_aws():
        operations = boto3.client("logs", region_name="us-east-1").meta.service_model.operation_names
    deleting = {name for name in operations if name.startswith("Delete")}
    assert {"DeleteLogGroup", "DeleteLogStream"} <= deleting
    assert not {name for name in deleting if "Event" in name}
