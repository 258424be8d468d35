"""The Python client on frames made from the published schema: it reads all that is in them."""

from __future__ import annotations

from dataclasses import fields as fields_of
from dataclasses import is_dataclass
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic.alias_generators import to_camel

from cicada_client.events import is_event, parse_event
from cicada_client.exchange import Exchange, refusal
from cicada_client.history import parse_history
from cicada_client.inbox import HISTORY, Inboxes
from cicada_client.listing import read_listing
from cicada_client.shared import parse_shared
from cicada_client.timing import Timing
from tests.published.generation import EVENTS, LATER_NAMES, frames

# What the client leaves to its caller's knowledge: which session's turns it asked for, and that an answer which has
# ended with an error is not worth a repeat.
PASSED_OVER = {"listing": {"groupCount"}, "history": {"type", "sessionId"}, "error": {"retryAfterSeconds"}}

# Places in a text that the client reads only as far as they are in it (`tests/unit/clients/test_events.py`).
IN_THE_TEXT = {"spans", "unsupported"}
# What the client has as an empty text where the frame has nothing.
EMPTY_FOR_NONE = {"stopped"}


def on_the_wire(value: object) -> Any:
    """A value of the client as JSON; what is not set, empty or false is left out."""
    if is_dataclass(value):
        named = {to_camel(field.name): on_the_wire(getattr(value, field.name)) for field in fields_of(value)}
        return {
            name: found
            for name, found in named.items()
            if _says(found) and name not in IN_THE_TEXT and not (name in EMPTY_FOR_NONE and found == "")
        }
    return [on_the_wire(item) for item in value] if isinstance(value, tuple) else value


def without_empty(value: Any) -> Any:
    """The frame without what says nothing: null, false, and an empty list."""
    if isinstance(value, list):
        return [without_empty(item) for item in value]
    if isinstance(value, dict):
        found = {name: without_empty(item) for name, item in value.items()}
        return {name: item for name, item in found.items() if _says(item) and name not in IN_THE_TEXT}
    return value


def _says(value: object) -> bool:
    return value is not None and value is not False and value != []


@pytest.mark.parametrize("kind", EVENTS)
@settings(max_examples=15)
@given(data=st.data())
def test_every_field_of_an_event_is_read(kind: str, data: st.DataObject) -> None:
    frame = data.draw(frames(kind))
    assert is_event(frame, frame["requestId"])
    passed_over = PASSED_OVER.get(frame["type"], set())
    expected = {name: value for name, value in without_empty(frame).items() if name not in passed_over}
    # A client counts the groups itself where the frame does not.
    read = on_the_wire(parse_event(frame))
    assert {name: value for name, value in read.items() if name not in passed_over} == expected


@given(frames("HistoryPage"))
def test_every_field_of_a_page_is_read(frame: dict[str, Any]) -> None:
    expected = {name: value for name, value in without_empty(frame).items() if name not in PASSED_OVER["history"]}
    assert on_the_wire(parse_history(frame)) == expected


@given(frames("ListingPage"))
def test_every_field_of_further_rows_is_read(frame: dict[str, Any]) -> None:
    expected = {name: value for name, value in without_empty(frame).items() if name not in ("type", "requestId")}
    read = on_the_wire(read_listing(frame["requestId"], 0, frame))
    assert {name: value for name, value in read.items() if name in frame and name in expected} == expected


@given(frames("SharedPage"))
def test_every_field_of_a_shared_session_is_read(frame: dict[str, Any]) -> None:
    expected = {name: value for name, value in without_empty(frame).items() if name not in ("type", "requestId")}
    assert on_the_wire(parse_shared(frame)) == expected


@given(frames("Refusal"))
def test_every_field_of_a_refusal_is_read(frame: dict[str, Any]) -> None:
    refused = refusal(frame)
    assert (str(refused), refused.code, refused.retryable) == (frame["error"], frame["code"], frame["retryable"])
    wait = frame.get("retryAfterSeconds")
    assert refused.retry_after_seconds == (wait if wait is not None and wait >= 0 else None)


@given(frames("Pending"))
def test_what_pending_says_is_when_the_client_resumes(frame: dict[str, Any]) -> None:
    wait = frame["retryAfterSeconds"]
    assume(0 <= wait < 10**6)
    exchange = Exchange(frame["requestId"], None, Timing(patience_seconds=float("inf")), 0.0)
    exchange.receive(frame, 0.0)
    assert exchange.wait(0.0) == max(Timing().gap_seconds, wait)


def of_today(value: Any) -> Any:
    """The frame without what a later server has added."""
    if isinstance(value, list):
        return [of_today(item) for item in value]
    if isinstance(value, dict):
        return {name: of_today(item) for name, item in value.items() if name not in LATER_NAMES}
    return value


@given(frames(*EVENTS, of_later_server=True))
def test_what_a_later_server_adds_to_an_event_changes_nothing(frame: dict[str, Any]) -> None:
    assert is_event(frame, frame["requestId"])
    assert parse_event(frame) == parse_event(of_today(frame))


@given(frames("HistoryPage", of_later_server=True))
def test_what_a_later_server_adds_to_a_page_changes_nothing(frame: dict[str, Any]) -> None:
    assert parse_history(frame) == parse_history(of_today(frame))


@given(frames())
def test_a_frame_goes_to_whom_it_is_for(frame: dict[str, Any]) -> None:
    """A frame goes by its requestId; without one, a page or a refusal to who waits for a page, a pong to nobody."""
    inboxes = Inboxes()
    of_request, of_history = inboxes.open(frame.get("requestId", "another")), inboxes.open(HISTORY)
    inboxes.dispatch(frame)
    assert of_request.empty == ("requestId" not in frame)
    assert of_history.empty == ("requestId" in frame or frame["type"] == "pong")
