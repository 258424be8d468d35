"""A scripted Bedrock on a real socket: what unmodified boto3 receives, failures in mid-stream included."""

from __future__ import annotations

import base64
import json
import struct
import threading
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar
from urllib.parse import unquote

import boto3
import pytest
from botocore.config import Config
from botocore.eventstream import EventStream
from botocore.response import StreamingBody

from cicada.adapters.aws_errors import Retry
from cicada.errors import CicadaError
from tests.patience import PATIENCE_SECONDS

STALLED, STALL_SECONDS = "x-stalls", 0.05
_BODY = "_raw_stream"
_STREAM_HEADERS = {
    "Content-Type": "application/vnd.amazon.eventstream",
    "Transfer-Encoding": "chunked",
    "Connection": "close",
}

STALL = object()
"""In a stream: send nothing more, and keep the connection open until the reader's patience ends."""
SILENCE = object()
"""In a stream: send nothing more, and keep the connection open; the reader is patient."""
DROP = object()
"""In a stream: close the connection without its end."""
FLOOD = object()
"""In a stream: repeat the frame before it until the reader leaves."""


def event(kind: str, payload: Mapping[str, Any]) -> bytes:
    return _frame({":message-type": "event", ":event-type": kind}, payload)


def exception(kind: str) -> bytes:
    return _frame({":message-type": "exception", ":exception-type": kind}, {"message": "as the script says"})


def bad_checksum(frame: bytes) -> bytes:
    return frame[:-1] + bytes([frame[-1] ^ 0xFF])


def _frame(headers: Mapping[str, str], payload: Mapping[str, Any]) -> bytes:
    packed = b"".join(_header(name, value) for name, value in {**headers, ":content-type": "application/json"}.items())
    body = json.dumps(payload).encode()
    prelude = struct.pack("!II", 12 + len(packed) + len(body) + 4, len(packed))
    message = prelude + struct.pack("!I", zlib.crc32(prelude)) + packed + body
    return message + struct.pack("!I", zlib.crc32(message))


def _header(name: str, value: str) -> bytes:
    return struct.pack("!B", len(name)) + name.encode() + b"\x07" + struct.pack("!H", len(value)) + value.encode()


def text_delta(text: str) -> bytes:
    return event("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": text}})


def reply_end(stop_reason: str = "end_turn", read: int = 7, written: int = 3) -> tuple[bytes, bytes]:
    usage = {"inputTokens": read, "outputTokens": written, "totalTokens": read + written}
    return (
        event("messageStop", {"stopReason": stop_reason}),
        event("metadata", {"usage": usage, "metrics": {"latencyMs": 1}}),
    )


def tool_call(name: str, arguments: str, index: int = 1, tool_use_id: str = "call-1") -> tuple[bytes, ...]:
    """A tool call whose JSON comes in two pieces."""
    half = len(arguments) // 2
    start = {"toolUse": {"toolUseId": tool_use_id, "name": name}}
    deltas = [{"toolUse": {"input": part}} for part in (arguments[:half], arguments[half:])]
    return (
        event("contentBlockStart", {"contentBlockIndex": index, "start": start}),
        *(event("contentBlockDelta", {"contentBlockIndex": index, "delta": delta}) for delta in deltas),
        event("contentBlockStop", {"contentBlockIndex": index}),
    )


def agent_chunk(content: bytes) -> bytes:
    return event("chunk", {"bytes": base64.b64encode(content).decode()})


@dataclass(frozen=True)
class Streamed:
    """An event stream: frames, and at the end perhaps `STALL`, `SILENCE`, `DROP` or `FLOOD`."""

    frames: Sequence[object]


@dataclass(frozen=True)
class Answered:
    """A plain JSON reply."""

    body: object


@dataclass(frozen=True)
class Refused:
    """An error instead of a reply."""

    status: int
    code: str


Piece = TypeVar("Piece")


THROTTLED = Refused(429, "ThrottlingException")
BUSY = Refused(503, "ServiceUnavailableException")
DENIED = Refused(403, "AccessDeniedException")
AT_ONCE = Retry(sleep=lambda seconds: None, chance=lambda: 0.0)


Reply = Streamed | Answered | Refused


def converse_reply(
    *content: str | Mapping[str, Any], stop_reason: str = "end_turn", read: int = 7, written: int = 3
) -> Answered:
    """A message of texts, and of other blocks as Converse has them."""
    message = {"role": "assistant", "content": [{"text": each} if isinstance(each, str) else each for each in content]}
    usage = {"inputTokens": read, "outputTokens": written, "totalTokens": read + written}
    body = {"output": {"message": message}, "stopReason": stop_reason, "usage": usage, "metrics": {"latencyMs": 1}}
    return Answered(body)


def tool_use(name: str, arguments: object) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": "t1", "name": name, "input": arguments}}


@dataclass
class Request:
    path: str
    body: dict[str, Any]


@dataclass
class ScriptedBedrock:
    """Gives `replies` in order, and the last one again and again; keeps what was asked."""

    replies: list[Reply]
    requests: list[Request] = field(default_factory=list)
    url: str = ""
    released: threading.Event = field(default_factory=threading.Event)
    reader_left: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def client(self, service: str) -> Any:
        """A client that makes each call once. It waits long for a reply, and not at all for the end of a stall."""
        patience = Config(retries={"total_max_attempts": 1}, read_timeout=PATIENCE_SECONDS)
        made = boto3.client(
            service,  # type: ignore[call-overload]
            region_name="us-east-1",
            endpoint_url=self.url,
            aws_access_key_id="test",
            aws_secret_access_key="test",
            config=patience,
        )
        made.meta.events.register(f"response-received.{service}", self._lose_patience)
        return made

    def _lose_patience(self, response_dict: Mapping[str, Any] | None, parsed_response: Any, **_: object) -> None:
        """A stream that stalls has been sent up to there with its first bytes: nothing is waited for any more."""
        if response_dict and STALLED in response_dict["headers"]:
            StreamingBody(response_dict["body"], 0).set_socket_timeout(STALL_SECONDS)
            for stream in parsed_response.values():
                if isinstance(stream, EventStream):
                    setattr(stream, _BODY, _Hasty(getattr(stream, _BODY)))

    def next_reply(self, request: Request) -> Reply:
        with self._lock:
            self.requests.append(request)
            return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


class _Hasty:
    """A body whose timeout cannot be changed."""

    def __init__(self, body: Any) -> None:
        self._body = body

    def __getattr__(self, name: str) -> Any:
        if name == "_fp":
            raise AttributeError(name)
        return getattr(self._body, name)


@contextmanager
def scripted_bedrock(*replies: Reply, script: type[ScriptedBedrock] = ScriptedBedrock) -> Iterator[ScriptedBedrock]:
    scripted = script(list(replies))

    class Handler(_Handler):
        bedrock = scripted

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = False
    scripted.url = f"http://127.0.0.1:{server.server_port}"
    serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    serving.start()
    try:
        yield scripted
    finally:
        scripted.released.set()
        server.shutdown()
        server.server_close()
        serving.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    bedrock: ScriptedBedrock

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        reply = self.bedrock.next_reply(Request(unquote(self.path), json.loads(content)))
        try:
            if isinstance(reply, Streamed):
                self._stream(reply.frames)
            elif isinstance(reply, Answered):
                self._send(200, json.dumps(reply.body).encode())
            else:
                self._send(reply.status, b'{"message": "as the script says"}', {"x-amzn-ErrorType": reply.code})
        except OSError:
            self.bedrock.reader_left.set()

    def _send(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        fixed = {"Content-Type": "application/json", "Content-Length": str(len(body)), "Connection": "close"}
        for name, value in {**fixed, **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, frames: Sequence[object]) -> None:
        if STALL in frames:
            self._stall(frames)
            return
        self.send_response(200)
        for name, value in _STREAM_HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        last = b""
        for frame in frames:
            if frame is DROP:
                return
            if frame is SILENCE:
                self.bedrock.released.wait(PATIENCE_SECONDS)
                return
            while frame is FLOOD and not self.bedrock.released.is_set():
                self._chunk(last)
            if isinstance(frame, bytes):
                self._chunk(last := frame)
        self._chunk(b"")

    def _stall(self, frames: Sequence[object]) -> None:
        """What comes before the stall is sent in one piece, with the headers: whoever has these has all of it."""
        headers = "".join(f"{name}: {value}\r\n" for name, value in {**_STREAM_HEADERS, STALLED: "yes"}.items())
        chunks = b"".join(_chunked(frame) for frame in frames if isinstance(frame, bytes))
        self.wfile.write(f"HTTP/1.1 200 OK\r\n{headers}\r\n".encode() + chunks)
        self.bedrock.released.wait(PATIENCE_SECONDS)

    def _chunk(self, content: bytes) -> None:
        self.wfile.write(_chunked(content))

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


def _chunked(content: bytes) -> bytes:
    return f"{len(content):x}\r\n".encode() + content + b"\r\n"


def until_failure(pieces: Iterator[Piece]) -> tuple[list[Piece], CicadaError]:
    """What was said, and the failure with which it ended."""
    received: list[Piece] = []
    with pytest.raises(CicadaError) as failure:
        for piece in pieces:
            received.append(piece)
    return received, failure.value
