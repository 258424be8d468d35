"""Unpacks the packages of office documents within limits.

A package is a zip file, which may unpack to a thousand times its size and declare a wrong one. Libraries check neither,
so they get only parts that were counted here.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO

from lxml import etree
from lxml.etree import _Element as Element
from msgspec import Struct

from cicada.errors import DocumentRejectedError
from cicada.ingest.prose.encoding import clean_line, damage_reported
from cicada.ingest.prose.sections import MAX_PROPERTY

MAX_PARTS = 5_000
# Memory for the elements of so many bytes that are read as one tree: docs/decisions/0042.
MAX_TREE_BYTES = 20_000_000

_READ_BYTES = 1_000_000
# A zip file lists each of its entries behind this mark.
_ENTRY = b"PK\x01\x02"
# What the standards of office files allow (ISO/IEC 29500-2 and 26300-2). Of the others, the library unpacks all that a
# piece holds.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class PackageKind(Struct, frozen=True):
    """`name`: what people call such a document, `suffix` and `program` its format's and its usual program's name.

    `most_bytes`: of XML that is unpacked in all.
    """

    name: str
    suffix: str
    program: str
    most_bytes: int

    @property
    def damaged(self) -> str:
        return f"The {self.name} is damaged; open it, save it as a new {self.suffix} and upload that."


class Package:
    """An open package; made by `opened`. `room`: bytes of XML that may still be unpacked."""

    def __init__(self, archive: zipfile.ZipFile, kind: PackageKind) -> None:
        self._archive = archive
        self._kind = kind
        self._room = kind.most_bytes
        self.infos = archive.infolist()
        self._by_name = {info.filename: info for info in self.infos}
        if len(self.infos) > MAX_PARTS or len(self._by_name) < len(self.infos):
            raise DocumentRejectedError(kind.damaged, "damaged")

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def has_room_for_all(self) -> None:
        """`DocumentRejectedError` if all XML together is too large by what it declares: refusing so costs nothing."""
        if sum(info.file_size for info in self.infos if is_xml(info.filename)) > self._room:
            raise self._too_large()

    def part(self, name: str) -> bytes:
        """A part's bytes, within the limits. `DocumentRejectedError` for a missing one."""
        if name not in self._by_name:
            raise DocumentRejectedError(self._kind.damaged, "damaged")
        part = self._unpacked(self._by_name[name])
        self._room -= len(part)
        return part

    def xml_part(self, name: str) -> bytes:
        """The bytes of a part of XML that holds no document type: it would allow entities, or reading local files."""
        part = self.part(name)
        # UTF-16 puts NULs between the letters.
        if b"<!DOCTYPE" in part.replace(b"\x00", b""):
            raise DocumentRejectedError(
                f"The {self._kind.name} holds a document type, which {self._kind.program} does not write; save it "
                "anew.",
                "hostile",
            )
        return part

    def xml(self, name: str) -> Element:
        """The root of a part of XML. The parser lets nothing be nested deeper than 256 elements."""
        part = self.xml_part(name)
        if len(part) > MAX_TREE_BYTES:
            raise self._too_large(MAX_TREE_BYTES, "in one part")
        parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
        return etree.fromstring(part, parser)

    def _unpacked(self, info: zipfile.ZipInfo) -> bytes:
        """Read in small pieces, because a single read may return more than the declared size."""
        if info.flag_bits & 1:
            raise encrypted(self._kind)
        if info.compress_type not in _METHODS:
            raise DocumentRejectedError(self._kind.damaged, "damaged")
        if info.file_size > self._room:
            raise self._too_large()
        pieces = bytearray()
        with self._archive.open(info) as part:
            while piece := part.read(_READ_BYTES):
                pieces += piece
                if len(pieces) > self._room:
                    raise self._too_large()
        return bytes(pieces)

    def _too_large(self, most_bytes: int = 0, place: str = "") -> DocumentRejectedError:
        size = f"{(most_bytes or self._kind.most_bytes) // 1_000_000} MB of text and formatting {place}".rstrip()
        return DocumentRejectedError(f"The {self._kind.name} unpacks to more than {size}; split it.", "too_large")


def is_xml(name: str) -> bool:
    return name.lower().endswith((".xml", ".rels"))


def encrypted(kind: PackageKind) -> DocumentRejectedError:
    return DocumentRejectedError(
        f"The {kind.name} needs a password; save it without one and upload it again.", "encrypted"
    )


@contextmanager
def opened(content: bytes, kind: PackageKind) -> Iterator[Package]:
    """The package, for as long as its parts are read. Damage of any sort is a `DocumentRejectedError`."""
    # Before it is opened, since the library makes an object of each entry.
    if content.count(_ENTRY) > MAX_PARTS:
        raise DocumentRejectedError(kind.damaged, "damaged")
    with damage_reported(kind.damaged, zipfile.BadZipFile, SyntaxError), zipfile.ZipFile(BytesIO(content)) as archive:
        yield Package(archive, kind)


def repacked(content: bytes, kind: PackageKind) -> bytes:
    """The same document with empty pictures, fonts and the like, for a library that opens packages itself."""
    packed = BytesIO()
    with opened(content, kind) as package, zipfile.ZipFile(packed, "w") as target:
        package.has_room_for_all()
        for info in package.infos:
            target.writestr(info.filename, package.xml_part(info.filename) if is_xml(info.filename) else b"")
    return packed.getvalue()


_CORE = "docProps/core.xml"
# Names of fields, and those of the properties (ISO/IEC 29500-2, 11), without their namespaces.
_PROPERTIES: Mapping[str, str] = {
    "title": "title",
    "author": "creator",
    "subject": "subject",
    "category": "category",
    "keywords": "keywords",
    "status": "contentStatus",
    "date": "created",
    "created": "created",
    "modified": "modified",
}
_DAY = re.compile(r"(\d{4}-\d{2}-\d{2})T[\d:.]+Z?")


def core_properties(package: Package) -> tuple[str, dict[str, str]]:
    """The title and the other properties of an Office file, without empty, long and damaged ones."""
    try:
        root = package.xml(_CORE) if _CORE in package else None
    except SyntaxError:
        return "", {}
    found = {etree.QName(each).localname: clean_line(each.text or "") for each in (root if root is not None else ())}
    named = {field: found.get(name, "") for field, name in _PROPERTIES.items()}
    properties = {field: _DAY.sub(r"\1", text) for field, text in named.items() if text and len(text) <= MAX_PROPERTY}
    return properties.pop("title", ""), properties
