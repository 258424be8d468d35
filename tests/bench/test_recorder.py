"""What the recorder makes of calls that no permission explains; the end-to-end tests show that it knows the others."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import boto3
import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse

from tests.e2e.recorder import Recorder
from tests.relay import Call

ENDPOINT = "http://localhost:4566"


def tagging() -> Call:
    """What an SDK sends to read an object's tags, which nobody answers."""
    client: Any = boto3.client(
        "s3", endpoint_url=ENDPOINT, region_name="us-east-1", aws_access_key_id="id", aws_secret_access_key="no"
    )
    calls: list[Call] = []

    def keep(request: AWSPreparedRequest, **_: object) -> AWSResponse:
        sent = {
            name.lower(): value if isinstance(value, str) else value.decode() for name, value in request.headers.items()
        }
        calls.append(Call(request.method, request.url.removeprefix(ENDPOINT), sent, b"", 1))
        raise InterruptedError

    client.meta.events.register("before-send", keep)
    with suppress(InterruptedError):
        client.get_object_tagging(Bucket="cicada-local-ingestdocumentsbucket551d14af-1", Key="documents/a")
    return calls[0]


def test_a_call_that_is_not_understood_is_what_nobody_may_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SDK_UA_APP_ID", "ws_message")
    recorder = Recorder()
    recorder.note(tagging())
    [call] = recorder.seen([])
    assert (call.function, call.resource) == ("ws_message", "not understood")


def test_an_operators_call_is_no_functions() -> None:
    recorder = Recorder()
    recorder.note(tagging())
    assert recorder.seen([]) == set()
