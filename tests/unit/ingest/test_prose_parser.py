"""Documents of every kind as passages, and bad ones as reasons."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from io import BytesIO

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from cicada.documents.model import SectionLocator
from cicada.errors import DocumentRejectedError
from cicada.ingest.chunks import Chunking, size_of
from cicada.ingest.model import Problem
from cicada.ingest.prose import parser as module
from cicada.ingest.prose.parser import SUFFIXES
from tests.unit.ingest.documents import (
    Entry,
    handbook,
    odt,
    parsed,
    part_of,
    pdf,
    pdf_with_picture,
    presentation,
    rejection,
    shape,
    with_part,
    workbook,
)

MARKDOWN = (
    b"# Handbook\n\nWhat to know.\n\n## Leave\n\n- Ask *before*.\n\n| Kind | Days |\n|---|---|\n| Holiday | 28 |\n"
)
HTML = (
    b"<html lang=en><title>Handbook</title><meta charset=iso-8859-1><main><h1>Handbook</h1><p>What to know \xe9.</p>"
    b"<ul><li>Ask <i>before</i>.<ol start=2><li>x</ol></ul><table><tr><th>Kind<td colspan=2>Days</table>"
    b"<pre>a\n b</pre>"
)
TEXT = "Handbook\n\n- Rückgabe\n  in 28 Tagen\n\n".encode()
PDF = pdf("Leave\nAsk be-\nfore.", "", title="Handbook", outline=[Entry("Leave", 1, [Entry("More", 2)])])
MAIL = (
    b"From: Ann Lee <ann@acme.example>\r\nSubject: =?utf-8?q?R=C3=BCckgabe?=\r\nMIME-Version: 1.0\r\n"
    b'Content-Type: multipart/alternative; boundary="=x"\r\n\r\n--=x\r\nContent-Type: text/plain\r\n\r\nAsk.\r\n'
    b"--=x\r\nContent-Type: text/html\r\n\r\n<p>Ask.\r\n--=x--\r\n"
)
RTF = (
    rb"{\rtf1\ansi{\info{\title T}}"
    + rb"\pard\outlinelevel0 Leave\par\pard R\'fcck\u8364?\par\intbl a\cell b\cell\row\bin3 {{{}"
)
SEEDS: Mapping[str, tuple[bytes, ...]] = {
    ".md": (MARKDOWN,),
    ".html": (HTML,),
    ".txt": (TEXT, TEXT.decode().encode("utf-16"), TEXT.decode().encode("utf-32")),
    ".pdf": (PDF, pdf("Text.", password=""), pdf_with_picture("Text.")),
    ".docx": (handbook(),),
    ".xlsx": (workbook({"Leave": [["Kind", "Days"], ["Holiday", 28]]}),),
    ".pptx": (presentation(shape("Leave", place="title") + shape("Ask before.", place="body")),),
    ".odt": (odt('<text:h text:outline-level="1">Leave</text:h><text:p>Ask before.</text:p>'),),
    ".eml": (MAIL,),
    ".rtf": (RTF,),
    ".csv": (b'Kind;Days\nHoliday;28\n"Sick\nleave";30\n', "Kind\tDays\nHoliday\t28\n".encode("utf-16")),
}
PARTS = ["word/document.xml", "word/styles.xml", "[Content_Types].xml", "word/_rels/document.xml.rels"]
_PIECES = [
    b"<",
    b">",
    b"\x00",
    b"9" * 30,
    b"-1",
    b"<<",
    b"[",
    b"(",
    b" R",
    b"stream",
    b"<table>",
    b"|",
    b"\n",
    b"\xff\xfe",
]


def test_a_passage_says_what_it_is_and_where_it_stands() -> None:
    first, second = parsed("policies/leave.md", MARKDOWN).passages
    assert (first.title, first.text, first.context) == ("Handbook", "What to know.", "Handbook")
    assert (second.title, second.context) == ("Handbook", "Handbook · Leave")
    assert second.text == "- Ask before.\nKind | Days\nHoliday | 28"
    assert second.locator == SectionLocator(("Handbook", "Leave"))
    assert (second.version, second.language, second.readers) == ("v1", "en", ())
    assert second.metadata == {"language": "en"}
    assert second.document.document_id == "policies/leave.md"


@pytest.mark.parametrize(
    ("suffix", "alike"), [(each, each) for each in SEEDS] + [(".MARKDOWN", ".md"), (".htm", ".html"), (".tsv", ".csv")]
)
def test_every_kind_is_read_under_all_its_names(suffix: str, alike: str) -> None:
    found = parsed(f"a{suffix}", SEEDS[alike][0])
    assert found.passages
    assert found.problems == ()


def test_ids_sort_in_the_documents_order() -> None:
    content = b"".join(b"# %d\n\ntext %d\n\n" % (number, number) for number in range(1_200))
    found = parsed("a.md", content).passages
    ids = [each.passage_id for each in found]
    assert ids == sorted(set(ids))
    assert (ids[0], found[1_100].text) == ("a.md#000000", "text 1100")


def test_the_title_is_the_sidecars_the_documents_or_the_files_name() -> None:
    sidecar = json.dumps({"metadataAttributes": {"_title": "Given"}}).encode()
    assert parsed("a.md", MARKDOWN, sidecar).passages[0].title == "Given"
    assert parsed("a.md", MARKDOWN).passages[0].title == "Handbook"
    assert parsed("leave rules.v2.txt", b"Text.").passages[0].title == "leave rules.v2"
    assert len(parsed("a.md", b"# " + b"word " * 100).passages[0].title) == 200


def test_a_heading_that_is_the_title_is_not_said_twice_and_every_other_is() -> None:
    sidecar = json.dumps({"metadataAttributes": {"_title": "Given"}}).encode()
    assert parsed("a.md", MARKDOWN, sidecar).passages[1].context == "Given · Handbook · Leave"


def test_the_sidecar_gives_viewers_attributes_language_and_words_to_search() -> None:
    attributes = {
        "department": "legal",
        "language": "tlh",
        "product": {"value": {"type": "STRING", "stringValue": "Atlas"}, "includeForEmbedding": True},
        "_language_code": "de",
    }
    acl = [{"name": "staff", "type": "GROUP", "access": "ALLOW"}]
    sidecar = json.dumps({"metadataAttributes": attributes, "accessControlList": acl}).encode()
    for passage in parsed("a.md", MARKDOWN, sidecar).passages:
        assert passage.readers == ("group:staff",)
        assert passage.metadata == {"department": "legal", "product": "Atlas", "language": "de"}
        assert passage.language == "de"
        assert passage.context.endswith(" · product: Atlas")
        assert "Atlas" not in passage.text


def test_an_unknown_language_is_reported_and_the_document_read_as_english() -> None:
    found = parsed("a.md", MARKDOWN, b'{"metadataAttributes": {"_language_code": "tlh"}}')
    assert {passage.language for passage in found.passages} == {"en"}
    assert [(problem.place, problem.kind) for problem in found.problems] == [("sidecar", "unknown_language")]


def test_the_documents_own_language_counts_without_a_sidecars() -> None:
    assert parsed("a.html", b"<html lang=fr><p>Texte.").passages[0].language == "fr"


@pytest.mark.parametrize("suffix", SEEDS)
def test_a_broken_sidecar_refuses_a_document_of_any_kind(suffix: str) -> None:
    assert rejection(parsed, f"a{suffix}", SEEDS[suffix][0], b"{").kind == "sidecar"


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.txt", PDF, "'a.txt' is a PDF and not a plain text; upload it under a name that ends in .pdf."),
        ("a.docx", PDF, "'a.docx' is a PDF and not a Word document"),
        (
            "a.md",
            handbook(),
            "'a.md' is a Word document and not a Markdown file; upload it under a name that ends in .docx.",
        ),
        ("a.pdf", handbook(), "is a Word document and not a PDF"),
        ("a.docx", b"PK\x03\x04....xl/workbook.xml", "is an Excel workbook"),
        (
            "a.docx",
            b"PK\x03\x04....ppt/presentation.xml",
            "is a PowerPoint presentation and not a Word document; upload it under a name that ends in .pptx.",
        ),
        (
            "a.docx",
            b"PK\x03\x04........",
            "is a zip archive and not a Word document; save it as PDF, DOCX, XLSX or PPTX",
        ),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 99, "old format or one that a password protects"),
        ("a.docx", b"Just text.", "'a.docx' is not a Word document, or its beginning is missing"),
        ("a.pdf", b"Just text.", "'a.pdf' is not a PDF, or its beginning is missing"),
        ("a.pdf", HTML, "is an HTML page and not a PDF"),
        ("a.md", b"\n<!-- x --><!DOCTYPE html><p>x", "is an HTML page and not a Markdown file"),
        ("a.txt", b"\xef\xbb\xbf<HTML>", "is an HTML page and not a plain text"),
        ("a.txt", b"\x89PNG\r\n\x1a\n", "is a picture"),
        ("a.html", b"\x1f\x8b\x08", "is a compressed file"),
        ("a.txt", b"{\\rtf1 x}", "is an RTF document and not a plain text; upload it under a name that ends in .rtf."),
        ("a.eml", b"Hello Ann,\n\nText.", "'a.eml' is not a mail, or its beginning is missing"),
        ("a.txt", b"text\x00text", "'a.txt' holds NUL bytes, so it is not a plain text"),
        ("a.md", "text".encode("utf-16-le"), "holds NUL bytes"),
    ],
)
def test_a_file_whose_name_lies_is_refused_with_what_it_is(name: str, content: bytes, complaint: str) -> None:
    error = rejection(parsed, name, content)
    assert complaint in str(error)
    assert error.kind == "wrong_type"


def test_what_may_be_what_its_name_says_is_taken_for_it() -> None:
    assert parsed("a.txt", b"The mark %PDF- begins a PDF.").passages
    assert parsed("a.md", b"<div align=center>\n\n# Title\n\n</div>\n").passages
    assert parsed("a.html", b"no tags at all").passages
    assert parsed("a.pdf", b"junk before\n" + PDF).passages


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("content", [b"", b" \r\n\t", b"\n" * 9])
def test_an_empty_file_is_refused(suffix: str, content: bytes) -> None:
    error = rejection(parsed, f"a{suffix}", content)
    assert (error.kind, str(error)) == ("empty", "The file is empty; upload it again.")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.txt", b"\xef\xbb\xbf"),
        ("a.txt", b"\x07\x08"),
        ("a.md", b"<!-- nothing -->"),
        ("a.md", b"---\ntitle: x\n---\n"),
        ("a.html", b"<html><title>x</title><script>y()</script>"),
        ("a.docx", with_part(handbook(), PARTS[0], part_of(handbook(), PARTS[0]).replace(b"w:t>", b"w:x>"))),
    ],
)
def test_a_document_without_text_is_refused(name: str, content: bytes) -> None:
    assert rejection(parsed, name, content).kind == "no_text"


@pytest.mark.parametrize("suffix", [".md", ".html", ".txt", ".csv"])
def test_a_text_that_is_too_large_is_refused(suffix: str) -> None:
    error = rejection(parsed, f"a{suffix}", b"a" * 16_000_001)
    assert (error.kind, "larger than 16 MB" in str(error)) == ("too_large", True)


@pytest.mark.parametrize(("name", "content"), [("a.txt", b"a" * 1_000_000), ("a.md", b"word " * 200_000)])
def test_a_megabyte_in_one_line_is_cut_into_passages(name: str, content: bytes) -> None:
    found = parsed(name, content).passages
    assert {len(passage.text) for passage in found[:-1]} <= {899, 900}
    assert len(found) == 1_112


def test_too_many_passages_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_PASSAGES", 1)
    error = rejection(parsed, "a.md", MARKDOWN)
    assert (error.kind, "more than 1 passages" in str(error)) == ("too_large", True)


def test_problems_are_counted_beyond_a_hundred() -> None:
    found = module._bounded((Problem("x", "y"),) * 105)
    assert len(found) == 101
    assert found[-1].reason == "5 more problems were found."


def _parts(suffix: str, content: bytes) -> list[str]:
    """The parts of a package to damage, none of another file."""
    if suffix == ".docx" or not content.startswith(b"PK"):
        return PARTS if suffix == ".docx" else []
    with zipfile.ZipFile(BytesIO(content)) as package:
        return package.namelist()


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, bytes]:
    """A file with bytes changed, removed, repeated and put in; of a package, inside its parts too."""
    suffix = draw(st.sampled_from(sorted(SEEDS)))
    content = draw(st.sampled_from(SEEDS[suffix]))
    part = draw(st.sampled_from([*_parts(suffix, content), ""]))
    made = bytearray(part_of(content, part) if part else content)
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, max(0, len(made) - 1)))
        length = draw(st.sampled_from([0, 1, 5, 60, 600]))
        piece = draw(
            st.one_of(st.sampled_from(_PIECES), st.binary(max_size=3), st.just(bytes(made[start : start + 90])))
        )
        made[start : start + length] = piece
    return f"a{suffix}", with_part(content, part, bytes(made)) if part else bytes(made)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example])
@given(damaged())
@example(("a.pdf", b"%PDF-1.4\ntrailer<</Root 1 0 R>>"))
@example(("a.docx", b"PK\x03\x04word/document"))
def test_damaged_files_are_read_or_refused_with_a_reason(file: tuple[str, bytes]) -> None:
    name, content = file
    try:
        found = parsed(name, content)
    except DocumentRejectedError as error:
        assert str(error).endswith(".")
        return
    for passage in found.passages:
        passage.text.encode()
        passage.context.encode()
        assert passage.text.strip()
        assert size_of(passage.text) <= Chunking().limit
