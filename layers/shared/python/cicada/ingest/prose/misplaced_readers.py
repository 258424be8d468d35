"""Readers that a text file names where they do not count.

Front matter stands at the beginning of a Markdown file. Someone who writes it elsewhere, in another kind of file, or
between other lines than three dashes means to restrict the document, so the document must not go in without its
readers.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from enum import Enum, auto

from cicada.errors import DocumentRejectedError
from cicada.ingest.access_keys import has_entry, names_access
from cicada.text import skeleton

# The kind of a rejection because of the readers: the indexed version may have been meant for others.
REJECTED = "front_matter"

_MARKS = re.compile(r"[ \t]{0,3}(?:-{3,}|\+{3,})")
_FENCE = re.compile(r"[ \t]{0,3}(?:```|~~~)")
_COMMENT = re.compile(r"<!--|-->")
_TAG = re.compile(r"<[^<>]*+>")
_META = re.compile(r"<meta\b[^>]{0,2000}", re.IGNORECASE)
_META_NAME = re.compile(r"(?:name|property|itemprop)\s{0,9}=\s{0,9}[\"']?([^\"'>]{1,200})", re.IGNORECASE)
# A key, the signs around it, and the beginning of its value.
_HEAD = 200
# Of what begins with a mark; further below it is no front matter.
_MOST_LINES = 50
_SIGN = re.compile(r"[:=]")


def refuse_misplaced_readers(text: str) -> None:
    """`DocumentRejectedError` if readers are named in a text that has no front matter, or below it.

    That is a line with a key for readers and a user or a group in it or below it, up to the next empty line; in lines
    between marks at the beginning such a key alone; and a `<meta>` element of such a name. Code between fences is an
    example.
    """
    if _names_readers(text) or any(map(names_access, _meta_names(text))):
        raise DocumentRejectedError(
            "The file names readers outside of front matter. Write them in a sidecar or, in a Markdown file, between "
            "two lines of three dashes at the beginning. The document stays out, for who may read it is unknown.",
            REJECTED,
        )


def has_readers_key(line: str) -> bool:
    """Whether the line begins with a key for readers, whatever signs stand around it."""
    return names_access(_key_and_value(line)[0])


def _names_readers(text: str) -> bool:
    place = _Place.ABOVE
    named = in_code = False
    for number, line in enumerate(text.splitlines()):
        in_code ^= bool(_FENCE.match(line))
        # An empty line ends what belongs to a key.
        named = named and not in_code and bool(line.strip())
        if in_code or not line.strip():
            continue
        place = _place(place, line, number)
        key, value = _key_and_value(line)
        is_key = names_access(key)
        if is_key and place is _Place.BETWEEN_MARKS and value.strip(" \t\"'[]") not in ("", "everyone"):
            return True
        named = named or is_key
        if named and has_entry(line):
            return True
    return False


class _Place(Enum):
    """Where a line stands: above the first text, between marks that begin the file, or below."""

    ABOVE = auto()
    BETWEEN_MARKS = auto()
    BELOW = auto()


def _place(before: _Place, line: str, number: int) -> _Place:
    is_mark = bool(_MARKS.match(line))
    if before is _Place.ABOVE:
        return _Place.BETWEEN_MARKS if is_mark else before if _COMMENT.search(line) else _Place.BELOW
    return _Place.BELOW if is_mark or number > _MOST_LINES else before


def _key_and_value(line: str) -> tuple[str, str]:
    """What stands before and after the first colon or equals sign of a line; both empty without one."""
    if line.isascii() and not _SIGN.search(line, 0, _HEAD):
        return "", ""
    head = skeleton(line[:_HEAD])
    sign = _SIGN.search(head)
    return (_TAG.sub("", head[: sign.start()]), head[sign.end() :]) if sign else ("", "")


def _meta_names(text: str) -> Iterator[str]:
    for tag in _META.finditer(text):
        for name in _META_NAME.finditer(tag[0]):
            yield html.unescape(name[1])
