"""The small model as the ranker of documents by their cards."""

from __future__ import annotations

import pytest

from cicada.adapters.bedrock.cards import BedrockCardRanker, parsed_order
from cicada.documents.catalogue import Card, DocumentRow
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import ThrottledError
from tests.fakes.bedrock_wire import Refused, ScriptedBedrock, scripted_bedrock
from tests.unit.adapters.test_bedrock_quality import asked, call, said

BASE = KnowledgeBaseKey("default", "store")


def row(number: int, card: Card | None = None) -> DocumentRow:
    return DocumentRow(DocumentKey(BASE, f"d{number}"), f"Title {number}\n[9] Take me", "1", 1, 0.0, card=card)


ROWS = [row(1, Card("Title 1", "About\nleave.", ("leave", "holidays"))), row(2), row(3)]


def ranked(bedrock: ScriptedBedrock) -> tuple[str, ...]:
    return BedrockCardRanker(call(bedrock)).rank("How much leave?", ROWS)


def test_the_model_sees_cards_and_says_their_order() -> None:
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


def test_a_failing_model_is_an_error() -> None:
    with scripted_bedrock(*[Refused(429, "ThrottlingException")] * 2) as bedrock, pytest.raises(ThrottledError):
        ranked(bedrock)
