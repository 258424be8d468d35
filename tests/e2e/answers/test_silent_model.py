"""A chat model that is silent, on the deployed stage: another one answers, in seconds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.chaos.target import Target
from tests.e2e.answers.test_question import QUESTION, answered
from tests.e2e.faults import cancel_faults, order_fault
from tests.e2e.processor import processor_with
from tests.e2e.wire import Events, connected

SILENT, OTHER = "amazon.nova-lite-v1:0", "amazon.nova-pro-v1:0"


@contextmanager
def silent(stage: Target, seconds: str) -> Iterator[None]:
    """Of two chat models that have so long for their first text, the first one writes nothing."""
    order_fault(stage, operation="converse-stream", kind="stall", model_id=SILENT, times=9)
    settings = {"CICADA_CHAT_MODEL_IDS": f"{SILENT},{OTHER}", "CICADA_FIRST_TEXT_SECONDS": seconds}
    try:
        with processor_with(stage, **settings):
            yield
    finally:
        cancel_faults(stage)


def asked(stage: Target) -> Events:
    with connected(stage.url, stage.token("alice")) as wire:
        return answered(wire, QUESTION)


def test_the_next_model_answers_and_the_path_says_so(stage: Target) -> None:
    with silent(stage, "10"):
        events = asked(stage)
    assert "The queen, my lord, is dead." in events.text
    complete = events.by_seq[max(events.by_seq)]
    assert (complete["type"], complete["path"][-1]) == ("complete", "model:2:after_silence")
    assert "reset" not in events.types


def test_where_all_are_silent_the_answer_ends_soon_and_says_that_asking_again_may_help(stage: Target) -> None:
    with silent(stage, "1"):
        order_fault(stage, operation="converse-stream", kind="stall", model_id=OTHER, times=9)
        events = asked(stage)
    error = events.by_seq[max(events.by_seq)]
    assert (error["type"], error["code"], error["retryable"]) == ("error", "dependency_unavailable", True)
