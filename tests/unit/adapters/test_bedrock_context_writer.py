"""The context model, on a scripted Bedrock behind unmodified boto3."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from cicada.adapters.bedrock.context_writer import BedrockContextWriter
from cicada.quotation import quoted
from tests.fakes.bedrock_wire import (
    AT_ONCE,
    BUSY,
    DENIED,
    THROTTLED,
    Answered,
    Reply,
    ScriptedBedrock,
    converse_reply,
    scripted_bedrock,
)

PASSAGES = ["Who's there?", "Nay, answer me.", "Long live the king!"]


@contextmanager
def writing(*replies: Reply, **options: Any) -> Iterator[tuple[BedrockContextWriter, ScriptedBedrock]]:
    with scripted_bedrock(*replies) as bedrock:
        client = bedrock.client("bedrock-runtime")
        yield BedrockContextWriter(client, "amazon.nova-micro-v1:0", AT_ONCE, **options), bedrock
        client.close()


def test_each_passage_is_asked_about_behind_the_document_and_a_cache_point() -> None:
    with writing(converse_reply("The guards meet on the platform.")) as (writer, bedrock):
        contexts = writer.write("HAMLET", PASSAGES)
    assert (contexts.sentences, contexts.failure) == (("The guards meet on the platform.",) * 3, "")
    asked = [request.body["messages"][0]["content"] for request in bedrock.requests]
    shared = [{"text": "Document:\n| HAMLET"}, {"cachePoint": {"type": "default"}}]
    assert [content[:2] for content in asked] == [shared] * 3
    assert {content[2]["text"] for content in asked} == {f"Passage:\n{quoted(text)}" for text in PASSAGES}
    # The first call writes the cache that the others read.
    assert asked[0][2]["text"] == f"Passage:\n{quoted(PASSAGES[0])}"
    assert bedrock.requests[0].body["inferenceConfig"] == {"maxTokens": 150, "temperature": 0}


def test_sentences_come_in_the_order_of_the_passages() -> None:
    with writing(converse_reply("one"), converse_reply("two"), converse_reply("three"), concurrency=1) as (writer, _):
        assert writer.write("HAMLET", PASSAGES).sentences == ("one", "two", "three")


def test_what_the_model_writes_is_one_line_of_bounded_length() -> None:
    with writing(converse_reply("  The guards\n\nmeet. ", "x" * 500)) as (writer, _):
        [sentence] = writer.write("HAMLET", PASSAGES[:1]).sentences
    assert sentence.startswith("The guards meet. xxx")
    assert len(sentence) == 400


def test_a_document_is_cut_to_what_the_model_takes() -> None:
    with writing(converse_reply("x")) as (writer, bedrock):
        writer.write("y" * 100_000, PASSAGES[:1])
    assert bedrock.requests[0].body["messages"][0]["content"][0] == {"text": f"Document:\n| {'y' * 59_998}"}


def test_nothing_is_asked_about_nothing() -> None:
    with writing(converse_reply("x")) as (writer, bedrock):
        assert writer.write("HAMLET", []).sentences == ()
    assert bedrock.requests == []


def test_a_throttled_call_is_made_again() -> None:
    with writing(THROTTLED, converse_reply("one")) as (writer, _):
        assert writer.write("HAMLET", PASSAGES[:1]).sentences == ("one",)


@pytest.mark.parametrize(
    ("refusal", "calls", "sentence"),
    [
        (THROTTLED, 3, "asked too often"),
        (BUSY, 3, "did not do the call"),
        (DENIED, 1, "AccessDenied"),
        (Answered({"stopReason": "end_turn"}), 3, "unknown form"),
    ],
)
def test_a_model_that_fails_is_given_up_and_the_failure_said(refusal: Reply, calls: int, sentence: str) -> None:
    with writing(converse_reply("one"), refusal, concurrency=1) as (writer, bedrock):
        contexts = writer.write("HAMLET", PASSAGES)
    assert contexts.sentences == ("one", "", "")
    assert sentence in contexts.failure
    assert len(bedrock.requests) == 1 + calls
