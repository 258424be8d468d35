"""Unpacks a Word document's package within limits and repacks its text parts.

A zip file may unpack to a thousand times its size and declare a wrong size, which the library does not check. It gets
only a package whose parts were counted here.
"""

from __future__ import annotations

import zipfile
from io import BytesIO

from cicada.errors import DocumentRejectedError
from cicada.ingest.prose.damage import damage_reported

# Memory for so many bytes of small elements: docs/figures/reader-limits.json.
MAX_XML_BYTES = 20_000_000
MAX_PARTS = 5_000

_DAMAGED = "The Word document is damaged; open it, save it as a new DOCX and upload that."
_READ_BYTES = 1_000_000
# A zip file lists each of its entries behind this mark.
_ENTRY = b"PK\x01\x02"
# What the standard of Office files allows (ISO/IEC 29500-2). Of the others, the library unpacks all that a piece holds.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def safe_package(content: bytes) -> bytes:
    """The same document with empty pictures, fonts and the like. Raises `DocumentRejectedError` if it is harmful."""
    # Before it is opened, since the library makes an object of each entry.
    if content.count(_ENTRY) > MAX_PARTS:
        raise DocumentRejectedError(_DAMAGED, "damaged")
    packed = BytesIO()
    with (
        damage_reported(_DAMAGED, zipfile.BadZipFile),
        zipfile.ZipFile(BytesIO(content)) as source,
        zipfile.ZipFile(packed, "w") as target,
    ):
        _copy(source, target)
    return packed.getvalue()


def _copy(source: zipfile.ZipFile, target: zipfile.ZipFile) -> None:
    infos = source.infolist()
    if len(infos) > MAX_PARTS or len({info.filename for info in infos}) < len(infos):
        raise DocumentRejectedError(_DAMAGED, "damaged")
    # Check the zip's declared sizes first: refusing by them costs nothing.
    room = MAX_XML_BYTES
    if sum(info.file_size for info in infos if _is_xml(info.filename)) > room:
        raise _too_large()
    for info in infos:
        part = _unpacked(source, info, room) if _is_xml(info.filename) else b""
        _check_xml(part)
        room -= len(part)
        target.writestr(info.filename, part)


def _is_xml(name: str) -> bool:
    return name.lower().endswith((".xml", ".rels"))


def _unpacked(source: zipfile.ZipFile, info: zipfile.ZipInfo, room: int) -> bytes:
    """Read in small pieces, because a single read may return more than the declared size."""
    if info.flag_bits & 1:
        raise DocumentRejectedError(
            "The Word document needs a password; save it without one and upload it again.", "encrypted"
        )
    if info.compress_type not in _METHODS:
        raise DocumentRejectedError(_DAMAGED, "damaged")
    pieces = bytearray()
    with source.open(info) as part:
        while piece := part.read(_READ_BYTES):
            pieces += piece
            if len(pieces) > room:
                raise _too_large()
    return bytes(pieces)


def _check_xml(part: bytes) -> None:
    """Reject a document type: Office writes none, and it would allow entity expansion or reading local files."""
    # UTF-16 puts NULs between the letters.
    if b"<!DOCTYPE" in part.replace(b"\x00", b""):
        raise DocumentRejectedError(
            "The Word document holds a document type, which Word does not write; save it anew.", "hostile"
        )


def _too_large() -> DocumentRejectedError:
    return DocumentRejectedError(
        f"The Word document unpacks to more than {MAX_XML_BYTES // 1_000_000} MB of text and formatting; split it.",
        "too_large",
    )
