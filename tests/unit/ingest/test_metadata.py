"""Metadata from sidecars, front matter and the documents' own properties, by the schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from io import BytesIO

import pytest
from docx import Document
from msgspec.structs import replace
from pypdf import PdfReader, PdfWriter

from cicada.documents.model import MetadataValue
from cicada.ingest.metadata import Declared, described
from cicada.ingest.model import ParsedDocument
from cicada.ingest.script import ScriptParser
from cicada.knowledge_bases.file import parse_schema
from tests.unit.ingest.documents import parsed, pdf
from tests.unit.ingest.scripts import script, shipped_episodes, source, speech
from tests.unit.knowledge_bases.schemas import SCHEMA

OWN = parse_schema(
    "[fields.author]\ntype='person'\n[fields.date]\ntype='date'\n[fields.keywords]\ntype='keywords'\n"
    "[fields.status]\ntype='keyword'\nvalues=['Draft']\n[fields.grade]\ntype='number'\n",
    "own.toml",
)


def sidecar(**attributes: object) -> bytes:
    return json.dumps({"metadataAttributes": attributes}).encode()


def metadata(found: ParsedDocument) -> Mapping[str, MetadataValue]:
    """The metadata, alike in all passages, without the language, which every document has."""
    first, *others = (each.metadata for each in found.passages)
    assert all(each == first for each in others)
    return {name: value for name, value in first.items() if name != "language"}


def test_a_sidecar_is_typed_by_the_schema() -> None:
    about = sidecar(status="In force", effective="31 January 2026", pages="1,250", public="yes", tags=["gmp"])
    found = parsed("a.txt", b"Text.", about, SCHEMA)
    assert found.problems == ()
    assert metadata(found) == {
        "status": "approved",
        "effective": "2026-01-31",
        "pages": 1250.0,
        "public": True,
        "tags": ("gmp",),
    }


def test_without_a_schema_values_stay_texts_and_lists_of_them() -> None:
    found = parsed("a.txt", b"Text.", sidecar(year=2024, public=False, tags=["b", "a"]))
    assert (metadata(found), found.problems) == ({"year": "2024", "public": "false", "tags": ("b", "a")}, ())


def test_the_sidecar_counts_before_the_front_matter_and_that_before_the_properties() -> None:
    page = b"---\nowner: Bob\nstatus: draft\ntags: [a]\n---\nText.\n"
    found = parsed("a.md", page, sidecar(Status="approved"), SCHEMA)
    assert metadata(found) == {"status": "approved", "owner": "Bob", "tags": ("a",)}
    values = [Declared("one", {"pages": "1"}), Declared("two", {"pages": "2", "Owner": "Ann"}, optional=True)]
    assert described(SCHEMA, values) == ({"pages": 1.0, "owner": "Ann"}, ())


def test_front_matter_names_the_viewers_unless_the_sidecar_does() -> None:
    page = b"---\nreaders: [group:qa]\n---\nText.\n"
    named = json.dumps({"accessControlList": [{"name": "ann", "type": "USER", "access": "ALLOW"}]}).encode()
    found = [parsed("a.md", page, about).passages[0].readers for about in (None, sidecar(a="b"), named)]
    assert found == [("group:qa",), ("group:qa",), ("user:ann",)]


def test_a_bad_value_is_reported_with_place_field_and_value_and_the_document_goes_in_without_it() -> None:
    page = b"---\neffective: 31.13.2026\npages: many\nstatus: aproved\nowner: Ann\n---\nText.\n"
    found = parsed("a.md", page, None, SCHEMA)
    assert metadata(found) == {"owner": "Ann"}
    assert [(each.place, each.kind) for each in found.problems] == [("front matter", "metadata")] * 3
    assert found.problems[0].reason == (
        "The field 'effective' takes a date such as 2026-01-31, and '31.13.2026' is none. "
        "The document goes in without it."
    )


def test_a_bad_value_is_not_replaced_by_one_of_a_later_source() -> None:
    found = parsed("a.md", b"---\npages: 3\n---\nText.\n", sidecar(pages="many"), SCHEMA)
    assert metadata(found) == {}


def test_unknown_fields_stay_keywords_and_are_reported_once_for_the_document() -> None:
    content = b"---\ncolour: red\nsizes: [1, 2]\n---\n" + b"".join(b"# %d\n\nText.\n\n" % n for n in range(9))
    found = parsed("a.md", content, None, SCHEMA)
    assert metadata(found) == {"colour": "red", "sizes": ("1", "2")}
    (problem,) = found.problems
    assert problem.kind == "unknown_field"
    assert "does not have 'colour', 'sizes'; typed by the values. It has status, owner, effective" in problem.reason


def test_a_scripts_sidecar_is_typed_too() -> None:
    parser = ScriptParser(shipped_episodes())
    about = replace(
        source("macbeth.json", script(speech(1, "Dead."), None)),
        sidecar=sidecar(pages=7, effective="soon"),
        schema=SCHEMA,
    )
    found = parser.parse(about)
    assert found.passages[0].metadata["pages"] == 7.0
    assert "effective" not in found.passages[0].metadata
    assert "'soon'" in found.problems[0].reason


def docx() -> bytes:
    document = Document()
    document.add_paragraph("Text.")
    about = document.core_properties
    about.author, about.keywords, about.content_status = "Ann Lee", "gmp; sterile", "draft"
    about.created = datetime(2026, 1, 31, 23, 30, tzinfo=UTC)
    made = BytesIO()
    document.save(made)
    return made.getvalue()


def described_pdf() -> bytes:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf("Text."))))
    about = {"Author": "Ann Lee", "Keywords": "gmp, sterile", "CreationDate": "D:20260131233000Z", "Status": "draft"}
    writer.add_metadata({f"/{name}": value for name, value in about.items()})
    made = BytesIO()
    writer.write(made)
    return made.getvalue()


HTML = (
    "<head><meta name=Author content='Ann  Lee'><meta name=DC.date content=2026-01-31T23:30:00Z>"
    "<meta name=keywords content='gmp, sterile'><meta name=status content=draft><meta charset=utf-8></head><p>Text."
)


@pytest.mark.parametrize(
    ("name", "content"), [("a.docx", docx()), ("a.pdf", described_pdf()), ("a.html", HTML.encode())]
)
def test_a_documents_own_properties_fill_the_fields_that_the_schema_has(name: str, content: bytes) -> None:
    found = parsed(name, content, None, OWN)
    assert metadata(found) == {
        "author": "Ann Lee",
        "date": "2026-01-31",
        "keywords": ("gmp", "sterile"),
        "status": "Draft",
    }
    assert found.problems == ()
    assert metadata(parsed(name, content)) == {}


def test_a_bad_property_is_reported() -> None:
    found = parsed("a.html", b"<head><meta name=date content=soon></head><p>Text.", None, OWN)
    (problem,) = found.problems
    assert (problem.place, "'soon'" in problem.reason) == ("properties", True)


@pytest.mark.parametrize("count", [1, 1_001])
def test_a_long_property_and_many_properties_are_left_out(count: int) -> None:
    content = "".join(f"<meta name=n{number} content=x>" for number in range(count - 1))
    content += f"<meta name=author content={'x' * (1_001 if count == 1 else 1)}>"
    assert metadata(parsed("a.html", f"<head>{content}</head><p>Text.".encode(), None, OWN)) == {}
