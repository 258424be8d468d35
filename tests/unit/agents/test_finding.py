"""Which entry the user's words name."""

from __future__ import annotations

import pytest

from cicada.agents.entries import best_matches
from cicada.agents.model import THEORY, Entry

ENTRIES = [
    Entry(f"id-{number}", THEORY, name, text, 1, 1.0)
    for number, (name, text) in enumerate(
        [
            ("Lost child", "Lady Macbeth has nursed a baby."),
            ("The lost child returns", "Fleance is meant."),
            ("Sleepwalking", "Lady Macbeth knows what she does."),
            ("Fleance's escape", "He is to be king."),
            ("Bells", "The bell is Duncan's knell."),
            ("眠りの理論", "マクベスは眠りを殺した。"),
            ("About", "A title of a word that does not count."),
        ]
    )
]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("lost CHILD", ["Lost child"]),
        ("my theory about the lost child", ["Lost child"]),
        ("child, lost", ["Lost child"]),
        ("the child that returns", ["The lost child returns"]),
        ("the theory about Lady Macbeth", ["Lost child", "Sleepwalking"]),
        ("Lady Macbeth and the baby", ["Lost child"]),
        ("Duncan's knell", ["Bells"]),
        ("Fleance", ["Fleance's escape"]),
        ("child", ["Lost child", "The lost child returns"]),
        ("about", ["About"]),
        ("眠り", ["眠りの理論"]),
        ("マクベス", ["眠りの理論"]),
        ("the theory", []),
        ("Lady Macduff", []),
        ("?!", []),
    ],
)
def test_words_find_what_they_name(wanted: str, found: list[str]) -> None:
    assert [each.name for each in best_matches(wanted, ENTRIES)] == found


def test_a_word_is_not_found_within_another() -> None:
    assert best_matches("bell", ENTRIES[4:5]) == ENTRIES[4:5]
    assert best_matches("ell", ENTRIES[4:5]) == []
