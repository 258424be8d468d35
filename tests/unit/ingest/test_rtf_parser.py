"""RTF: paragraphs, headings, lists and tables, letters of every kind, and what is not shown."""

from __future__ import annotations

import pytest

from cicada.ingest.prose import rtf_parser
from cicada.ingest.prose.rtf_parser import read_rtf
from cicada.ingest.prose.sections import Block, Heading, ListItem, Paragraph, Table
from tests.unit.ingest.documents import rejection


def blocks(inner: str) -> tuple[Block, ...]:
    return read_rtf(rb"{\rtf1\ansi " + inner.encode("ascii") + b"}").blocks


def texts(inner: str) -> list[str]:
    return [each.text for each in blocks(inner) if isinstance(each, Paragraph)]


def test_paragraphs_headings_and_lists() -> None:
    assert blocks(
        r"\pard\outlinelevel1 Leave\par\pard\plain One {\b line}\line and more\par {\pntext *\tab}Item\par"
        r"\pard\ls1 Word's\par\pard Last"
    ) == (
        Heading(2, "Leave"),
        Paragraph("One line and more"),
        ListItem("Item"),
        ListItem("Word's"),
        Paragraph("Last"),
    )


def test_a_table_has_its_first_row_as_header() -> None:
    row = r"\trowd\cellx1\cellx2\intbl {}\par more\cell {}\cell\row"
    assert blocks(rf"Above\par {row.format('Kind', 'Days')}{row.format('Sick', '30')}\pard Below\par") == (
        Paragraph("Above"),
        Table(("Kind more", "Days"), (("Sick more", "30"),)),
        Paragraph("Below"),
    )


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        (r"R\'fcck\'e9", "Rücké"),
        (r"\ansicpg932 \'82\'a0\'82\'a2", "あい"),
        (r"{\fonttbl{\f1\fcharset204 Arial;}}{\f1 \'cf\'f0\'e8}\'e9", "Приé"),
        (r"\u8364?5 \uc2\u8364\'80\'80 \uc0\u8364 x", "€5 € €x"),
        (r"\u-10179?\u-8704?", "😀"),
        (r"a\emdash b\~c\_d\-e \{x\}\\", r"a—b c-de {x}\ ".strip()),
        ("one\n\rword\\\nnext", "oneword"),
    ],
)
def test_letters_are_read_however_they_are_written(inner: str, text: str) -> None:
    assert texts(inner)[0] == text


def test_what_is_not_shown_or_repeated_is_left_out() -> None:
    assert texts(
        r"{\header Top}{\footnote Note}{\*\generator Word}{\pict 0102}{\v secret}{\deleted old}"
        r"{\stylesheet{\s1 heading 1;}}"
        r"{\field{\*\fldinst HYPERLINK}{\fldrslt link}} kept\bin4 {{{{ too"
    ) == ["link kept too"]


def test_title_and_properties_are_the_documents_own() -> None:
    found = read_rtf(rb"{\rtf1{\info{\title The {\b title}}{\author Ann}{\creatim\yr2026}}\pard Text}")
    assert (found.title, found.properties) == ("The title", {"author": "Ann"})


@pytest.mark.parametrize("content", [b"{\\rtf1 cut off", b"{\\rtf1 \\bin99999999 x}", b"{\\rtf1 {a}"])
def test_a_document_that_is_cut_off_is_refused(content: bytes) -> None:
    error = rejection(read_rtf, content)
    assert (error.kind, "cut off or damaged" in str(error)) == ("damaged", True)


def test_too_many_groups_and_paragraphs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "nests too many groups" in str(rejection(read_rtf, b"{\\rtf1 " + b"{" * 20_000))
    monkeypatch.setattr(rtf_parser, "MAX_BLOCKS", 2)
    assert "more than 2 paragraphs" in str(rejection(read_rtf, b"{\\rtf1 " + b"a\\par " * 9 + b"}"))
