from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada.agents.theories import ReasoningFilter


def shown(pieces: list[str]) -> str:
    thinking = ReasoningFilter()
    return "".join([thinking.feed(piece) for piece in pieces]) + thinking.rest()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("An answer.", "An answer."),
        ("<thinking>I search.</thinking>\n\nAn answer.", "An answer."),
        ("One. <thinking>x</thinking> Two.", "One. Two."),
        ("<thinking>a < b</thin></thinking>Yes<thinking></thinking>!", "Yes!"),
        ("<thinking>never closed", ""),
        ("a <b>bold</b> <thin", "a <b>bold</b> <thin"),
        ("</thinking>", "</thinking>"),
        ("\n Begins late.", "Begins late."),
    ],
)
def test_thinking_is_left_out_however_the_text_is_cut(text: str, expected: str) -> None:
    for cut in range(len(text) + 1):
        assert shown([text[:cut], text[cut:]]) == expected
    assert shown(list(text)) == expected


def test_what_cannot_be_a_tag_is_shown_at_once() -> None:
    thinking = ReasoningFilter()
    assert thinking.feed("It is <") == "It is "
    assert thinking.feed("b") == "<b"


PARTS = st.sampled_from(["<thinking>", "</thinking>", "<", "<thi", "nking>", "a", " ", "b."])


@given(st.lists(PARTS, max_size=12), st.lists(st.integers(0, 60), max_size=4))
def test_any_pieces_show_what_the_whole_text_shows(parts: list[str], cuts: list[int]) -> None:
    text = "".join(parts)
    edges = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    pieces = [text[start:end] for start, end in pairwise(edges)]
    assert shown(pieces) == shown([text])
    assert shown([text]) == re.sub(r"<thinking>.*?(</thinking>|$)\s*", "", text, flags=re.DOTALL).lstrip()
