"""Faults reach boto3 as the failures that the functions must survive."""

import json
import urllib.error
import urllib.request
from contextlib import closing
from typing import Any

import pytest
from botocore.eventstream import ChecksumMismatch
from botocore.exceptions import ClientError, EventStreamError, ReadTimeoutError
from botocore.response import StreamingBody
from urllib3.exceptions import ProtocolError
from urllib3.exceptions import ReadTimeoutError as StalledError

from local.bedrock.app import build
from local.bedrock.embedder import HashEmbedder
from local.bedrock.settings import Settings
from tests.local.bedrock.conftest import Client, Serve, converse_request


@pytest.fixture
def url(serve: Serve) -> str:
    return serve(build(Settings(tokens_per_second=0), HashEmbedder()))


@pytest.fixture
def runtime(client: Client, url: str) -> Any:
    return client("bedrock-runtime", url)


def control(url: str, method: str, fault: dict[str, Any] | None = None) -> Any:
    body = json.dumps(fault).encode() if fault else None
    request = urllib.request.Request(f"{url}/_standin/faults", body, method=method)  # noqa: S310
    with urllib.request.urlopen(request) as reply:  # noqa: S310
        return json.loads(reply.read() or b"{}")


def order(url: str, kind: str, operation: str = "converse-stream", **more: Any) -> None:
    control(url, "POST", {"operation": operation, "kind": kind, **more})


def deltas(runtime: Any, patient_for: int | None = None) -> tuple[list[str], Exception | None]:
    """The deltas that arrived, and what ended them. `patient_for`: after so many no other one is waited for."""
    seen: list[str] = []
    try:
        with closing(runtime.converse_stream(**converse_request("Hello!"))["stream"]) as stream:
            for event in stream:
                if "contentBlockDelta" in event:
                    seen.append(event["contentBlockDelta"]["delta"]["text"])
                if len(seen) == patient_for:
                    StreamingBody(stream._raw_stream, 0).set_socket_timeout(0.05)
    except (ClientError, ProtocolError, StalledError, ReadTimeoutError, ChecksumMismatch) as error:
        return seen, error
    return seen, None


def test_a_throttled_stream_is_an_http_error_before_it_starts(url: str, runtime: Any) -> None:
    order(url, "throttle")
    seen, error = deltas(runtime)
    assert seen == []
    assert isinstance(error, ClientError)
    assert error.response["Error"]["Code"] == "ThrottlingException"
    assert error.response["ResponseMetadata"]["HTTPStatusCode"] == 429


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("throttle", "throttlingException"),
        ("exception", "modelStreamErrorException"),
        ("drop", ProtocolError),
        ("stall", StalledError),
        ("bad-checksum", ChecksumMismatch),
    ],
)
def test_a_fault_in_the_middle_strikes_once_after_that_many_deltas(
    url: str, runtime: Any, kind: str, expected: str | type[Exception]
) -> None:
    order(url, kind, after=3)
    seen, error = deltas(runtime, patient_for=3 if kind == "stall" else None)
    assert len(seen) == 3
    if isinstance(expected, str):
        assert isinstance(error, EventStreamError)
        assert error.response["Error"]["Code"] == expected
    else:
        assert isinstance(error, (expected, ReadTimeoutError))
    assert deltas(runtime)[1] is None


def test_a_fault_of_one_model_leaves_the_others_alone(url: str, runtime: Any) -> None:
    order(url, "throttle", model_id="another-model")
    assert deltas(runtime)[1] is None
    assert [each["model_id"] for each in control(url, "GET")["waiting"]] == ["another-model"]
