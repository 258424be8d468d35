"""A chat model that is silent, on the deployed stage: another one answers, in seconds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.chaos.target import Target
from tests.e2e.faults import cancel_faults, order_fault
from tests.e2e.processor import processor_with
from tests.e2e.test_question import QUESTION, answered
from tests.e2e.wire import Events, connected

SILENT, OTHER = "amazon.nova-lite-v1:0", "amazon.nova-pro-v1:0"


@pytest.fixture
def impatient(stage: Target) -> Iterator[Target]:
    """The stage with two chat models, of which the first one writes nothing."""
    order_fault(stage, operation="converse-stream", kind="stall", model_id=SILENT, times=9)
    settings = {"CICADA_CHAT_MODEL_IDS": f"{SILENT},{OTHER}", "CICADA_FIRST_TEXT_SECONDS": "1"}
    try:
        with processor_with(stage, **settings):
            yield stage
    finally:
        cancel_faults(stage)


def asked(stage: Target) -> Events:
    with connected(stage.url, stage.token("alice")) as wire:
        return answered(wire, QUESTION)


def test_the_next_model_answers_and_the_path_says_so(impatient: Target) -> None:
    events = asked(impatient)
    assert "The queen, my lord, is dead." in events.text
    complete = events.by_seq[max(events.by_seq)]
    assert (complete["type"], complete["path"][-1]) == ("complete", "model:2:after_silence")
    assert "reset" not in events.types


def test_where_all_are_silent_the_answer_ends_soon_and_says_that_asking_again_may_help(impatient: Target) -> None:
    order_fault(impatient, operation="converse-stream", kind="stall", model_id=OTHER)
    events = asked(impatient)
    error = events.by_seq[max(events.by_seq)]
    assert (error["type"], error["code"], error["retryable"]) == ("error", "dependency_unavailable", True)
