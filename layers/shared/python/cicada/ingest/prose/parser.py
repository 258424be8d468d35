"""Parsers of prose: by kind of file, from bytes to passages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import islice
from pathlib import PurePosixPath
from pkgutil import resolve_name

from msgspec import Struct

from cicada.documents.model import ROW, TABLE, MetadataValue, Passage, SectionLocator, passage_id_at
from cicada.errors import DocumentRejectedError
from cicada.ingest.chunks import Chunking
from cicada.ingest.metadata import Declared, described
from cicada.ingest.model import ParsedDocument, Problem, RecognisedPage, SourceFile
from cicada.ingest.prose.chunks import ProseChunk, prose_chunks
from cicada.ingest.prose.encoding import clip, has_mark
from cicada.ingest.prose.sections import MAX_PROPERTY, Prose, Record
from cicada.ingest.prose.standing import said_standing
from cicada.ingest.sidecar import Sidecar, parse_sidecar
from cicada.knowledge_bases.inferred_standing import SAID_STANDING, STATUS
from cicada.knowledge_bases.observed_fields import is_field
from cicada.knowledge_bases.schema import FieldType, Schema
from cicada.knowledge_bases.values import field_named, folded


class Kind(StrEnum):
    """The kinds that are read; the value is what people call it."""

    MARKDOWN = "a Markdown file"
    HTML = "an HTML page"
    TEXT = "a plain text"
    PDF = "a PDF"
    DOCX = "a Word document"
    CSV = "a table of values"
    XLSX = "an Excel workbook"
    PPTX = "a PowerPoint presentation"
    ODT = "an OpenDocument text"
    EML = "a mail"
    RTF = "an RTF document"


SUFFIXES = {
    ".md": Kind.MARKDOWN,
    ".markdown": Kind.MARKDOWN,
    ".html": Kind.HTML,
    ".htm": Kind.HTML,
    ".txt": Kind.TEXT,
    ".pdf": Kind.PDF,
    ".docx": Kind.DOCX,
    ".csv": Kind.CSV,
    ".tsv": Kind.CSV,
    ".xlsx": Kind.XLSX,
    ".pptx": Kind.PPTX,
    ".odt": Kind.ODT,
    ".eml": Kind.EML,
    ".rtf": Kind.RTF,
}
# Each kind's parser: its module beside this one, and the function.
_READERS = {
    Kind.MARKDOWN: "markdown_parser:read_markdown",
    Kind.HTML: "html_parser:read_html",
    Kind.TEXT: "text_parser:read_text",
    Kind.PDF: "pdf_parser:read_pdf",
    Kind.DOCX: "docx_reader:read_docx",
    Kind.CSV: "csv_parser:read_csv",
    Kind.XLSX: "xlsx_parser:read_xlsx",
    Kind.PPTX: "pptx_parser:read_pptx",
    Kind.ODT: "odt_parser:read_odt",
    Kind.EML: "eml_parser:read_eml",
    Kind.RTF: "rtf_parser:read_rtf",
}
# Plain text takes long to read in proportion; Word documents and PDFs are mostly pictures and have limits of their own.
MAX_TEXT_BYTES = 16_000_000

_SIGNATURES = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Office document in the old format or one that a password protects"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"II*\x00", "a picture"),
    (b"\x1f\x8b", "a compressed file"),
    (b"{\\rtf", Kind.RTF),
)
_ZIPS = (
    (b"word/document", Kind.DOCX),
    (b"xl/workbook", Kind.XLSX),
    (b"ppt/presentation", Kind.PPTX),
    (b"vnd.oasis.opendocument.text", Kind.ODT),
    (b"vnd.oasis.opendocument.spreadsheet", "an OpenDocument spreadsheet"),
    (b"vnd.oasis.opendocument.presentation", "an OpenDocument presentation"),
)
_HTML = re.compile(rb"\s*(<\?xml[^>]{0,200}>\s*)?(<!--[^>]{0,400}-->\s*)?<(!doctype\s+html|html[\s>])", re.IGNORECASE)
# The first lines of a mail, some of which every mail has.
_HEADERS = re.compile(rb"(?:From [^\n]{0,400}\n)?(?:[!-9;-~]{1,80}:[^\n]*\n(?:[ \t][^\n]*\n)*){1,200}")
_OF_MAILS = re.compile(rb"^(?:from|to|subject|date|received|message-id|mime-version|return-path):", re.I | re.M)
TEXTS = (Kind.MARKDOWN, Kind.HTML, Kind.TEXT, Kind.CSV)


def check_kind(name: str, content: bytes, kind: Kind) -> None:
    """`DocumentRejectedError` if the bytes are of another kind than the file's name says, empty, or too many."""
    if not content.strip():
        raise DocumentRejectedError("The file is empty; upload it again.", "empty")
    found = _found(content, kind)
    if found and found != kind:
        suffix = next((f" under a name that ends in {end}" for end, each in SUFFIXES.items() if each == found), "")
        advice = f"upload it{suffix}" if suffix else "save it as PDF, DOCX, XLSX or PPTX and upload that"
        raise DocumentRejectedError(f"'{name}' is {found} and not {kind}; {advice}.", "wrong_type")
    if not found and kind not in TEXTS:
        raise DocumentRejectedError(
            f"'{name}' is not {kind}, or its beginning is missing; upload it again, whole.", "wrong_type"
        )
    if kind in TEXTS:
        _check_text(name, content, kind)


def _found(content: bytes, named: Kind) -> str:
    """The kind that the bytes certainly are; empty if they may be a text."""
    # Programs that show PDF look for its mark in the first 1,024 bytes, where a text may speak of it.
    if content.startswith(b"%PDF-") or (named == Kind.PDF and b"%PDF-" in content[:1024]):
        return Kind.PDF
    if content.startswith(b"PK\x03\x04"):
        return next((kind for part, kind in _ZIPS if part in content), "a zip archive")
    if found := next((kind for mark, kind in _SIGNATURES if content.startswith(mark)), ""):
        return found
    if named == Kind.EML:
        return Kind.EML if _is_mail(content) else ""
    return Kind.HTML if _HTML.match(content.removeprefix(b"\xef\xbb\xbf")[:1024]) else ""


def _is_mail(content: bytes) -> bool:
    """Whether the content begins with headers that mails have."""
    head = _HEADERS.match(content.lstrip()[:100_000].replace(b"\r\n", b"\n"))
    return bool(head and _OF_MAILS.search(head[0]))


def _check_text(name: str, content: bytes, kind: Kind) -> None:
    if b"\x00" in content and not has_mark(content):
        raise DocumentRejectedError(
            f"'{name}' holds NUL bytes, so it is not {kind}; save it as UTF-8 and upload it again.", "wrong_type"
        )
    if len(content) > MAX_TEXT_BYTES:
        raise DocumentRejectedError(
            f"'{name}' is larger than {MAX_TEXT_BYTES // 1_000_000} MB; split it and upload the parts.", "too_large"
        )


MAX_PASSAGES = 20_000
MAX_PROBLEMS = 100
MAX_TITLE = 200


class ProseParser(Struct, frozen=True):
    """A `DocumentParser` of one kind. `DocumentRejectedError` for damaged bytes.

    The title is the sidecar's, else the document's own, else the file name without its suffix. The metadata are those
    of the sidecar, the front matter and the document's properties, in this order, by the source's schema, and
    `language`, which none of them can set as an attribute. The viewers are the sidecar's, else the
    front matter's.
    """

    kind: Kind

    def parse(self, source: SourceFile) -> ParsedDocument:
        sidecar = parse_sidecar(source.sidecar)
        check_kind(source.name, source.content, self.kind)
        scanned = source.recognised
        prose = _read(self.kind, source.content) if scanned is None else _scan(source.content, scanned)
        found = tuple(islice(prose_chunks(prose.blocks, Chunking()), MAX_PASSAGES + 1))
        if not found:
            raise DocumentRejectedError("The document has no text; check that the file is the right one.", "no_text")
        if len(found) > MAX_PASSAGES:
            raise DocumentRejectedError(
                f"The document gives more than {MAX_PASSAGES:,} passages; split it.", "too_large"
            )
        language, doubts = sidecar.language_or(prose.language)
        title = clip(sidecar.title or prose.title or PurePosixPath(source.name).stem, MAX_TITLE)
        metadata, faults = _described(source.schema, sidecar, prose)
        metadata["language"] = language
        about = _About(title, language, metadata, sidecar.readers or prose.readers, sidecar.embedded)
        each_metadata, of_columns = _metadata_of(source, about, found)
        passages = tuple(_passages(source, about, found, each_metadata))
        return ParsedDocument(passages, _bounded((*sidecar.problems, *doubts, *faults, *of_columns, *prose.problems)))


def _described(schema: Schema, sidecar: Sidecar, prose: Prose) -> tuple[dict[str, MetadataValue], tuple[Problem, ...]]:
    sources = (
        Declared("sidecar", sidecar.metadata),
        Declared("front matter", prose.metadata),
        Declared("properties", _written_by_people(prose.properties), optional=True),
        Declared("text", _said_in_the_text(schema, sidecar, prose)),
    )
    return described(schema, sources)


def _said_in_the_text(schema: Schema, sidecar: Sidecar, prose: Prose) -> Mapping[str, str]:
    """Whether the document is in force, as its text says it; nothing where a schema or a field of its own does."""
    named = {folded(each) for each in (*sidecar.metadata, *prose.metadata)}
    if not (named.isdisjoint(STATUS) and schema.is_inferred):
        return {}
    standing = said_standing(prose.blocks)
    return {SAID_STANDING: standing} if standing else {}


# What programs write as the author where they know none.
_PROGRAMS = frozenset({
    "openpyxl", "python-docx", "python-pptx", "apache poi", "xlsxwriter", "libreoffice", "microsoft office user",
    "windows user", "user", "admin", "administrator", "unknown",
})  # fmt: skip


def _written_by_people(properties: Mapping[str, str | tuple[str, ...]]) -> Mapping[str, str | tuple[str, ...]]:
    """The properties of a file without an author that is a program."""
    is_program = str(properties.get("author", "")).casefold() in _PROGRAMS
    return {name: each for name, each in properties.items() if not (is_program and name == "author")}


_IN_ANOTHER_FORM = (FieldType.NUMBER, FieldType.DATE, FieldType.KEYWORDS)

# Columns that are called as what documents have of their own.
_RENAMED = {"title": "Row title", "language": "Row language"}


class _About(Struct, frozen=True):
    """What all passages of a document share."""

    title: str
    language: str
    metadata: Mapping[str, MetadataValue]
    readers: tuple[str, ...]
    embedded: tuple[str, ...]


def _metadata_of(
    source: SourceFile, about: _About, chunks: Sequence[ProseChunk]
) -> tuple[list[Mapping[str, MetadataValue]], tuple[Problem, ...]]:
    """The metadata of each chunk, with the fields of its record, and what is wrong with these: each problem once.

    The first part of a record is marked as one. The other parts share its fields, of which there may be thousands.
    """
    found: list[Mapping[str, MetadataValue]] = []
    problems: dict[tuple[str, str], Problem] = {}
    before: Record | None = None
    shared = about.metadata
    for chunk in chunks:
        if (record := chunk.record) is None:
            found.append(about.metadata)
        elif record is before:
            found.append(shared)
        else:
            fields, faults = _fields(source, record)
            for each in faults:
                # The schema's list of what it lacks is told for one row, as it is for one document.
                problems.setdefault((each.kind, "" if each.kind == "unknown_field" else each.place + each.reason), each)
            table = clip(" › ".join((about.title, *chunk.path)), MAX_PROPERTY)
            before, shared = record, {**about.metadata, **fields, TABLE: table}
            found.append({**shared, ROW: float(record.number)})
    return found, tuple(problems.values())


def _fields(source: SourceFile, record: Record) -> tuple[dict[str, MetadataValue], tuple[Problem, ...]]:
    """The record's fields. A value that is too long for a field is text alone."""
    named = ((_RENAMED.get(name.casefold(), name), value) for name, value in _read_values(source.schema, record))
    values = {name: value for name, value in named if is_field(name.casefold()) and len(value) <= MAX_PROPERTY}
    return described(source.schema, (Declared(f"row {record.number}", values),))


def _read_values(schema: Schema, record: Record) -> Iterator[tuple[str, str | tuple[str, ...]]]:
    """The record's values. Where the schema wants no text, numbers, days and lists are in the form that fields take."""
    for name, value in record.values:
        known = field_named(schema, name) if name in record.plain else None
        is_declared = known is not None and not known.inferred and known.type not in _IN_ANOTHER_FORM
        yield name, value if is_declared else record.plain.get(name, value)


def _passages(
    source: SourceFile,
    about: _About,
    chunks: tuple[ProseChunk, ...],
    each_metadata: Sequence[Mapping[str, MetadataValue]],
) -> Iterator[Passage]:
    for index, (chunk, metadata) in enumerate(zip(chunks, each_metadata, strict=True)):
        yield Passage(
            passage_id=passage_id_at(source.document.document_id, index),
            document=source.document,
            version=source.version,
            title=about.title,
            text=chunk.text,
            context=_context(about, chunk.path),
            locator=SectionLocator(chunk.path),
            language=about.language,
            metadata=metadata,
            readers=about.readers,
        )


def _context(about: _About, path: tuple[str, ...]) -> str:
    """Title and section path; a first heading that is the title is not said twice."""
    below = path[1:] if path[:1] == (about.title,) else path
    return " · ".join((about.title, *below, *about.embedded))


def _bounded(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    if len(problems) <= MAX_PROBLEMS:
        return problems
    return (
        *problems[:MAX_PROBLEMS],
        Problem("", f"{len(problems) - MAX_PROBLEMS:,} more problems were found.", "more"),
    )


def prose_parsers() -> dict[str, ProseParser]:
    """The parsers by suffix of the file name, in lower case and with its dot."""
    return {suffix: ProseParser(kind) for suffix, kind in SUFFIXES.items()}


def _read(kind: Kind, content: bytes) -> Prose:
    """The prose of the bytes. A parser is imported with the first file of its kind: each has a library of its own."""
    read: Callable[[bytes], Prose] = resolve_name(f"cicada.ingest.prose.{_READERS[kind]}")
    return read(content)


def _scan(content: bytes, recognised: Sequence[RecognisedPage]) -> Prose:
    from cicada.ingest.prose.pdf_parser import read_scan

    return read_scan(content, recognised)
