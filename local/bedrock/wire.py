"""Bedrock's wire forms: event-stream frames, and errors that boto3 turns into its exceptions."""

import json
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

STATUSES = {
    "ValidationException": 400,
    "AccessDeniedException": 403,
    "ResourceNotFoundException": 404,
    "ModelErrorException": 424,
    "DependencyFailedException": 424,
    "ThrottlingException": 429,
    "InternalServerException": 500,
    "ServiceUnavailableException": 503,
}


class WireError(Exception):
    """An answer in Bedrock's error form. `code` is its exception's name, such as `ValidationException`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    @property
    def status(self) -> int:
        return STATUSES.get(self.code, 500)


def invalid(message: str) -> WireError:
    return WireError("ValidationException", message)


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a stream, before encoding as a frame. `is_delta`: paced, and counted by faults."""

    kind: str
    payload: Mapping[str, Any]
    is_delta: bool = False

    def frame(self) -> bytes:
        headers = {":event-type": self.kind, ":content-type": "application/json", ":message-type": "event"}
        return frame(headers, json.dumps(self.payload).encode())


def exception_frame(error: WireError) -> bytes:
    """An error in the middle of a stream; its type starts in lower case there."""
    kind = error.code[0].lower() + error.code[1:]
    headers = {":exception-type": kind, ":content-type": "application/json", ":message-type": "exception"}
    return frame(headers, json.dumps({"message": error.message}).encode())


def frame(headers: Mapping[str, str], payload: bytes) -> bytes:
    """`u32 total | u32 header bytes | crc32 | headers | payload | crc32 of all before`, all values big-endian."""
    packed = b"".join(_header(name, value) for name, value in headers.items())
    prelude = struct.pack("!II", 16 + len(packed) + len(payload), len(packed))
    message = prelude + struct.pack("!I", zlib.crc32(prelude)) + packed + payload
    return message + struct.pack("!I", zlib.crc32(message))


def _header(name: str, value: str) -> bytes:
    """Type 7 is a string with a 16-bit length."""
    key, content = name.encode(), value.encode()
    return struct.pack("!B", len(key)) + key + b"\x07" + struct.pack("!H", len(content)) + content


def with_bad_checksum(message: bytes) -> bytes:
    return message[:-1] + bytes((message[-1] ^ 0xFF,))
