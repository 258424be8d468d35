"""Reads RTF (Microsoft, Rich Text Format Specification 1.9.1)."""

from __future__ import annotations

import re

from msgspec import Struct, field
from msgspec.structs import replace

from cicada.errors import DocumentRejectedError
from cicada.ingest.prose.encoding import clean_line
from cicada.ingest.prose.sections import (
    MAX_PROPERTY,
    Block,
    Heading,
    ListItem,
    Paragraph,
    Prose,
    first_heading,
    headed_table,
)

MAX_BLOCKS = 500_000
MAX_DEPTH = 10_000

_TOKEN = re.compile(
    rb"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?|\\'(?P<byte>[0-9a-fA-F]{2})|\\(?P<sign>[^a-zA-Z])"
    rb"|(?P<brace>[{}])|(?P<text>[^\\{}\r\n]+)|[\r\n]+|\\"
)
# Groups of what is no text of the document, or is repeated on each page, or stands below it.
_SKIPPED = frozenset(
    """
    aftncn aftnsep annotation atnauthor atnid author bkmkend bkmkstart buptim colorschememapping colortbl
    comment company creatim datafield datastore doccomm falt filetbl fldinst footer footerf footerl footerr
    footnote ftncn ftnsep ftnsepc generator header headerf headerl headerr hlinkbase info keywords latentstyles
    listoverridetable listtable manager nonshppict objdata object operator password pict pgptbl pntxta pntxtb
    printim private revtbl revtim rsidtbl rxe stylesheet subject tc template themedata title txe userprops
    wgrffmtfilter xe xmlnstbl
    """.split()  # noqa: SIM905 - as a list of literals it would not be readable
)
# The marks of list items, as text for old programs.
_MARKERS = ("listtext", "pntext")
_PROPERTIES = ("title", "author", "subject", "keywords")
_SIGNS = {
    **dict(zip(("emdash", "endash", "lquote", "rquote", "ldblquote", "rdblquote", "bullet"), "—–‘’“”•", strict=True)),
    **dict.fromkeys(("tab", "line", "emspace", "enspace", "qmspace", "nestcell", "nestrow"), " "),
}
# What a backslash makes of the sign behind it.
_ESCAPED = {b"~": " ", b"_": "-", b"-": "", b"\\": "\\", b"{": "{", b"}": "}", b"\n": "\n", b"\r": "\n"}
# Encodings by the character set of a font.
_CHARSETS = {77: "mac-roman", 128: "cp932", 129: "cp949", 134: "gbk", 136: "big5", 163: "cp1258", 222: "cp874"} | {
    charset: f"cp{page}"
    for charset, page in ((161, 1253), (162, 1254), (177, 1255), (178, 1256), (186, 1257), (204, 1251), (238, 1250))
}
_CODE_PAGES = {932: "cp932", 936: "gbk", 949: "cp949", 950: "big5", 874: "cp874", 65001: "utf-8", 10000: "mac-roman"}


class _Group(Struct):
    """What holds up to the end of a group. `into`: the property that its text is; `skips`: it is no text.

    `fallback`: how many signs behind a Unicode one stand for it in old programs.
    """

    skips: bool = False
    hidden: bool = False
    deleted: bool = False
    fallback: int = 1
    font: int = -1
    into: str = ""
    of_fonts: bool = False


class _Reader(Struct):
    """The state of reading: the open groups, the paragraph, and the table's rows."""

    groups: list[_Group] = field(default_factory=lambda: [_Group()])
    pieces: list[str] = field(default_factory=list)
    octets: bytearray = field(default_factory=bytearray)
    encoding: str = "cp1252"
    fonts: dict[int, str] = field(default_factory=dict)
    level: int = 0
    is_item: bool = False
    in_table: bool = False
    cells: list[str] = field(default_factory=list)
    rows: list[tuple[str, ...]] = field(default_factory=list)
    to_skip: int = 0
    properties: dict[str, list[str]] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)


def read_rtf(content: bytes) -> Prose:
    """The title is the document's property, else the first heading; a heading is a paragraph with an outline level.

    Deleted and hidden text, headers, footers, notes and comments are not read.
    """
    reader = _Reader()
    position = 0
    # The last forms of a token take any byte.
    while (len(reader.groups) > 1 or not position) and (token := _TOKEN.match(content, position)):
        position = token.end()
        if token["word"] == b"bin":
            position += max(int(token["number"] or 0), 0)
        else:
            _take(reader, token)
    if len(reader.groups) > 1:
        raise DocumentRejectedError("The RTF document is cut off or damaged; save it anew and upload that.", "damaged")
    _end_paragraph(reader)
    _end_table(reader)
    found = {name: clean_line("".join(pieces)) for name, pieces in reader.properties.items()}
    title = found.pop("title", "")
    properties = {name: text for name, text in found.items() if text and len(text) <= MAX_PROPERTY}
    return Prose(tuple(reader.blocks), title=title or first_heading(reader.blocks), properties=properties)


def _take(reader: _Reader, token: re.Match[bytes]) -> None:
    if brace := token["brace"]:
        _brace(reader, brace)
    elif word := token["word"]:
        _flush(reader)
        _word(reader, word.decode(), int(token["number"]) if token["number"] else None)
    elif (sign := token["sign"]) is not None:
        _flush(reader)
        _escaped(reader, sign)
    elif byte := token["byte"]:
        _octets(reader, bytes([int(byte, 16)]))
    elif text := token["text"]:
        _octets(reader, text)


def _brace(reader: _Reader, brace: bytes) -> None:
    _flush(reader)
    reader.to_skip = 0
    if brace == b"{":
        if len(reader.groups) > MAX_DEPTH:
            raise DocumentRejectedError("The RTF document nests too many groups; save it anew.", "too_large")
        reader.groups.append(replace(reader.groups[-1]))
    else:
        reader.groups.pop()


def _escaped(reader: _Reader, sign: bytes) -> None:
    if sign == b"*":
        # What may be skipped by a program that does not know it.
        reader.groups[-1].skips = True
    elif _ESCAPED.get(sign) == "\n":
        _end_paragraph(reader)
    else:
        _text(reader, _ESCAPED.get(sign, ""))


def _octets(reader: _Reader, octets: bytes) -> None:
    """Bytes of text. They are decoded together: a letter may have two."""
    skipped = min(reader.to_skip, len(octets))
    reader.to_skip -= skipped
    reader.octets += octets[skipped:]


def _flush(reader: _Reader) -> None:
    if reader.octets:
        encoding = reader.fonts.get(reader.groups[-1].font) or reader.encoding
        text = reader.octets.decode(encoding, "replace")
        reader.octets.clear()
        _text(reader, text)


def _text(reader: _Reader, text: str) -> None:
    group = reader.groups[-1]
    if group.into:
        reader.properties.setdefault(group.into, []).append(text)
    elif not (group.skips or group.hidden or group.deleted):
        reader.pieces.append(text)


def _word(reader: _Reader, word: str, number: int | None) -> None:
    group = reader.groups[-1]
    if word in _SIGNS:
        _text(reader, _SIGNS[word])
    elif word == "u":
        _text(reader, chr((number or 0) & 0xFFFF))
        reader.to_skip = group.fallback
    elif word in _SKIPPED or word in _MARKERS or word == "fonttbl":
        _begin_skipped(reader, group, word)
    elif not _of_characters(reader, group, word, number):
        _of_paragraphs(reader, word, number, shown=not group.skips)


def _begin_skipped(reader: _Reader, group: _Group, word: str) -> None:
    reader.is_item |= word in _MARKERS and not group.skips
    group.into = word if word in _PROPERTIES else ""
    group.of_fonts = word == "fonttbl"
    group.skips = True


def _of_characters(reader: _Reader, group: _Group, word: str, number: int | None) -> bool:
    """Whether the word says something of the characters behind it."""
    if word in ("v", "deleted"):
        setattr(group, "hidden" if word == "v" else "deleted", number != 0)
    elif word == "plain":
        group.hidden = group.deleted = False
    elif word == "uc":
        group.fallback = min(max(number or 0, 0), 9)
    elif word == "f":
        group.font = number or 0
    elif word == "fcharset":
        if group.of_fonts and number in _CHARSETS:
            reader.fonts[group.font] = _CHARSETS[number]
    elif word in ("ansicpg", "mac"):
        page = 10000 if word == "mac" else number or 1252
        reader.encoding = _CODE_PAGES.get(
            page, f"cp{page}" if 1250 <= page <= 1258 or page in (437, 850, 866) else "cp1252"
        )
    else:
        return False
    return True


def _of_paragraphs(reader: _Reader, word: str, number: int | None, *, shown: bool) -> None:
    if not shown:
        return
    if word in ("par", "sect", "page"):
        _end_paragraph(reader)
    elif word == "pard":
        reader.level, reader.is_item, reader.in_table = 0, False, False
    elif word == "intbl":
        reader.in_table = True
    elif word == "outlinelevel":
        reader.level = (number or 0) + 1 if 0 <= (number or 0) < 9 else 0
    elif word == "ls":
        reader.is_item = True
    elif word == "cell":
        reader.cells.append(_line(reader))
    elif word == "row":
        reader.rows.append(tuple(reader.cells))
        reader.cells.clear()


def _line(reader: _Reader) -> str:
    text = clean_line("".join(reader.pieces))
    reader.pieces.clear()
    return text


def _end_paragraph(reader: _Reader) -> None:
    """A paragraph of a cell goes on in the cell."""
    _flush(reader)
    if reader.in_table:
        reader.pieces.append(" ")
        return
    _end_table(reader)
    text = _line(reader)
    if len(reader.blocks) > MAX_BLOCKS:
        raise DocumentRejectedError(f"The RTF document has more than {MAX_BLOCKS:,} paragraphs; split it.", "too_large")
    if text:
        item = ListItem(text) if reader.is_item else Paragraph(text)
        reader.blocks.append(Heading(reader.level, text) if reader.level else item)


def _end_table(reader: _Reader) -> None:
    """The table that stands before the paragraph."""
    reader.blocks += headed_table(reader.rows)
    reader.rows.clear()
