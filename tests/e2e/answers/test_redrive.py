"""A request that failed, and the operator who lets it be answered after all, on the deployed stage."""

from __future__ import annotations

import pytest

from cli.__main__ import main
from tests.chaos.target import Target
from tests.e2e.faults import order_fault
from tests.e2e.wire import Events, Wire, ask, connected, receive_all

QUESTION = "Who tells Macbeth that the queen is dead?"


def resumed(wire: Wire, request_id: str, after_seq: int) -> Events:
    """The events after `after_seq`, in whatever order they come, until the answer has ended."""
    wire.send(action="resume", requestId=request_id, afterSeq=after_seq)
    events = Events()
    while "complete" not in events.types or max(events.by_seq) - after_seq > len(events.by_seq):
        events.take(wire.receive())
    return events


def test_a_redriven_request_is_answered_as_if_it_had_never_failed(
    stage: Target, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CICADA_STAGE_FILE", str(stage.config.info_file))
    with connected(stage.url, stage.token("bob")) as wire:
        ask(wire, QUESTION)
        undisturbed = receive_all(wire, Events())
        order_fault(stage, operation="converse-stream", kind="drop", after=2, times=2)
        request_id = ask(wire, QUESTION)
        failed = receive_all(wire, Events())
    assert failed.types[-1] == "error"
    assert failed.types.count("reset") == 1

    capsys.readouterr()
    assert main(["redrive", "--list"]) == 0
    listed = capsys.readouterr().out
    assert [line.split()[:2] for line in listed.splitlines() if line.startswith(request_id)] == [
        [request_id, "stream_broken"]
    ]
    assert main(["redrive"]) == 0
    assert f"{request_id}  queued again" in capsys.readouterr().out

    with connected(stage.url, stage.token("bob")) as wire:
        whole = resumed(wire, request_id, 0)
    with connected(stage.url, stage.token("bob")) as wire:
        rest = resumed(wire, request_id, failed.first_gap)
    assert "error" not in whole.types
    assert whole.text == rest.text == undisturbed.text
    assert main(["redrive", "--list"]) == 0
    assert request_id not in capsys.readouterr().out
