"""What a conversation is called by its first message."""

from __future__ import annotations

import pytest

from cicada.conversation.titles import TITLE_LENGTH, title_of

LONG = "We have moved the archive to the cellar of the old building, where it is drier and cooler."


@pytest.mark.parametrize(
    ("message", "title"),
    [
        ("Who murders Duncan?", "Who murders Duncan?"),
        ("\n  Who\tmurders\r\nDuncan? ", "Who murders Duncan?"),
        ("\u202eWho\u200b murders\x1b[0m Duncan?", "Who murders[0m Duncan?"),
        ("👩\u200d🚒 می\u200cخواهم", "👩\u200d🚒 می\u200cخواهم"),
        (LONG, "We have moved the archive to the cellar of the old building, where it is drier…"),
        (f"{LONG} When does the lease end? Thanks.", "When does the lease end?"),
        ("x" * 100, "x" * 79 + "…"),
    ],
)
def test_a_title_is_one_line_that_ends_with_a_word(message: str, title: str) -> None:
    assert title_of(message) == title
    assert len(title) <= TITLE_LENGTH
