"""How frames become values, and what the values add up to."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada.conversation import protocol
from cicada_client.answer import Answer
from cicada_client.events import (
    FINAL_TYPES,
    Accepted,
    Chunk,
    Complete,
    Event,
    Locator,
    Reset,
    Source,
    Sources,
    Unsupported,
    is_event,
    parse_event,
)
from cicada_client.history import parse_history
from cicada_client.listing import Aggregate, Figure, Group, ListedDocument, Listing

RID = "11111111-2222-3333-4444-555555555555"


def test_the_final_types_are_those_of_the_protocol() -> None:
    assert {kind.__struct_config__.tag for kind in protocol.TERMINAL} == FINAL_TYPES


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
field_names = [
    "sources",
    "usage",
    "timings",
    "path",
    "confidence",
    "plan",
    "offset",
    "nextOffset",
    "countedBy",
    "counts",
    "columns",
    "aggregates",
    "groupedBy",
    "groups",
    "groupCount",
    "reason",
    "detail",
    "retryable",
    "sessions",
    "turns",
]
source_names = ["n", "documentId", "title", "locator", "excerpt", "relevance", "fields", "spans"]
sources = st.lists(st.dictionaries(st.sampled_from(source_names), json_values) | json_values, max_size=3)


@given(
    st.sampled_from(["sources", "listing", "complete", "reset", "status", "error"]),
    st.dictionaries(st.sampled_from(field_names), json_values),
    sources,
)
def test_whatever_stands_in_a_known_event_it_can_be_read(kind: str, fields: dict[str, Any], items: list[Any]) -> None:
    needed = {"stage": "x", "error": "E.", "code": "c", "sources": items, "documents": items, "total": 3}
    frame = fields | needed | {"requestId": RID, "seq": 1, "type": kind}
    assert is_event(frame, RID)
    event = parse_event(frame)
    assert event is not None
    assert event.type == kind
    parse_history(frame)


def test_events_add_up_to_an_answer() -> None:
    source = Source(1, "d", "T", Locator(), "e", 0.5)
    answer = Answer()
    events: list[Event] = [
        Accepted(RID, 1, "s"),
        Chunk(RID, 2, "wrong"),
        Sources(RID, 3, (source,)),
        Reset(RID, 4, "r"),
        Sources(RID, 5, (Source(2, "d", "T", Locator(), "e", 0.5), source)),
        Chunk(RID, 6, "right"),
        Complete(RID, 7, {"outputTokens": 1}, {}, ("direct",), None),
    ]
    for event in events:
        answer = answer.then(event)
    assert (answer.request_id, answer.session_id, answer.text, answer.status) == (RID, "s", "right", "complete")
    assert [item.n for item in answer.sources] == [2, 1]
    assert answer.path == ("direct",)


def test_the_spans_of_a_source_are_read_as_far_as_they_are_of_its_excerpt() -> None:
    sent: Any = [[0, 1], [1, 3], [2, 4], [3, 3], [-1, 2], [4, 9], "5", [5], [5, "6"], None, [5, 6]]
    item = {"n": 1, "excerpt": "Queen.", "spans": sent}
    event = parse_event({"requestId": RID, "seq": 1, "type": "sources", "sources": [item, item | {"spans": 5}]})
    assert isinstance(event, Sources)
    assert [source.spans for source in event.sources] == [((0, 1), (1, 3), (5, 6)), ()]
    assert [source.pieces for source in event.sources] == [
        (("Q", True), ("ue", True), ("en", False), (".", True)),
        (("Queen.", False),),
    ]


def test_a_source_that_is_sent_again_takes_the_place_of_the_first() -> None:
    first, second = Source(1, "d", "T", Locator(), "e", 0.5), Source(2, "d", "T", Locator(), "e", 0.5)
    again = replace(first, spans=((0, 1),))
    answer = Answer().then(Sources(RID, 1, (first, second))).then(Sources(RID, 2, (again,)))
    assert answer.sources == (again, second)


def test_marks_of_unsupported_sentences_are_read_and_unusable_ones_left_out() -> None:
    marks = [{"start": 3, "end": 9, "reason": "number"}, {"start": "3", "end": 9}, {"start": 3}, 5]
    frame = {"requestId": RID, "seq": 1, "type": "complete", "checked": 4, "unsupported": marks}
    event = parse_event(frame)
    assert isinstance(event, Complete)
    assert (event.checked, event.unsupported) == (4, (Unsupported(3, 9, "number"),))
    answer = Answer().then(event)
    assert (answer.checked, answer.unsupported) == (4, event.unsupported)
    old = parse_event(frame | {"checked": "4", "unsupported": None})
    assert isinstance(old, Complete) and (old.checked, old.unsupported) == (None, ())


@pytest.mark.parametrize(("sent", "read"), [("cut", "cut"), ("of tomorrow", "of tomorrow"), (None, ""), (5, "")])
def test_why_the_model_ended_early_is_read(sent: object, read: str) -> None:
    event = parse_event({"requestId": RID, "seq": 1, "type": "complete", "stopped": sent})
    assert isinstance(event, Complete)
    assert event.stopped == Answer().then(event).stopped == read


@pytest.mark.parametrize("more", [{"total": "9", "documents": []}, {"total": 9, "documents": {}}, {"total": 9}, {}])
def test_a_listing_without_its_form_is_no_event(more: dict[str, Any]) -> None:
    assert not is_event({"requestId": RID, "seq": 1, "type": "listing"} | more, RID)


def test_the_listings_of_an_answer_are_one() -> None:
    one, two, three = (ListedDocument(name, name) for name in ("one", "two", "three"))
    groups = (Group(("draft",), 9, (Figure("7", 7.0),)),)
    sums = (Aggregate("sum", "Value, sum", Figure("7", 7.0), 9, "value"),)
    numbers: Any = (("Status",), sums, ("Status",), groups, 3)
    answer = Answer().then(Listing(RID, 1, 9, (three,))).then(Reset(RID, 2, "r"))
    assert answer.listing is None
    answer = answer.then(Listing(RID, 3, 9, (one, two), 4, 7, *numbers))
    answer = answer.then(Listing(RID, 4, 9, (three,), 4, 7))
    assert answer.listing == Listing(RID, 4, 9, (one, two, three), 4, 7, *numbers)


def test_the_numbers_of_a_listing_are_read_as_they_are_sent() -> None:
    figure = {"value": "1,234", "number": 1234}
    frame = {
        "requestId": RID,
        "seq": 1,
        "type": "listing",
        "total": 3,
        "documents": [],
        "columns": ["Status"],
        "aggregates": [{"op": "sum", "name": "Value, sum", "figure": figure, "documents": 2, "field": "value"}],
        "groupedBy": ["Status", "Site"],
        "groups": [{"values": ["draft", None], "documents": 2, "figures": [{"value": None}]}],
        "groupCount": 4,
    }
    event = parse_event(frame)
    assert isinstance(event, Listing)
    assert event.aggregates == (Aggregate("sum", "Value, sum", Figure("1,234", 1234), 2, "value"),)
    assert event.groups == (Group(("draft", None), 2, (Figure(None),)),)
    assert (event.columns, event.grouped_by, event.group_count) == (("Status",), ("Status", "Site"), 4)


def test_counts_of_an_earlier_server_are_read_as_groups() -> None:
    counts = [{"value": "draft", "count": 9}]
    frame = {"requestId": RID, "seq": 1, "type": "listing", "total": 9, "documents": []}
    event = parse_event(frame | {"countedBy": "Status", "counts": counts})
    assert isinstance(event, Listing)
    assert (event.grouped_by, event.groups, event.group_count) == (("Status",), (Group(("draft",), 9),), 1)


def test_the_client_needs_nothing_of_the_server_and_no_aws_sdk() -> None:
    code = (
        "import sys, cicada_client.client, cicada_client.answer\n"
        "print([name for name in ('cicada', 'pydantic', 'boto3', 'asyncio') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
