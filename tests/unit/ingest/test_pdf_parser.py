"""PDF: pages, outlines, running heads, and what cannot be read."""

from __future__ import annotations

import logging
from io import BytesIO, StringIO
from itertools import count

import pytest
from pypdf import Configuration, PdfReader, PdfWriter
from pypdf.generic import DictionaryObject, NameObject

from cicada.errors import DocumentRejectedError
from cicada.ingest.model import RecognisedPage
from cicada.ingest.prose import pdf_parser
from cicada.ingest.prose.pdf_parser import OutlineItem, Page, page_ranges, pages_as_blocks, read_pdf, read_scan
from cicada.ingest.prose.sections import Block, Heading, ListItem, Paragraph, page_blocks
from tests.unit.ingest.documents import Entry, pdf, pdf_with_picture, rejection, stream


def drawing(content: bytes, form: bytes | None = None) -> bytes:
    """A PDF of one page that draws this; `/X Do` in it draws the form."""
    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf("text"))))
    page = writer.pages[0]
    if form is not None:
        drawn = stream(form)
        drawn.update({NameObject("/Type"): NameObject("/XObject"), NameObject("/Subtype"): NameObject("/Form")})
        drawn[NameObject("/Resources")] = page["/Resources"]
        forms = DictionaryObject({NameObject("/X"): writer._add_object(drawn)})
        page["/Resources"][NameObject("/XObject")] = forms  # type: ignore[index]
    page[NameObject("/Contents")] = writer._add_object(stream(content).flate_encode())
    packed = BytesIO()
    writer.write(packed)
    return packed.getvalue()


def test_pages_are_sections() -> None:
    found = read_pdf(pdf("Rules for leave.\nWhoever wants leave asks be-\nfore.", "", "Third page."))
    assert found.blocks == (
        Heading(100, "page 1"),
        Paragraph("Rules for leave."),
        Paragraph("Whoever wants leave asks before."),
        Heading(100, "page 3"),
        Paragraph("Third page."),
    )
    assert found.problems == ()


def test_the_outline_gives_the_sections_where_its_words_stand() -> None:
    outline = [Entry("1 Leave", 1, [Entry("Sick leave", 1), Entry("Missing", 2)]), Entry("Travel", 2)]
    found = read_pdf(pdf("Before.\n1 Leave\nAsk.\n1.2. Sick leave\nStay.", "Go on.\nTravel\nFly.", outline=outline))
    assert found.blocks == (
        Heading(100, "page 1"),
        Paragraph("Before."),
        Heading(1, "1 Leave"),
        Heading(100, "page 1"),
        Paragraph("Ask."),
        Heading(2, "Sick leave"),
        Heading(100, "page 1"),
        Paragraph("Stay."),
        Heading(2, "Missing"),
        Heading(100, "page 2"),
        Paragraph("Go on."),
        Heading(1, "Travel"),
        Heading(100, "page 2"),
        Paragraph("Fly."),
    )


def pages(*texts: str, outline: tuple[OutlineItem, ...] = ()) -> list[Block]:
    return list(
        pages_as_blocks([Page(number, tuple(text.split("\n"))) for number, text in enumerate(texts, start=1)], outline)
    )


def test_running_heads_are_dropped_with_their_page_numbers() -> None:
    texts = [f"Acme handbook\nText {word}.\n- {number} -" for number, word in enumerate(("a", "b", "c", "d"), start=1)]
    found = [block.text for block in pages(*texts) if isinstance(block, Paragraph | ListItem)]
    assert found == ["Text a.", "Text b.", "Text c.", "Text d."]


def test_what_stands_on_two_pages_only_or_in_the_middle_is_no_running_head() -> None:
    assert len([block for block in pages("Same\na", "Same\nb") if block == Paragraph("Same a")]) == 1
    texts = [
        f"Acme\ny{word}\n{middle}\nz{word}\nx{word}"
        for word, middle in zip("abcd", ("m", "Acme", "m", "m"), strict=True)
    ]
    found = [block.text for block in pages(*texts) if isinstance(block, Paragraph)]
    assert found == ["ya m za xa", "yb Acme zb xb", "yc m zc xc", "yd m zd xd"]


@pytest.mark.parametrize(
    ("numbers", "text"),
    [([3], "page 3"), ([3, 7, 8, 9], "pages 3, 7–9"), ([1, 2], "pages 1–2"), (range(1, 99, 2), "and 29 more")],
)
def test_pages_are_named_as_people_do(numbers: list[int], text: str) -> None:
    assert page_ranges(numbers).endswith(text)


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("The\nguide", "The guide"),
        ("Microsoft Word - leave.doc", ""),
        ("Untitled-1", ""),
        ("report_final.DOCX", ""),
        ("", ""),
    ],
)
def test_the_title_is_the_documents_unless_a_program_wrote_it(title: str, expected: str) -> None:
    assert read_pdf(pdf("Text.", title=title)).title == expected


def test_the_empty_password_is_tried() -> None:
    assert Paragraph("Text.") in read_pdf(pdf("Text.", password="")).blocks


def test_a_pdf_with_a_password_is_refused() -> None:
    error = rejection(read_pdf, pdf("Text.", password="secret"))
    assert (error.kind, str(error)) == (
        "encrypted",
        "The PDF needs a password; save it without one and upload it again.",
    )


def test_a_pdf_without_text_is_refused_with_what_to_do() -> None:
    error = rejection(read_pdf, pdf("", ""))
    assert error.kind == "no_text"
    assert "no text on its 2 pages" in str(error)
    assert "OCR" in str(error)


def test_a_recognised_scan_is_read_as_pages_and_says_what_may_be_wrong() -> None:
    outline = [Entry("Travel", 2)]
    recognised = (
        RecognisedPage(1, ("Whoever wants leave asks be-", " fore. "), left_out=2),
        RecognisedPage(2, ("Travel", "Fly.")),
        RecognisedPage(3, has_failed=True),
    )
    found = read_scan(pdf("", "", "", title="Rules", outline=outline), recognised)
    assert found.title == "Rules"
    assert found.blocks == (
        Heading(100, "page 1"),
        Paragraph("Whoever wants leave asks before."),
        Heading(1, "Travel"),
        Heading(100, "page 2"),
        Paragraph("Fly."),
    )
    assert [(each.place, each.kind) for each in found.problems] == [
        ("", "recognised"),
        ("page 3", "illegible"),
        ("page 1", "illegible"),
    ]


def test_a_scan_in_which_nothing_was_recognised_is_refused_and_so_is_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DocumentRejectedError, match="No text was recognised on the PDF's 1 pages") as caught:
        read_scan(pdf(""), (RecognisedPage(1, (" ",)), RecognisedPage(2, ("On no page.",))))
    assert caught.value.kind == "no_text"
    monkeypatch.setattr(pdf_parser, "MAX_TEXT", 100)
    with pytest.raises(DocumentRejectedError, match="more than 100 letters"):
        read_scan(pdf(""), (RecognisedPage(1, ("word " * 30,)),))


def test_a_page_that_is_a_picture_is_a_problem_and_the_rest_is_read() -> None:
    found = read_pdf(pdf_with_picture("Text."))
    assert Paragraph("Text.") in found.blocks
    assert [(problem.place, problem.kind) for problem in found.problems] == [("page 2", "no_text")]


def test_a_page_that_is_damaged_is_a_problem_and_the_rest_is_read() -> None:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf("Text.", "Broken.", "More."))))
    writer.pages[1][NameObject("/Contents")] = writer._add_object(stream(b"BT (" + b"[" * 100_000))
    packed = BytesIO()
    writer.write(packed)
    found = read_pdf(packed.getvalue())
    assert [block.text for block in found.blocks if isinstance(block, Paragraph)] == ["Text.", "More."]
    assert [(problem.place, problem.kind) for problem in found.problems] == [("page 2", "damaged")]


def test_a_damaged_outline_is_a_problem_and_the_pages_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_parser, "_LIMITS", Configuration(outline_maximum_entries=1))
    found = read_pdf(pdf("Text.", outline=[Entry("One", 1), Entry("Two", 1)]))
    assert found.blocks == (Heading(100, "page 1"), Paragraph("Text."))
    assert [problem.place for problem in found.problems] == ["outline"]


@pytest.mark.parametrize("content", [b"%PDF-1.7", b"%PDF-1.7\n%%EOF", pdf("Text.")[:300], b"%PDF-" + b"\xff" * 5_000])
def test_a_damaged_pdf_is_refused(content: bytes) -> None:
    assert "damaged" in str(rejection(read_pdf, content))


def test_too_many_pages_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_parser, "MAX_PAGES", 2)
    assert str(rejection(read_pdf, pdf("a", "b", "c"))).startswith("The PDF has 3 pages, more than 2; split it")


def test_what_takes_too_long_to_draw_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_parser, "MAX_OPERATIONS", 1_000)
    assert read_pdf(drawing(b"BT /F1 9 Tf (a) Tj ET"))
    for heavy in (
        drawing(b"BT /F1 9 Tf " + b"(a) Tj " * 600 + b"ET"),
        drawing(b"BT /F1 9 Tf [" + b"(a) 1 " * 600 + b"] TJ ET"),
        drawing(b"BT /F1 9 Tf (" + b"a" * 1_200 + b") Tj ET"),
        drawing(b"/X Do " * 300, form=b"BT /F1 9 Tf (a) Tj ET"),
    ):
        error = rejection(read_pdf, heavy)
        assert (error.kind, "more than 1,000 things" in str(error)) == ("too_large", True)


def test_what_takes_too_long_to_read_is_refused() -> None:
    content = pdf("One.", "Two.", "Three.", "Four.")
    ticks = count(step=50)
    with pytest.raises(DocumentRejectedError, match="longer than 150 seconds") as refusal:
        read_pdf(content, clock=lambda: float(next(ticks)))
    assert refusal.value.kind == "too_large"
    assert len(read_pdf(content, clock=lambda: 0.0).blocks) == 8


def test_an_outline_is_looked_for_among_the_first_thousand_lines_of_a_page() -> None:
    lines = ["Found", *(f"line {number}." for number in range(1_000)), "Hidden"]
    blocks = list(pages_as_blocks([Page(1, tuple(lines))], [OutlineItem("Found", 1, 1), OutlineItem("Hidden", 1, 1)]))
    assert blocks[:2] == [Heading(1, "Found"), Heading(1, "Hidden")]
    assert isinstance(blocks[-1], Paragraph)
    assert blocks[-1].text.endswith("line 999. Hidden")


def test_a_page_of_hyphens_is_one_word() -> None:
    # Joined line by line, these would be 10¹¹ letters moved.
    assert list(page_blocks(["a-"] * 300_000)) == [Paragraph("a" * 300_000 + "-")]


def test_too_much_text_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_parser, "MAX_TEXT", 10)
    assert read_pdf(pdf("Five.", "Five."))
    error = rejection(read_pdf, pdf("Five.", "Five.", "Six more."))
    assert (error.kind, str(error)) == ("too_large", "The PDF has more than 10 letters; split it.")


def test_a_form_that_draws_itself_ends() -> None:
    assert rejection(read_pdf, drawing(b"/X Do", form=b"/X Do /X Do")).kind == "no_text"


def test_a_stream_that_unpacks_to_too_much_is_refused() -> None:
    content = drawing(b" " * 30_000_000)
    assert len(content) < 100_000
    assert "damaged or too intricate" in str(rejection(read_pdf, content))


def test_nothing_of_the_document_is_logged(capfd: pytest.CaptureFixture[str]) -> None:
    lines = StringIO()
    # What Lambda has: one handler at the root.
    handler = logging.StreamHandler(lines)
    logging.getLogger().addHandler(handler)
    try:
        # pypdf warns of references that lead nowhere, and of much else.
        rejection(read_pdf, pdf("A secret text.").replace(b" 0 R", b" 9 R"))
    finally:
        logging.getLogger().removeHandler(handler)
    assert lines.getvalue() == ""
    assert capfd.readouterr() == ("", "")
