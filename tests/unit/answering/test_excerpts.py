"""The part of a long passage that is shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cicada.answering.citations import cut

TEXT = "One is here. Two is there.\nThree is far. Four is gone."


def excerpt(spans: list[tuple[int, int]], limit: int, text: str = TEXT) -> tuple[str, list[str]]:
    """The excerpt, and the texts that are marked in it."""
    shown, kept = cut(text, spans, lambda part: len(part) <= limit)
    return shown, [shown[slice(*span)] for span in kept]


def test_a_text_that_fits_is_whole() -> None:
    assert excerpt([(4, 6)], len(TEXT)) == (TEXT, ["is"])


def test_a_longer_one_is_cut_between_sentences() -> None:
    assert excerpt([], 30) == ("One is here. Two is there. …", [])


def test_it_is_cut_around_the_first_span() -> None:
    three = TEXT.index("Three")
    assert excerpt([(three, three + 5)], 32) == ("… Three is far. Four is gone.", ["Three"])
    assert excerpt([(three, three + 5), (three + 6, len(TEXT))], 20) == ("… Three is far. …", ["Three", "is far."])


def test_a_sentence_that_is_too_long_is_cut_between_words() -> None:
    assert excerpt([], 14, "Honourable members of the house") == ("Honourable …", [])
    assert excerpt([], 8, "Honourable") == ("Hono …", [])


@given(st.text("ab. !\n…", max_size=80), st.integers(8, 40), st.integers(0, 80))
def test_it_always_fits_and_is_a_part_of_the_text(text: str, limit: int, at: int) -> None:
    spans = [(at, at + 1)] if at < len(text) else []
    shown, kept = cut(text, spans, lambda part: len(part) <= limit)
    assert len(shown) <= limit
    assert shown.strip("… ") in text
    assert all(text[at : at + 1] == shown[slice(*span)] for span in kept)
