"""Frames are what botocore's own decoder reads."""

from typing import Any

import pytest
from botocore.eventstream import ChecksumMismatch, EventStreamBuffer

from local.bedrock.wire import Event, WireError, exception_frame, with_bad_checksum


def decoded(data: bytes) -> list[Any]:
    buffer = EventStreamBuffer()
    buffer.add_data(data)
    return list(buffer)


def test_an_event_has_its_type_its_content_type_and_its_payload() -> None:
    (message,) = decoded(Event("messageStop", {"stopReason": "end_turn"}).frame())
    assert message.headers == {
        ":event-type": "messageStop",
        ":content-type": "application/json",
        ":message-type": "event",
    }
    assert message.payload == b'{"stopReason": "end_turn"}'


def test_frames_follow_each_other_without_separators() -> None:
    frames = Event("a", {}).frame() + Event("b", {"text": "Öl"}).frame()
    assert [message.headers[":event-type"] for message in decoded(frames)] == ["a", "b"]


def test_an_exception_is_named_in_lower_camel_case() -> None:
    (message,) = decoded(exception_frame(WireError("ThrottlingException", "slow down")))
    assert message.headers[":message-type"] == "exception"
    assert message.headers[":exception-type"] == "throttlingException"
    assert message.payload == b'{"message": "slow down"}'


def test_a_spoilt_checksum_is_noticed() -> None:
    with pytest.raises(ChecksumMismatch):
        decoded(with_bad_checksum(Event("a", {}).frame()))
