"""Other queries without a model."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from cicada.answering.question_planner import WordRewriter
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.knowledge_bases.settings import KnowledgeBase

BASE = KnowledgeBase("store")
SCHEMA = Schema(
    {
        "type": SchemaField(
            "type", FieldType.KEYWORD, ("sop",), {"sop": ("standard operating procedure", "work instruction")}
        )
    }
)


def rewrites(question: str, base: KnowledgeBase = BASE) -> list[str]:
    """All queries, until there is no other."""
    tried: list[str] = [question]
    while (query := WordRewriter().rewrite(question, tried, base)) is not None:
        tried.append(query)
    return tried[1:]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who tells Macbeth that the queen is dead?", ["Macbeth queen dead", "Macbeth queen"]),
        ("Please tell me about E-4102!", ["E-4102"]),
        ("What is the Duke's dagger's price in 2019?", ["Duke dagger price 2019"]),
        ("And then? (Lady Macbeth) And then?", ["Lady Macbeth"]),
    ],
)
def test_words_of_the_question_go_and_names_stay(question: str, expected: Sequence[str]) -> None:
    assert rewrites(question) == expected


def test_the_schema_adds_other_words_for_what_is_named() -> None:
    base = KnowledgeBase("store", schema=SCHEMA)
    assert rewrites("Which work instruction covers spills?", base)[0] == (
        "work instruction covers spills sop standard operating procedure"
    )
    assert rewrites("Which rule covers spills?", base) == ["rule covers spills", "covers spills"]


@pytest.mark.parametrize("question", ["", "???", "What is it?", "spills"])
def test_where_nothing_can_be_left_out_there_is_no_other_query(question: str) -> None:
    assert rewrites(question) == []
