"""The assembly of one request's events, whatever way they arrive."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada_client.assembly import Assembly

RID = "11111111-2222-3333-4444-555555555555"
Frame = dict[str, Any]


def numbered(bodies: list[Frame]) -> list[Frame]:
    return [{"requestId": RID, "seq": seq} | body for seq, body in enumerate(bodies, start=1)]


def chunk(content: str) -> Frame:
    return {"type": "chunk", "content": content}


ACCEPTED: Frame = {"type": "accepted", "sessionId": "s"}
RESET: Frame = {"type": "reset", "reason": "again"}
middle = st.lists(
    st.one_of(
        st.text(max_size=5).map(chunk),
        st.just(RESET),
        st.integers(1, 3).map(lambda n: {"type": "sources", "sources": [{"n": n, "title": str(n)}]}),
        st.just({"type": "status", "stage": "answering"}),
        st.just({"type": "of-a-later-version"}),
    ),
    max_size=12,
)
ends = st.sampled_from(
    [{"type": "complete"}, {"type": "cancelled"}, {"type": "error", "error": "No.", "code": "internal"}]
)
scripts = st.builds(lambda events, end: numbered([ACCEPTED, *events, end]), middle, ends)


def expected_text(frames: list[Frame]) -> str:
    text = ""
    for frame in frames:
        text = "" if frame["type"] == "reset" else text + frame.get("content", "")
    return text


@st.composite
def arrivals(draw: st.DrawFn) -> tuple[list[Frame], list[Frame]]:
    """A script, and its frames in any order, some twice, with replays from any point and frames of others between."""
    frames = draw(scripts)
    replays = draw(st.lists(st.integers(0, len(frames)), max_size=3))
    noise = [frame | {"requestId": "another"} for frame in frames[:2]] + [{"type": "pong"}]
    mixed = [*frames, *(frame for start in replays for frame in frames[start:]), *noise]
    return frames, draw(st.permutations(mixed))


@given(arrivals())
def test_any_arrival_yields_each_event_once_in_order(case: tuple[list[Frame], list[Frame]]) -> None:
    frames, arriving = case
    assembly = Assembly(RID)
    taken = [event for frame in arriving for event in assembly.receive(frame)]
    assert taken == frames
    assert assembly.text == expected_text(frames)
    assert assembly.last_seq == len(frames)
    assert assembly.finished
    assert not assembly.gap


@given(arrivals(), st.integers(0, 20))
def test_what_is_taken_is_always_a_beginning_without_a_gap(case: tuple[list[Frame], list[Frame]], cut: int) -> None:
    frames, arriving = case
    assembly = Assembly(RID)
    taken = [event for frame in arriving[:cut] for event in assembly.receive(frame)]
    assert taken == frames[: len(taken)]
    assert assembly.last_seq == len(taken)
    seen = {frame["seq"] for frame in arriving[:cut] if frame.get("requestId") == RID}
    assert assembly.gap == (not assembly.finished and any(seq > len(taken) for seq in seen))
    assert assembly.text == expected_text(taken)


@given(scripts, st.data())
def test_a_reader_that_left_continues_where_it_stopped(frames: list[Frame], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(frames) - 1))
    first, second = Assembly(RID), Assembly(RID, after_seq=cut)
    begun = [event for frame in frames[:cut] for event in first.receive(frame)]
    rest = [event for frame in data.draw(st.permutations(frames)) for event in second.receive(frame)]
    assert begun + rest == frames


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
hostile = st.fixed_dictionaries(
    {},
    optional={
        "requestId": st.just(RID) | json_values,
        "seq": st.integers(-1, 3) | json_values,
        "type": st.sampled_from(["accepted", "chunk", "sources", "status", "error", "complete"]) | json_values,
        "content": json_values,
        "sources": json_values,
        "sessionId": json_values,
        "error": json_values,
        "code": json_values,
    },
)


@given(st.lists(hostile, max_size=20))
def test_hostile_frames_never_break_the_order_or_the_types(frames: list[Frame]) -> None:
    assembly = Assembly(RID)
    taken = [event for frame in frames for event in assembly.receive(frame)]
    assert [event["seq"] for event in taken] == list(range(1, len(taken) + 1))
    assert isinstance(assembly.text, str)


def test_the_first_of_two_events_with_one_number_counts() -> None:
    assembly = Assembly(RID)
    late, other = numbered([ACCEPTED, chunk("a")])[1], numbered([ACCEPTED, chunk("b")])[1]
    for frame in (late, other, *numbered([ACCEPTED])):
        assembly.receive(frame)
    assert assembly.text == "a"


def test_a_later_source_with_the_same_number_replaces_the_earlier() -> None:
    assembly = Assembly(RID)
    sources = [{"type": "sources", "sources": [{"n": 1, "title": title}, {"n": 2}]} for title in ("old", "new")]
    for frame in numbered([ACCEPTED, *sources]):
        assembly.receive(frame)
    assert assembly.sources == [{"n": 1, "title": "new"}, {"n": 2}]


@pytest.mark.parametrize(
    ("end", "status"),
    [
        ({"type": "complete"}, "complete"),
        ({"type": "cancelled"}, "cancelled"),
        ({"type": "error", "error": "No.", "code": "internal"}, "failed"),
    ],
)
def test_nothing_counts_after_the_end(end: Frame, status: str) -> None:
    assembly = Assembly(RID)
    frames = numbered([ACCEPTED, chunk("a"), end, chunk("b")])
    for frame in [frames[3], *frames[:3], frames[3]]:
        assembly.receive(frame)
    assert (assembly.status, assembly.text, assembly.gap, assembly.last_seq) == (status, "a", False, 3)
    assert (assembly.error is not None) == (status == "failed")


def test_a_flood_of_early_events_is_bounded_and_the_missing_one_still_gets_in() -> None:
    assembly = Assembly(RID)
    for seq in range(2, 6000):
        assembly.receive({"requestId": RID, "seq": seq} | chunk("x"))
    assert assembly.held == 4096
    assert len(assembly.receive(numbered([ACCEPTED])[0])) == 4097
