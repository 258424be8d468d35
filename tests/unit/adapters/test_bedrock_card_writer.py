"""The card model, on a scripted Bedrock behind unmodified boto3."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest

from cicada.adapters.aws_errors import Retry
from cicada.adapters.bedrock.cards import BedrockCardWriter
from cicada.ingest.model import CardDraft, DocumentExcerpt
from tests.fakes.bedrock_wire import (
    Answered,
    Refused,
    Reply,
    ScriptedBedrock,
    converse_reply,
    scripted_bedrock,
    tool_use,
)

AT_ONCE = Retry(sleep=lambda seconds: None)
EXCERPT = DocumentExcerpt("Reisekosten", ("Zweck", "Wie lange?"), "Diese Richtlinie regelt die Erstattung.", "de")
CARD = {
    "overview": "Regelt die\nErstattung von Reisekosten.",
    "topic_tags": ["Reisekosten", " Erstattung ", "reisekosten"],
    "question_hints": ["Wie beantrage ich Reisekosten?"],
}


def wrote(card: object, stop_reason: str = "tool_use") -> Answered:
    return converse_reply("Gladly.", tool_use("write_card", card), stop_reason=stop_reason)


@contextmanager
def writing(*replies: Reply) -> Iterator[tuple[BedrockCardWriter, ScriptedBedrock]]:
    with scripted_bedrock(*replies) as bedrock:
        client = bedrock.client("bedrock-runtime")
        yield BedrockCardWriter(client, "amazon.nova-micro-v1:0", AT_ONCE), bedrock
        client.close()


def written(card: Mapping[str, object]) -> CardDraft:
    with writing(wrote(card)) as (writer, _):
        return writer.write(EXCERPT)


def test_the_model_is_given_the_document_and_must_call_the_tool() -> None:
    with writing(wrote(CARD)) as (writer, bedrock):
        draft = writer.write(EXCERPT)
    assert draft == CardDraft(
        "Regelt die Erstattung von Reisekosten.", ("reisekosten", "erstattung"), ("Wie beantrage ich Reisekosten?",)
    )
    [request] = bedrock.requests
    assert request.path == "/model/amazon.nova-micro-v1:0/converse"
    assert request.body["toolConfig"]["toolChoice"] == {"tool": {"name": "write_card"}}
    assert "German" in request.body["system"][0]["text"]
    [asked] = request.body["messages"][0]["content"]
    assert asked["text"] == (
        "Title:\n| Reisekosten\nHeadings:\n| Zweck\n| Wie lange?\nText:\n| Diese Richtlinie regelt die Erstattung."
    )


def test_what_the_model_writes_has_the_limits_of_a_card() -> None:
    draft = written(
        {
            "overview": "word " * 200,
            "topic_tags": ["x" * 41, "", *(f"tag {number}" for number in range(20))],
            "question_hints": ["y" * 121, *(f"Question {number}?" for number in range(20))],
        }
    )
    assert len(draft.overview) <= 300
    assert draft.topic_tags == tuple(f"tag {number}" for number in range(12))
    assert draft.question_hints == tuple(f"Question {number}?" for number in range(8))


def test_what_is_no_text_is_left_out_and_unknown_parts_are_not_read() -> None:
    draft = written({"overview": "A rule.", "topic_tags": ["rule", 3, None], "question_hints": "Why?", "mood": "good"})
    assert draft == CardDraft("A rule.", ("rule",))


def test_a_throttled_call_is_made_again() -> None:
    with writing(Refused(429, "ThrottlingException"), wrote(CARD)) as (writer, bedrock):
        assert writer.write(EXCERPT).overview
    assert len(bedrock.requests) == 2


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (Refused(403, "AccessDeniedException"), "AccessDenied"),
        (Refused(503, "ServiceUnavailableException"), "did not do the call"),
        (Answered({"stopReason": "end_turn"}), "unknown form"),
        (wrote({"overview": 3}), "unknown form"),
        (wrote("no object"), "unknown form"),
        (wrote({"overview": " ", "topic_tags": []}), "neither an overview nor tags"),
        (wrote(CARD, "max_tokens"), "cut off"),
    ],
)
def test_a_model_that_fails_is_given_up_and_the_failure_said(reply: Reply, sentence: str) -> None:
    with writing(reply) as (writer, _):
        draft = writer.write(EXCERPT)
    assert sentence in draft.failure
    assert draft == CardDraft(failure=draft.failure)
