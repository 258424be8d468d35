"""What the SDK sends, as the permissions that it needs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import boto3
import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse

from tests.e2e.recorder import Recorder
from tests.relay import Call

BUCKET = {"Bucket": "cicada-local-ingestdocumentsbucket551d14af-1"}


def sent(service: Any, call: Callable[[Any], Any], endpoint: str = "http://localhost:4566") -> Call:
    """What a function's SDK sends, which nobody answers."""
    client = boto3.client(
        service,
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="id",
        aws_secret_access_key="secret",
    )
    calls: list[Call] = []

    def keep(request: AWSPreparedRequest, **_: object) -> AWSResponse:
        headers = {
            name.lower(): value.decode() if isinstance(value, bytes) else value
            for name, value in request.headers.items()
        }
        body = request.body or b""
        body = body.encode() if isinstance(body, str) else body
        path = request.url.removeprefix("http://localhost:4566")
        calls.append(Call(request.method, path, headers, body if isinstance(body, bytes) else b"", 1))
        raise InterruptedError

    client.meta.events.register("before-send", keep)
    with suppress(InterruptedError):
        call(client)
    return calls[0]


def test_a_call_that_is_not_understood_is_recorded_as_what_nobody_may_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SDK_UA_APP_ID", "ws_message")
    recorder = Recorder()
    recorder.note(sent("s3", lambda c: c.get_object_tagging(**BUCKET, Key="documents/a")))
    [call] = recorder.seen([])
    assert (call.function, call.resource) == ("ws_message", "not understood")


def test_an_operators_call_is_no_functions() -> None:
    recorder = Recorder()
    recorder.note(sent("s3", lambda c: c.get_object_tagging(**BUCKET, Key="documents/a")))
    assert recorder.seen([]) == set()
