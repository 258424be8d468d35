"""PPTX: slides with their numbers and titles, what is on them, and what only the speaker sees."""

from __future__ import annotations

from cicada.ingest.prose.pptx_parser import read_pptx
from cicada.ingest.prose.sections import Block, Heading, ListItem, Paragraph, Table
from tests.unit.ingest.documents import parsed, presentation, shape

TITLE = shape("Leave", place="title")


def blocks(*slides: str) -> tuple[Block, ...]:
    return read_pptx(presentation(*slides)).blocks


def cell(text: str) -> str:
    return f"<a:tc><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>"


def test_slides_are_headings_with_number_and_title() -> None:
    found = parsed("talk.pptx", presentation(TITLE + shape("Ask before."), shape("Untitled."))).passages
    assert [(each.text, each.context) for each in found] == [
        ("Ask before.", "Leave · Slide 1: Leave"),
        ("Untitled.", "Leave · Slide 2"),
    ]


def test_a_slide_of_its_title_alone_is_found() -> None:
    assert blocks(TITLE) == (Heading(1, "Slide 1: Leave"), Paragraph("Leave"))


def test_bodies_are_lists_and_other_shapes_paragraphs() -> None:
    body = shape("Ask", place="body") + shape("in time", place="body", level=1)
    assert blocks(body + shape("Free")) == (
        Heading(1, "Slide 1"),
        ListItem("Ask", 0),
        ListItem("in time", 1),
        Paragraph("Free"),
    )


def test_a_table_has_its_first_row_as_header() -> None:
    rows = "".join(f"<a:tr>{cell(left)}{cell(right)}</a:tr>" for left, right in (("Kind", "Days"), ("Sick", "30")))
    frame = f"<p:graphicFrame><a:graphic><a:tbl>{rows}</a:tbl></a:graphic></p:graphicFrame>"
    assert blocks(frame)[1:] == (Table(("Kind", "Days"), (("Sick", "30"),)),)


def test_groups_are_read_and_footers_and_old_forms_are_not() -> None:
    group = f"<p:grpSp>{shape('Grouped')}</p:grpSp>{shape('Page', place='ftr')}"
    both = f"<mc:Choice>{shape('New')}</mc:Choice><mc:Fallback>{shape('Old')}</mc:Fallback>"
    assert blocks(f"{group}<mc:AlternateContent>{both}</mc:AlternateContent>")[1:] == (
        Paragraph("Grouped"),
        Paragraph("New"),
    )


def test_notes_follow_their_slide_under_their_own_heading() -> None:
    found = read_pptx(presentation(shape("Shown"), notes=shape("Said", place="body") + shape("7", place="sldNum")))
    assert found.blocks[1:] == (Paragraph("Shown"), Heading(2, "Notes"), Paragraph("Said"))


def test_a_hidden_slide_is_left_out_and_reported() -> None:
    found = read_pptx(presentation(shape("A"), shape("B"), show=[True, False]))
    assert found.blocks == (Heading(1, "Slide 1"), Paragraph("A"))
    assert [(each.place, each.kind) for each in found.problems] == [("slide 2", "hidden")]
