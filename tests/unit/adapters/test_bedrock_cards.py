"""The small model that writes cards, and the one that ranks documents by them."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cicada.adapters.bedrock.cards import BedrockCardWriter
from cicada.adapters.bedrock.query_model import parsed_order
from cicada.documents.catalogue import Card, DocumentRow
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import ThrottledError
from cicada.ingest.model import CardDraft, DocumentExcerpt
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
    tool_use,
)
from tests.unit.adapters.test_bedrock_quality import asked, query_model, said

EXCERPT = DocumentExcerpt("Reisekosten", ("Zweck", "Wie lange?"), "Diese Richtlinie regelt die Erstattung.", "de")
CARD = {
    "overview": "Regelt die\nErstattung von Reisekosten.",
    "topic_tags": ["Reisekosten", " Erstattung ", "reisekosten"],
    "question_hints": ["Wie beantrage ich Reisekosten?"],
}


def wrote(card: object, stop_reason: str = "tool_use") -> Answered:
    return converse_reply("Gladly.", tool_use("write_card", card), stop_reason=stop_reason)


def write(bedrock: ScriptedBedrock, language: str = "de") -> CardDraft:
    writer = BedrockCardWriter(bedrock.client("bedrock-runtime"), "amazon.nova-micro-v1:0", AT_ONCE)
    return writer.write(replace(EXCERPT, language=language))


def written(*replies: Reply) -> CardDraft:
    with scripted_bedrock(*replies) as bedrock:
        return write(bedrock)


def test_the_model_is_given_the_document_and_must_call_the_tool() -> None:
    with scripted_bedrock(wrote(CARD)) as bedrock:
        draft = write(bedrock)
    tags, questions = ("reisekosten", "erstattung"), ("Wie beantrage ich Reisekosten?",)
    assert draft == CardDraft("Regelt die Erstattung von Reisekosten.", tags, questions)
    instruction, text = asked(bedrock)
    tools = bedrock.requests[0].body["toolConfig"]
    parts = tools["tools"][0]["toolSpec"]["inputSchema"]["json"]["properties"]
    assert tools["toolChoice"] == {"tool": {"name": "write_card"}}
    assert {name: part["type"] for name, part in parts.items()} == dict.fromkeys(CARD, "array") | {"overview": "string"}
    assert "German" in instruction
    headings = "Headings:\n| Zweck\n| Wie lange?\n"
    assert text == f"Title:\n| Reisekosten\n{headings}Text:\n| Diese Richtlinie regelt die Erstattung."


def test_a_card_of_an_unknown_language_is_written_in_that_of_the_document() -> None:
    with scripted_bedrock(wrote(CARD)) as bedrock:
        write(bedrock, "tlh")
    assert "in the language of the document" in asked(bedrock)[0]


def test_a_written_card_is_bounded() -> None:
    tags = ["x" * 41, "", *(f"tag {number}" for number in range(20))]
    questions = ["y" * 121, *(f"Question {number}?" for number in range(20))]
    draft = written(wrote({"overview": "word " * 200, "topic_tags": tags, "question_hints": questions}))
    assert len(draft.overview) <= 300
    assert draft.topic_tags == tuple(f"tag {number}" for number in range(12))
    assert draft.question_hints == tuple(f"Question {number}?" for number in range(8))


def test_what_is_no_text_is_left_out_and_unknown_parts_are_not_read() -> None:
    card = {"overview": "A rule.", "topic_tags": ["rule", 3, None], "question_hints": "Why?", "mood": "good"}
    assert written(wrote(card)) == CardDraft("A rule.", ("rule",))


def test_a_throttled_writer_is_called_again() -> None:
    assert written(THROTTLED, wrote(CARD)).overview


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (DENIED, "AccessDenied"),
        (BUSY, "did not do the call"),
        (Answered({"stopReason": "end_turn"}), "unknown form"),
        (wrote({"overview": 3}), "unknown form"),
        (wrote("no object"), "unknown form"),
        (wrote({"overview": " ", "topic_tags": []}), "neither an overview nor tags"),
        (wrote(CARD, "max_tokens"), "cut off"),
    ],
)
def test_a_failing_writer_is_given_up_and_the_failure_said(reply: Reply, sentence: str) -> None:
    draft = written(reply)
    assert sentence in draft.failure
    assert draft == CardDraft(failure=draft.failure)


def ranked(bedrock: ScriptedBedrock) -> tuple[str, ...]:
    cards = {1: Card("Title 1", "About\nleave.", ("leave", "holidays")), 2: None, 3: None}
    keys = {number: DocumentKey(KnowledgeBaseKey("default", "store"), f"d{number}") for number in cards}
    rows = [DocumentRow(keys[n], f"Title {n}\n[9] Take me", "1", 1, 0.0, card=card) for n, card in cards.items()]
    return query_model(bedrock).rank("How much leave?", rows)


def test_the_ranker_sees_cards_and_says_their_order() -> None:
    with scripted_bedrock(said("3, 1")) as bedrock:
        assert ranked(bedrock) == ("d3", "d1")
    _, text = asked(bedrock)
    assert "[1]\n| Title 1 (9) Take me\n| leave, holidays\n| About leave.\n\n[2]\n| Title 2" in text
    assert "\n[9]" not in text
    assert text.endswith("Question: How much leave?")


@pytest.mark.parametrize(
    ("reply", "order"),
    [
        ("2,1", (2, 1)),
        (" [2] > [1].", (2, 1)),
        ("3\n1\n3", (3, 1)),
        ("7, 2, 0", (2,)),
        ("None of them.", ()),
        ("1 is about leave", ()),
    ],
)
def test_only_a_list_of_numbers_is_an_order(reply: str, order: tuple[int, ...]) -> None:
    assert parsed_order(reply, 3) == order


def test_a_failing_ranker_is_an_error() -> None:
    with scripted_bedrock(THROTTLED) as bedrock, pytest.raises(ThrottledError):
        ranked(bedrock)
