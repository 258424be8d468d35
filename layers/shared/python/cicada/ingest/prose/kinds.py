"""The kinds of documents, and the detection of files whose content contradicts their name."""

from __future__ import annotations

import re
from enum import StrEnum

from cicada.errors import DocumentRejectedError
from cicada.ingest.prose.encoding import has_mark


class Kind(StrEnum):
    """The kinds that are read; the value is what people call it."""

    MARKDOWN = "a Markdown file"
    HTML = "an HTML page"
    TEXT = "a plain text"
    PDF = "a PDF"
    DOCX = "a Word document"


SUFFIXES = {
    ".md": Kind.MARKDOWN,
    ".markdown": Kind.MARKDOWN,
    ".html": Kind.HTML,
    ".htm": Kind.HTML,
    ".txt": Kind.TEXT,
    ".pdf": Kind.PDF,
    ".docx": Kind.DOCX,
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
    (b"{\\rtf", "an RTF document"),
)
_ZIPS = (
    (b"word/document", Kind.DOCX),
    (b"xl/workbook", "an Excel workbook"),
    (b"ppt/presentation", "a PowerPoint presentation"),
)
_HTML = re.compile(rb"\s*(<\?xml[^>]{0,200}>\s*)?(<!--[^>]{0,400}-->\s*)?<(!doctype\s+html|html[\s>])", re.IGNORECASE)
TEXTS = (Kind.MARKDOWN, Kind.HTML, Kind.TEXT)


def check_kind(name: str, content: bytes, kind: Kind) -> None:
    """`DocumentRejectedError` if the bytes are of another kind than the file's name says, empty, or too many."""
    if not content.strip():
        raise DocumentRejectedError("The file is empty; upload it again.", "empty")
    found = _found(content, kind)
    if found and found != kind:
        suffix = next((f" under a name that ends in {end}" for end, each in SUFFIXES.items() if each == found), "")
        advice = f"upload it{suffix}" if suffix else "save it as PDF or DOCX and upload that"
        raise DocumentRejectedError(f"'{name}' is {found} and not {kind}; {advice}.", "wrong_type")
    if not found and kind in (Kind.PDF, Kind.DOCX):
        raise DocumentRejectedError(
            f"'{name}' is not {kind}, or its beginning is missing; upload it again, whole.", "wrong_type"
        )
    if kind in TEXTS:
        _check_text(name, content, kind)


def _found(content: bytes, named: Kind) -> str:
    """The kind that the bytes certainly are; empty if they may be a text."""
    # Readers of PDF look for its mark in the first 1,024 bytes, where a text may speak of it.
    if content.startswith(b"%PDF-") or (named == Kind.PDF and b"%PDF-" in content[:1024]):
        return Kind.PDF
    if content.startswith(b"PK\x03\x04"):
        return next((kind for part, kind in _ZIPS if part in content), "a zip archive")
    if found := next((kind for mark, kind in _SIGNATURES if content.startswith(mark)), ""):
        return found
    return Kind.HTML if _HTML.match(content.removeprefix(b"\xef\xbb\xbf")[:1024]) else ""


def _check_text(name: str, content: bytes, kind: Kind) -> None:
    if b"\x00" in content and not has_mark(content):
        raise DocumentRejectedError(
            f"'{name}' holds NUL bytes, so it is not {kind}; save it as UTF-8 and upload it again.", "wrong_type"
        )
    if len(content) > MAX_TEXT_BYTES:
        raise DocumentRejectedError(
            f"'{name}' is larger than {MAX_TEXT_BYTES // 1_000_000} MB; split it and upload the parts.", "too_large"
        )
