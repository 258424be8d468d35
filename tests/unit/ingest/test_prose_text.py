"""Plain text: encodings, characters, lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada.errors import DocumentRejectedError
from cicada.ingest.prose import text_parser
from cicada.ingest.prose.encoding import clean_code, clean_line, clip, decode
from cicada.ingest.prose.sections import Block, ListItem, Paragraph, page_blocks, text_blocks
from cicada.ingest.prose.text_parser import read_text

TEXT = "Où est “Seyton”?\n\nRückgabe – 28 Tage."
MARKED = ("utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")


@pytest.mark.parametrize("content", [TEXT.encode(), *(f"\ufeff{TEXT}".encode(each) for each in MARKED)])
def test_unicode_is_read_by_its_mark_or_as_utf_8(content: bytes) -> None:
    found = decode(content)
    assert (found.text, found.problems) == (TEXT, ())


@pytest.mark.parametrize(
    ("content", "text", "named"),
    [
        ("Où?".encode("cp1252"), "Où?", "Windows-1252"),
        (b"\x93x\x94", "“x”", "Windows-1252"),
        (b"\x81\xe9", "\x81é", "Latin-1"),
    ],
)
def test_other_bytes_are_read_as_windows_1252_or_latin_1_with_a_problem(content: bytes, text: str, named: str) -> None:
    found = decode(content)
    assert found.text == text
    [problem] = found.problems
    assert f"read as {named};" in problem.reason
    assert problem.kind == "guessed_encoding"


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [("shift_jis", "shift_jis"), ("EUC-JP", "euc_jp"), ("iso-2022-jp", "iso2022_jp"), ("windows-31j", "cp932")],
)
def test_a_declared_encoding_is_used(declared: str, encoding: str) -> None:
    assert decode("嘘だ！".encode(encoding), declared).text == "嘘だ！"


def test_latin_1_is_read_as_browsers_do() -> None:
    assert decode(b"\x93x\x94", "iso-8859-1").text == "“x”"


@pytest.mark.parametrize("declared", ["utf-8", "no-such", "punycode", "zlib", "rot13", "undefined", "utf-7", "a\x00b"])
def test_a_declaration_that_is_wrong_or_no_encoding_of_texts_is_passed_over(declared: str) -> None:
    assert decode("Où?".encode(), declared).text == "Où?"
    assert decode("Où?".encode("cp1252"), declared).text == "Où?"


def test_bytes_that_break_the_promise_of_their_mark_are_rejected() -> None:
    with pytest.raises(DocumentRejectedError, match="mark of utf-16-le, but is in another encoding from byte 1 on"):
        decode(b"\xff\xfea")


def test_all_line_ends_become_one() -> None:
    assert decode(b"a\r\nb\rc\n").text == "a\nb\nc\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\x00b\nc\u200b\ufeff\td", "a b c d"),
        ("e\u0301", "é"),
        ("\ud83d\ude00", "😀"),
        ("half \ud83d", "half \ufffd"),
        ("e\ufb03cient \ufb01nd", "efficient find"),
        ("half\u3000width ｶﾅ", "half width ｶﾅ"),
    ],
)
def test_a_line_is_what_other_systems_take(text: str, line: str) -> None:
    assert clean_line(text) == line


def test_code_keeps_its_spaces_within_reason() -> None:
    assert clean_code("\n\n\tif x:\n  a   b\x07\n\n") == ("    if x:", "  a   b")
    assert clean_code(" " * 1_000 + "x") == (" " * 40 + "x",)
    assert clean_code(" \n \n") == ()


def test_a_clipped_text_says_so() -> None:
    assert clip("one two", 7) == "one two"
    assert clip("one two three", 5) == "one…"


def test_paragraphs_end_at_empty_lines() -> None:
    assert list(text_blocks(["One", " two.", " ", "", "Three."])) == [Paragraph("One two."), Paragraph("Three.")]


def test_bullets_and_numbers_begin_list_items() -> None:
    lines = ["Bring:", "- bread", "  and butter", "• milk", "3. salt", "(b) oil", "Then cook.", "-5 degrees"]
    expected: list[Block] = [
        Paragraph("Bring:"),
        ListItem("bread and butter"),
        ListItem("milk"),
        ListItem("salt", marker="3."),
        ListItem("oil", marker="(b)"),
        Paragraph("Then cook. -5 degrees"),
    ]
    assert list(text_blocks(lines)) == expected


def test_on_a_page_cut_words_are_made_whole_and_short_lines_end_paragraphs() -> None:
    lines = [
        "This paragraph is long enough to be bro-",
        "ken at the end of its line, and co-Author",
        "ends.",
        "The next one of Smith-",
        "Jones follows here.",
    ]
    assert list(page_blocks(lines)) == [
        Paragraph("This paragraph is long enough to be broken at the end of its line, and co-Author ends."),
        Paragraph("The next one of Smith- Jones follows here."),
    ]


@given(st.lists(st.text(st.sampled_from("ab-. •1)\u00ad"), max_size=12), max_size=12))
def test_neither_way_loses_a_letter(lines: list[str]) -> None:
    for blocks in (text_blocks(lines), page_blocks(lines)):
        found = "".join(block.text for block in blocks)
        for letter in "ab":
            # A single letter with a bracket is the mark of a list item.
            assert abs(found.count(letter) - "".join(lines).count(letter)) <= "".join(lines).count(")") + "".join(
                lines
            ).count(".")


def test_a_text_has_no_title_and_a_form_feed_ends_a_paragraph() -> None:
    found = read_text(b"Page one.\fPage two.")
    assert (found.title, found.blocks) == ("", (Paragraph("Page one."), Paragraph("Page two.")))


def test_too_many_lines_are_refused_before_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_parser, "MAX_LINES", 9)
    assert read_text(b"- a\n" * 9).blocks
    with pytest.raises(DocumentRejectedError, match="more than 9 lines") as refusal:
        read_text(b"- a\n" * 10)
    assert refusal.value.kind == "too_large"
