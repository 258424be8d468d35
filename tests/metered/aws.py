"""AWS clients whose HTTP is answered in this process: calls are built, signed and parsed by the real SDK."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import boto3
from botocore.awsrequest import AWSPreparedRequest, AWSResponse, HeadersDict

from cicada.bootstrap.aws import configuration
from tests.metered.table import MeteredTables

# API Gateway meters messages in steps of this size.
_MESSAGE_BYTES = 32 * 1024


class MeteredAws:
    """Counts what is written, posted and queued. For a single thread.

    `on_post` is called with each frame after it was answered. `sdk_cpu_seconds`: CPU time of the SDK in all calls,
    without `meter_cpu_seconds`, the time of answering them here.
    """

    def __init__(self) -> None:
        self.tables = MeteredTables()
        self.frames: list[str] = []
        self.posted_messages = 0
        self.queued = 0
        self.sdk_cpu_seconds = 0.0
        self.meter_cpu_seconds = 0.0
        self.on_post: Callable[[str], None] | None = None
        self._call_began = 0.0
        self.dynamodb = self._client("dynamodb", self._dynamodb)
        self.sqs = self._client("sqs", self._sqs)
        self.management = self._client("apigatewaymanagementapi", self._post, "http://127.0.0.1:9/stage")

    def _client(self, service: str, answer: Callable[[str, AWSPreparedRequest], str], url: str | None = None) -> Any:
        client = boto3.client(
            service,  # type: ignore[call-overload]
            region_name="us-east-1",
            endpoint_url=url,
            aws_access_key_id="x",
            aws_secret_access_key="x",
            config=configuration(read_timeout_seconds=3, attempts=3),
        )

        def answered(request: AWSPreparedRequest, event_name: str, **_: object) -> AWSResponse:
            began = time.thread_time()
            text = answer(event_name.rpartition(".")[2], request)
            taken = time.thread_time() - began
            self.meter_cpu_seconds += taken
            self.sdk_cpu_seconds -= taken
            return AWSResponse(request.url, 200, HeadersDict(), _Text(text))  # type: ignore[arg-type]

        client.meta.events.register(f"before-send.{service}.*", answered)
        client.meta.events.register_first(f"provide-client-params.{service}.*", self._begin)
        client.meta.events.register_last(f"after-call.{service}.*", self._end)
        return client

    def _begin(self, **_: object) -> None:
        self._call_began = time.thread_time()

    def _end(self, **_: object) -> None:
        self.sdk_cpu_seconds += time.thread_time() - self._call_began

    def _dynamodb(self, operation: str, request: AWSPreparedRequest) -> str:
        return json.dumps(self.tables.call(operation, json.loads(_body(request))))

    def _sqs(self, _: str, __: AWSPreparedRequest) -> str:
        self.queued += 1
        return '{"MessageId": "m", "MD5OfMessageBody": ""}'

    def _post(self, _: str, request: AWSPreparedRequest) -> str:
        frame = _body(request).decode()
        self.frames.append(frame)
        self.posted_messages += -(-len(frame.encode()) // _MESSAGE_BYTES)
        if self.on_post:
            self.on_post(frame)
        return ""


def _body(request: AWSPreparedRequest) -> bytes:
    if isinstance(request.body, bytes):
        return request.body
    raise TypeError("The meter reads bodies of bytes only.")


class _Text:
    """A body as botocore reads it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def stream(self, **_: object) -> Iterator[bytes]:
        yield self._text.encode()
