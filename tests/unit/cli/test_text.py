"""What others send cannot steer a terminal."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada_client.events import Locator, Source
from cli.text import clean, clean_line, source_line, to_json

any_text = st.text(st.characters(codec=None, categories=None) | st.sampled_from("\x1b\x9b\r\b\x00\u202e\ud800"))


@given(any_text)
def test_no_control_character_but_tab_and_line_feed_is_left(text: str) -> None:
    assert {character for character in clean(text) if unicodedata.category(character) in ("Cc", "Cs")} <= {"\n", "\t"}


@given(st.lists(any_text))
def test_a_text_cleaned_in_pieces_is_the_text_cleaned_whole(pieces: list[str]) -> None:
    assert "".join(map(clean, pieces)) == clean("".join(pieces))


@given(any_text)
def test_a_cleaned_line_is_one_line(text: str) -> None:
    assert len(clean_line(text).splitlines()) <= 1


@pytest.mark.parametrize("text", ["plain", "死んだ。\n\tindented", "👩‍🔬 é שלום"])
def test_honest_text_is_left_alone(text: str) -> None:
    assert clean(text) == text


def test_escape_sequences_and_reading_direction_are_taken_out() -> None:
    assert clean("a\x1b]0;title\x07b\x1b[2Jc\x9b1md\u202ee\rf") == "a]0;titleb[2Jc1mdef"


@given(
    st.recursive(any_text | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(any_text, inner))
)
def test_json_is_exact_and_without_control_characters(value: object) -> None:
    text = to_json(value)
    assert json.loads(text) == json.loads(json.dumps(value))
    assert clean(text) == text


def test_a_source_is_one_line_with_its_number_title_and_place() -> None:
    locator = Locator(episode="Act 5", chapter="Scene 5", messages=(12, 18), speakers=("MACBETH", "SEYTON"))
    source = Source(3, "d", "Mac\nbeth", locator, "e", 0.5)
    assert source_line(source) == "[3] Mac beth · Act 5 · Scene 5 · messages 12–18 · MACBETH, SEYTON"
    one = Locator(messages=(785, 785))
    assert source_line(Source(1, "d", "Macbeth", one, "e", None)) == "[1] Macbeth · message 785"
    assert source_line(Source(1, "d", "Macbeth", Locator(episode="Macbeth"), "e", None)) == "[1] Macbeth"
    assert source_line(Source(1, "d", "Rules", Locator(section=("2", "2.1")), "e", None)) == "[1] Rules · 2 › 2.1"


def test_a_source_shows_the_metadata_of_its_document_behind_the_title() -> None:
    fields = {"Status": "retired", "Owner": "Ann\nLee"}
    source = Source(1, "d", "Rules", Locator(section=("2",)), "e", None, fields)
    assert source_line(source) == "[1] Rules (Status: retired, Owner: Ann Lee) · 2"
    assert source_line(Source(1, "d", "", Locator(), "e", None, {"Status": "retired"})) == "[1] (Status: retired)"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ten\u200bant:acme", r"ten\u200bant:acme"),
        ("te\u00adnant", r"te\u00adnant"),
        ("a\u3164b\u115f", r"a\u3164b\u115f"),
        ("x\U000e0041", r"x\udb40\udc41"),
        ("ten\u200dant\ufe0f", r"ten\u200dant\ufe0f"),
        ("тен\u200dант", r"тен\u200dант"),
        ("👨\u200d👩 ❤\ufe0f می\u200cخواهم", "👨\u200d👩 ❤\ufe0f می\u200cخواهم"),
    ],
)
def test_what_nobody_sees_is_shown_as_an_escape(text: str, shown: str) -> None:
    assert clean_line(text) == shown
    assert json.loads(to_json(text)) == text


def test_an_answer_shows_what_nobody_sees_and_keeps_joiners_wherever_it_is_cut() -> None:
    assert [clean(piece) for piece in ("a\u200b", "\u200d👩")] == [r"a\u200b", "\u200d👩"]
