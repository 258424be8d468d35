"""The published schemas against the code that writes frames and reads commands."""

from __future__ import annotations

import json
from random import Random
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.json import encode

from cicada.conversation import protocol
from cicada.conversation.model import Status
from cicada.conversation.protocol import (
    AnyCommand,
    AnyEventBody,
    event_body,
    frame,
    parse_command,
    parse_event,
    stored_frame,
)
from cicada.errors import InvalidFrameError
from tests.property.frames import FrameMaker
from tests.published.generation import EVENTS, commands, frames
from tests.published.validation import fault_in_frame, open_validator
from tests.unit.conversation.test_events import EVENT, ID, TEXT

SUMMARY = st.builds(protocol.SessionSummary, session_id=TEXT, title=TEXT, last_at=TEXT)
TURN = st.builds(
    protocol.Turn,
    request_id=TEXT,
    created_at=TEXT,
    status=st.sampled_from(Status),
    message=TEXT,
    answer=TEXT,
    truncated=st.booleans(),
)
PAGE = st.builds(
    protocol.HistoryPage,
    session_id=st.none() | TEXT,
    sessions=st.lists(SUMMARY, max_size=3).map(tuple),
    turns=st.lists(TURN, max_size=3).map(tuple),
    before=st.none() | TEXT,
)
REFUSAL = st.builds(
    protocol.Failed, error=TEXT, code=TEXT, retryable=st.booleans(), retry_after_seconds=st.none() | st.integers(0, 99)
)
PENDING = st.builds(protocol.Pending, retry_after_seconds=st.floats(0, 1000))


@given(EVENT, st.integers(1, 99_999_999))
def test_every_event_that_can_be_written_is_published(event: AnyEventBody, seq: int) -> None:
    assert fault_in_frame(json.loads(stored_frame(event_body(event), request_id=ID, seq=seq))) is None


@given(PAGE | st.builds(protocol.Pong) | REFUSAL, PENDING | REFUSAL)
def test_every_reply_that_can_be_written_is_published(plain: Struct, of_request: Struct) -> None:
    assert fault_in_frame(json.loads(frame(plain))) is None
    assert fault_in_frame(json.loads(frame(of_request, request_id=ID))) is None


@pytest.mark.parametrize("kind", EVENTS)
@settings(max_examples=15)
@given(data=st.data())
def test_every_event_that_is_published_can_be_written(kind: str, data: st.DataObject) -> None:
    fields = data.draw(frames(kind))
    head = {"requestId", "seq"}
    event = parse_event(json.dumps({name: value for name, value in fields.items() if name not in head}))
    assert json.loads(stored_frame(event_body(event), request_id=fields["requestId"], seq=fields["seq"])) == fields


@pytest.mark.parametrize("action", [str(each.__struct_config__.tag) for each in get_args(AnyCommand)])
@settings(max_examples=15)
@given(data=st.data())
def test_every_command_that_is_published_is_taken(action: str, data: st.DataObject) -> None:
    fields = data.draw(commands(action))
    command = parse_command(json.dumps(fields))
    assert is_told(json.loads(encode(command)), fields)


def is_told(read: Any, written: Any) -> bool:
    """Whether all that was written was read; what was not written has its default."""
    if isinstance(written, dict):
        return all(is_told(read[name], value) for name, value in written.items())
    if isinstance(written, list):
        return len(read) == len(written) and all(map(is_told, read, written))
    return bool(read == written)


def test_nothing_is_taken_that_is_not_published() -> None:
    published = open_validator("commands.schema.json")
    maker = FrameMaker(Random(20261122), (ID,))
    taken = 0
    for text in (maker.frame() for _ in range(3_000)):
        try:
            parse_command(text)
        except InvalidFrameError:
            continue
        taken += 1
        assert published.is_valid(json.loads(text)), text
    assert taken > 500
