"""A guardrail steps in: the user gets an answer of its own kind, and no error. Another judges sentences."""

from __future__ import annotations

import json
from urllib.request import urlopen

from tests.chaos.target import Target
from tests.e2e.processor import processor_with
from tests.e2e.wire import Events, ask, connected, receive_all


def asked_of_bedrock(stage: Target) -> set[str]:
    """The paths of the calls that the stand-in got."""
    with urlopen(f"{stage.config.bedrock_url}/_standin/calls", timeout=10) as reply:  # noqa: S310 - of the stage
        return {path for _, path in json.loads(reply.read())}


def last(events: Events) -> dict[str, object]:
    return events.by_seq[max(events.by_seq)]


def test_a_question_that_the_guardrail_stops_is_told_so(stage: Target) -> None:
    with processor_with(stage, CICADA_GUARDRAIL="queen:1"), connected(stage.url, stage.token("alice")) as wire:
        ask(wire, "Who tells Macbeth that the queen is dead?")
        events = receive_all(wire, Events())
    assert (last(events)["type"], last(events)["stopped"], last(events)["confidence"]) == ("complete", "refused", None)
    assert "A guardrail stopped the answer" in events.text
    assert "Seyton" not in events.text


def test_a_guardrail_judges_the_sentences_of_an_answer_where_it_is_asked_to(stage: Target) -> None:
    asked = processor_with(stage, CICADA_GROUNDING_GUARDRAIL="grounding:1")
    with asked, connected(stage.url, stage.token("alice")) as wire:
        ask(wire, "Who tells Macbeth that the queen is dead?")
        events = receive_all(wire, Events())
    assert (last(events)["type"], last(events).get("unsupported")) == ("complete", None)
    assert "/guardrail/grounding/version/1/apply" in asked_of_bedrock(stage)


def test_other_questions_pass_it(stage: Target) -> None:
    with processor_with(stage, CICADA_GUARDRAIL="nightshade:1"), connected(stage.url, stage.token("alice")) as wire:
        ask(wire, "Who tells Macbeth that the queen is dead?")
        events = receive_all(wire, Events())
    assert last(events).get("stopped") is None
    assert "Seyton" in events.text
