"""A processor that is killed in the middle of an answer on the deployed stage."""

from __future__ import annotations

import os
import signal
import time

from tests.chaos.processors import processors
from tests.chaos.target import Target
from tests.e2e.faults import stall_next_answer
from tests.e2e.wire import Events, Wire, ask, connected, receive_all

QUESTION = "What does Macbeth say about tomorrow and tomorrow?"
CLIENT_SILENCE_SECONDS = 5


def receive_patiently(wire: Wire, request_id: str, events: Events) -> None:
    """Receive as clients do: resume whenever nothing comes for a while."""
    ask_again_at = time.monotonic() + CLIENT_SILENCE_SECONDS
    while not events.whole:
        frame = wire.receive_within(max(0.1, ask_again_at - time.monotonic()))
        if frame is None:
            wire.send(action="resume", requestId=request_id, afterSeq=events.first_gap)
            ask_again_at = time.monotonic() + CLIENT_SILENCE_SECONDS
        else:
            events.take(frame)


def test_an_answer_whose_processor_is_killed_is_begun_again_and_whole(stage: Target) -> None:
    with connected(stage.url, stage.token("alice")) as wire:
        ask(wire, QUESTION)
        undisturbed = receive_all(wire, Events())
        stall_next_answer(stage)
        request_id = ask(wire, QUESTION)
        events = Events()
        while "chunk" not in events.types:
            events.take(wire.receive())
        killed = processors(stage.config)
        for process in killed:
            os.kill(process, signal.SIGKILL)
        receive_patiently(wire, request_id, events)
    assert killed
    assert events.types.count("reset") == 1
    assert events.types.count("complete") == 1
    assert events.text == undisturbed.text
