"""The table of what messages are allowed: what is counted as asked for, as right and as wrongly allowed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tools.intents.asked_changes import STRANGERS, of_kinds, of_strangers, rows
from tools.intents.examples import Message, load, load_change_examples

SAVES = Message(text="keep it", author="a", language="en", changes=("text",))
MERGES = Message(text="merge them", author="a", language="en", changes=("text", "delete"))
ASKS = Message(text="who is it?", author="b", language="en")
MESSAGES = [SAVES, MERGES, ASKS]
# Columns: text, name, delete, restore.
ALLOWED = np.array([[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1]], dtype=np.bool_)


def test_a_message_is_allowed_what_it_asks_for_if_nothing_of_it_is_refused() -> None:
    assert list(rows(MESSAGES, ALLOWED)) == [
        ("author a", 2, 0.5, 0, 0.0),
        ("author b", 0, 0.0, 1, 1.0),
        ("all", 2, 0.5, 1, 1.0),
    ]


def test_each_kind_is_counted_for_itself() -> None:
    assert list(of_kinds(MESSAGES, ALLOWED)) == [
        ("kind text", 2, 1.0, 1, 0.0),
        ("kind name", 0, 0.0, 3, 1 / 3),
        ("kind delete", 1, 0.0, 2, 0.0),
        ("kind restore", 0, 0.0, 3, 1 / 3),
    ]


def test_the_strangers_are_none_of_the_authors_of_the_examples() -> None:
    strangers, examples = load(Message, STRANGERS), load_change_examples()
    assert {each.author for each in strangers}.isdisjoint(each.author for each in examples)
    assert {each.text.casefold() for each in strangers}.isdisjoint(each.text.casefold() for each in examples)


def test_what_the_packaged_model_allows_a_strangers_message_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "strangers.jsonl"
    path.write_text(
        '{"text": "Delete the profile Banquo", "author": "x", "language": "en", "changes": ["delete"]}\n'
        '{"text": "Who is Banquo?", "author": "x", "language": "en"}\n',
        "utf-8",
    )
    messages, allowed = of_strangers(path)
    assert [each.text for each in messages] == ["Delete the profile Banquo", "Who is Banquo?"]
    assert allowed.tolist() == [[False, False, True, False], [False] * 4]
