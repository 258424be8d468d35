"""Markdown."""

from __future__ import annotations

import pytest

from cicada.errors import DocumentRejectedError
from cicada.ingest.prose import markdown_parser
from cicada.ingest.prose.markdown_parser import read_markdown
from cicada.ingest.prose.sections import Block, Code, Heading, ListItem, Paragraph, Table


def blocks(text: str) -> tuple[Block, ...]:
    return read_markdown(text.encode()).blocks


def test_marks_go_and_words_stay() -> None:
    text = (
        'Some *very* **bold** ~~old~~ `code`, a [link](http://x.example "t"), ![a cat](c.png)'
        "<br>and <b>more</b>\nhere  \nthere."
    )
    assert blocks(text) == (Paragraph("Some very bold old code, a link, a cat and more here there."),)


def test_headings_of_both_kinds_have_their_level() -> None:
    assert blocks("Guide\n=====\n\n## Set *up*\n\ntext\n\nSub\n---\n") == (
        Heading(1, "Guide"),
        Heading(2, "Set up"),
        Paragraph("text"),
        Heading(2, "Sub"),
    )


def test_lists_keep_depth_and_numbers() -> None:
    assert blocks("1. One\n2. Two\n   - Inner\n\n   More of two.\n\n> quoted\n\n7) Seven\n\n   More of seven.\n") == (
        ListItem("One", 0, "1."),
        ListItem("Two", 0, "2."),
        ListItem("Inner", 1, "-"),
        Paragraph("More of two."),
        Paragraph("quoted"),
        ListItem("Seven", 0, "7)"),
        Paragraph("More of seven."),
    )


def test_code_is_kept_as_it_stands() -> None:
    assert blocks("```python\nif x:\n    y(1,  2)\n```\n\n    indented\n\n```\n\n```\n") == (
        Code(("if x:", "    y(1,  2)")),
        Code(("indented",)),
    )


def test_tables_have_a_header_and_rows() -> None:
    assert blocks("| Kind | *Days* |\n|---|---|\n| Holiday | 28 \\| 30 |\n| Sick |\n") == (
        Table(("Kind", "Days"), (("Holiday", "28 | 30"), ("Sick", ""))),
    )


def test_html_in_it_is_read_as_html() -> None:
    text = (
        "<table><tr><th>A<tr><td>1</table>\n\n<script>\nalert(1)\n</script>\n\n<!-- note -->\n\n"
        "<div>Some <i>words</i></div>\n"
    )
    assert blocks(text) == (Table(("A",), (("1",),)), Paragraph("Some words"))


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# One\n\n# Two\n", "One"),
        ("## First\n\ntext\n", "First"),
        ("text\n\n## Later\n", ""),
        ('---\ntitle: "The: guide"\ntags: [a]\n---\n# One\n', "The: guide"),
        ("---\ntitle: The guide\n...\n", "The guide"),
        ("---\n---\n# One\n", "One"),
    ],
)
def test_the_title_is_that_of_the_front_matter_or_the_first_heading(text: str, title: str) -> None:
    assert read_markdown(text.encode()).title == title


def test_front_matter_is_no_text_but_says_the_language() -> None:
    found = read_markdown(b"---\nlang: de\nauthor: Ann\n---\n\nText.\n")
    assert (found.language, found.blocks) == ("de", (Paragraph("Text."),))


def test_a_line_of_dashes_alone_is_no_front_matter() -> None:
    assert blocks("---\n\nText.\n\nMore.\n") == (Paragraph("Text."), Paragraph("More."))


@pytest.mark.parametrize("piece", [">", "- ", "[", "![", "*a_ ", "`", "<div>", "| a ", "~~a"])
def test_hostile_nesting_ends(piece: str) -> None:
    assert blocks(piece * 5_000 + "x") is not None


@pytest.mark.parametrize("gap", [" ", "\t", '" '])
def test_hostile_front_matter_ends(gap: str) -> None:
    # Tried from each of its signs anew, this would be 10¹² steps.
    text = f"---\ntitle: The{gap * 1_000_000}guide\nlang: de\n---\nText.\n"
    assert read_markdown(text.encode()).blocks[-1] == Paragraph("Text.")


@pytest.mark.parametrize("piece", ["a\n", "a|", "*a ", "_a ", "~a ", "`a", "<a ", "&a", "\\"])
def test_too_many_parts_are_refused_before_they_are_read(monkeypatch: pytest.MonkeyPatch, piece: str) -> None:
    monkeypatch.setattr(markdown_parser, "MAX_PARTS", 9)
    assert blocks(piece * 9 + "x")
    with pytest.raises(DocumentRejectedError, match="more than 9 lines, table cells, links") as refusal:
        blocks(piece * 10 + "x")
    assert refusal.value.kind == "too_large"


def test_a_bracket_counts_as_five_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(markdown_parser, "MAX_PARTS", 9)
    assert blocks("[a]") == (Paragraph("[a]"),)
    with pytest.raises(DocumentRejectedError):
        blocks("[a] [b]")
