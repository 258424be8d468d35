"""The delivery promise on the deployed stage: a connection lost after any event loses nothing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from tests.chaos.target import Target
from tests.e2e.wire import Events, ask, connected, receive_all

QUESTION = "Who tells Macbeth that the queen is dead?"


def uninterrupted(stage: Target, token: str) -> Events:
    with connected(stage.url, token) as wire:
        ask(wire, QUESTION)
        return receive_all(wire, Events())


def interrupted(stage: Target, token: str, after: int) -> Events:
    """The same question on a connection that breaks after so many frames, resumed on a second one."""
    events = Events()
    with connected(stage.url, token) as wire:
        request_id = ask(wire, QUESTION)
        while len(events.by_seq) < after and not events.whole:
            events.take(wire.receive())
        wire.drop()
    with connected(stage.url, token) as wire:
        wire.send(action="resume", requestId=request_id, afterSeq=events.first_gap)
        return receive_all(wire, events)


def test_a_connection_lost_after_any_event_loses_and_doubles_nothing(stage: Target) -> None:
    token = stage.token("alice")
    whole = uninterrupted(stage, token)
    with ThreadPoolExecutor(4) as pool:
        cut = list(pool.map(lambda after: interrupted(stage, token, after), range(1, len(whole.by_seq) + 1)))
    ends = [events.by_seq[max(events.by_seq)] for events in cut]
    assert [end for end in ends if end["type"] != "complete"] == []
    assert [events.text for events in cut] == [whole.text] * len(cut)
    assert all(events.types.count("complete") == 1 for events in cut)


def test_a_question_whose_sender_never_hears_of_it_is_answered_all_the_same(stage: Target) -> None:
    token = stage.token("alice")
    whole = uninterrupted(stage, token)
    assert interrupted(stage, token, 0).text == whole.text
