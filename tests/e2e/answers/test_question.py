"""Questions over a real WebSocket to the deployed stage."""

from __future__ import annotations

import json
import re
import uuid

import pytest
from websockets.exceptions import InvalidStatus

from tests.chaos.target import Target
from tests.e2e.faults import stall_next_answer
from tests.e2e.wire import Events, Wire, ask, connected, receive_all

QUESTION = "Who tells Macbeth that the queen is dead?"


def answered(wire: Wire, message: str, **fields: object) -> Events:
    ask(wire, message, **fields)
    return receive_all(wire, Events())


def test_a_question_is_answered_with_citations(stage: Target) -> None:
    with connected(stage.url, stage.token("alice")) as wire:
        events = answered(wire, QUESTION)
    assert "Seyton" in events.text
    assert "The queen, my lord, is dead." in events.text
    assert re.search(r"\[\d+\]", events.text)
    assert events.types[0] == "accepted"
    assert events.types[-1] == "complete"
    sources = next(event["sources"] for event in events.by_seq.values() if event["type"] == "sources")
    assert sources[0]["locator"]["episode"] == "Macbeth"
    assert sources[0]["locator"]["chapter"].startswith("5.5")
    assert "Seyton" in sources[0]["locator"]["speakers"]


def test_a_scene_is_read_as_a_whole_and_so_is_the_one_asked_for_next(stage: Target) -> None:
    session = str(uuid.uuid4())
    with connected(stage.url, stage.token("alice")) as wire:
        first = answered(wire, "What happens in act 5, scene 5 of Macbeth?", sessionId=session)
        second = answered(wire, "and what happens in 5.6?", sessionId=session)
    for events, chapter in ((first, "5.5"), (second, "5.6")):
        sources = next(event["sources"] for event in events.by_seq.values() if event["type"] == "sources")
        assert {source["locator"]["episode"] for source in sources} == {"Macbeth"}
        assert {source["locator"]["chapter"].split()[0] for source in sources} == {chapter}
        lines = [source["locator"]["messages"] for source in sources]
        assert lines == sorted(lines)
        assert "read:section" in next(event["path"] for event in events.by_seq.values() if event["type"] == "complete")
        assert events.text


def test_the_scope_restricts_the_answer_to_an_episode(stage: Target) -> None:
    with connected(stage.url, stage.token("alice")) as wire:
        events = answered(wire, "Who sees a ghost?", scope={"episodes": ["hamlet"]})
    sources = next(event["sources"] for event in events.by_seq.values() if event["type"] == "sources")
    assert {source["locator"]["episode"] for source in sources} == {"Hamlet"}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the capital of Australia?", "I found no passage that answers your question well enough"),
        ("How much does a bicycle cost in Macbeth?", "I see no passage that surely answers this question."),
    ],
)
def test_what_the_passages_do_not_hold_is_said_not_to_be_found(stage: Target, question: str, answer: str) -> None:
    with connected(stage.url, stage.token("alice")) as wire:
        events = answered(wire, question)
    assert events.text.startswith(answer)


def test_a_profile_is_kept_for_its_user_alone(stage: Target) -> None:
    with connected(stage.url, stage.token("alice")) as wire:
        saved = answered(wire, "Create a character profile for Paulina: widow of Antigonus")
        listed = answered(wire, "List my character profiles")
    with connected(stage.url, stage.token("bob")) as wire:
        others = answered(wire, "List my character profiles")
    assert saved.by_seq[max(saved.by_seq)]["path"] == ["profile_request", "plan:rules", "agent:profiles"]
    assert "Paulina" in listed.text
    assert "Paulina" not in others.text


def test_a_theory_is_weighed_against_evidence_from_the_scripts(stage: Target) -> None:
    with connected(stage.url, stage.token("alice")) as wire:
        events = answered(wire, "My theory: Macbeth is afraid of Banquo. Does the text support it?")
    path = events.by_seq[max(events.by_seq)]["path"]
    assert path[:2] == ["theory_request", "plan:rules"]
    assert "agent:theories" in path
    assert path[-1].startswith("verdict:")
    assert re.search(r"\[\d+\]", events.text)
    assert "Macbeth, " in events.text


@pytest.mark.parametrize("token", ["", "not-a-token", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0."])
def test_a_bad_token_is_refused_at_the_handshake(stage: Target, token: str) -> None:
    with pytest.raises(InvalidStatus) as refused, connected(stage.url, token):
        pass
    assert refused.value.response.status_code in (401, 403)


def test_the_same_request_again_is_replayed_and_another_text_refused(stage: Target) -> None:
    with connected(stage.url, stage.token("alice")) as wire:
        request_id = ask(wire, QUESTION)
        first = receive_all(wire, Events())
        wire.send(action="sendMessage", requestId=request_id, message=QUESTION)
        assert receive_all(wire, Events()).by_seq == first.by_seq
        wire.send(action="sendMessage", requestId=request_id, message="Something else?")
        refused = wire.receive()
    assert (refused["requestId"], refused["code"]) == (request_id, "request_conflict")
    assert "seq" not in refused


def test_another_users_request_is_as_unknown_as_one_that_does_not_exist(stage: Target) -> None:
    with connected(stage.url, stage.token("alice")) as wire:
        request_id = ask(wire, QUESTION)
        receive_all(wire, Events())
    with connected(stage.url, stage.token("bob")) as wire:
        replies = []
        for wanted in (request_id, str(uuid.uuid4())):
            for action in ({"action": "resume", "afterSeq": 0}, {"action": "cancel"}):
                wire.send(requestId=wanted, **action)
                replies.append({**wire.receive(), "requestId": "…"})
    assert replies[:2] == replies[2:]
    assert {reply["code"] for reply in replies} == {"request_not_found"}


def test_a_bad_frame_gets_an_error_and_the_connection_lives_on(stage: Target) -> None:
    with connected(stage.url, stage.token("alice")) as wire:
        for text in (
            "{",
            "[]",
            '{"action":"sing"}',
            '{"action":"sendMessage","message":"hi"}',
            '{"action":"resume","requestId":"1","afterSeq":0}',
            json.dumps({"action": "sendMessage", "requestId": str(uuid.uuid4()), "message": "x" * 8001}),
            json.dumps({"action": "ping", "filler": "x" * 140_000}),
        ):
            wire.send_refused(text)
            reply = wire.receive()
            assert (reply["type"], reply["code"]) == ("error", "invalid_frame")
            assert reply["error"].endswith(".")
            wire.send(action="ping")
            assert wire.receive() == {"type": "pong"}


def test_a_cancelled_answer_stops_and_says_so(stage: Target) -> None:
    stall_next_answer(stage)
    with connected(stage.url, stage.token("alice")) as wire:
        request_id = ask(wire, "What does Hamlet say about death and sleep?")
        events = Events()
        while "chunk" not in events.types:
            events.take(wire.receive())
        wire.send(action="cancel", requestId=request_id)
        receive_all(wire, events)
    assert events.types[-1] == "cancelled"


def test_the_history_lists_sessions_and_their_turns(stage: Target) -> None:
    session = f"s-{uuid.uuid4()}"
    with connected(stage.url, stage.token("bob")) as wire:
        events = answered(wire, QUESTION, sessionId=session)
        wire.send(action="history")
        sessions = wire.receive()["sessions"]
        wire.send(action="history", sessionId=session)
        turns = wire.receive()["turns"]
    assert sessions[0]["sessionId"] == session
    assert [(turn["message"], turn["answer"], turn["status"]) for turn in turns] == [
        (QUESTION, events.text, "complete")
    ]
