"""Names and values that say who may read a document, wherever and however somebody wrote them.

Only the access control list of a sidecar and `readers` in front matter, at the beginning of a Markdown file, restrict a
document. Whoever writes the same elsewhere, or spells it otherwise, means to restrict it too, so the document must not
go in without its viewers.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from enum import Enum, auto
from functools import cache

from cicada.errors import DocumentRejectedError
from cicada.text import skeleton

# The kind of a rejection because of the viewers: the indexed version may have been meant for others.
REJECTED = "front_matter"

_MARKS = re.compile(r"[ \t]{0,3}(?:-{3,}|\+{3,})")
_FENCE = re.compile(r"[ \t]{0,3}(?:```|~~~)")
_COMMENT = re.compile(r"<!--|-->")
_TAG = re.compile(r"<[^<>]*+>")
_META = re.compile(r"<meta\b[^>]{0,2000}", re.IGNORECASE)
_META_NAME = re.compile(r"(?:name|property|itemprop)\s{0,9}=\s{0,9}[\"']?([^\"'>]{1,200})", re.IGNORECASE)
# A key, the signs around it, and the beginning of its value.
_HEAD = 200
# The lines of a text that begins with a mark; further below there is no front matter.
_MOST_LINES = 50
_SIGN = re.compile(r"[:=]")
# The keys as letters alone, in lower case.
_KEYS = {
    *("reader", "readers", "readby", "readableby", "readaccess", "readpermission", "readpermissions"),
    *("accesscontrol", "accesscontrollist", "accesscontrollists", "accesslist", "acl", "acls"),
    *("permission", "permissions", "permittedreaders", "permittedusers", "permittedgroups"),
    *("allowedreaders", "allowedviewers", "allowedusers", "allowedgroups"),
    *("visibleto", "sharedwith", "restrictedto"),
}
_TYPED = {"readers", "accesscontrollist"}
_NO_LETTER = re.compile(r"[^a-z]+")
_ENTRY = re.compile(r"\b(?:user|group):[ \t]?\S")
_ENTRIES = re.compile(r"(?:(?:user|group):\S+[\s,;]*+)++")


def names_access(key: str) -> bool:
    """Whether a key means readers: in any case and script, with any signs, or with one letter missing or misplaced."""
    letters = _NO_LETTER.sub("", skeleton(key[:200]))
    return letters in _KEYS or any(_is_typing_error(letters, right) for right in _TYPED)


def has_entry(text: str) -> bool:
    """Whether a user or a group is named somewhere in the text, as in an access list."""
    return _ENTRY.search(skeleton(text)) is not None


def restricts(name: str, value: object) -> bool:
    """Whether an attribute means to name readers: by its name, by one within its value, or by values of that form."""
    return names_access(name) or _holds_viewers(value)


def _holds_viewers(value: object) -> bool:
    if isinstance(value, dict):
        return any(restricts(str(name), each) for name, each in value.items())
    if isinstance(value, list | tuple):
        return any(map(_holds_viewers, value))
    return isinstance(value, str) and _ENTRIES.fullmatch(skeleton(value.strip())) is not None


def _is_typing_error(letters: str, right: str) -> bool:
    """Whether a letter is missing, doubled or swapped with its neighbour. Another letter may make another word."""
    missing = (right[:at] + right[at + 1 :] for at in range(len(right)))
    doubled = (right[:at] + right[at] + right[at:] for at in range(len(right)))
    swapped = (right[:at] + right[at + 1] + right[at] + right[at + 2 :] for at in range(len(right) - 1))
    return abs(len(letters) - len(right)) < 2 and letters in {*missing, *doubled, *swapped}


def refuse_misplaced_access_list(text: str) -> None:
    """`DocumentRejectedError` if viewers are named in a text that has no front matter, or below it.

    That is a line with a key for viewers and a user or a group in it or below it, up to the next empty line; in lines
    between marks at the beginning such a key alone; and a `<meta>` element of such a name. Code between fences is an
    example.
    """
    if _names_viewers(text) or any(map(names_access, _meta_names(text))):
        raise DocumentRejectedError(
            "The file names readers outside of front matter. Write them in a sidecar or, in a Markdown file, between "
            "two lines of three dashes at the beginning. The document stays out, for who may read it is unknown.",
            REJECTED,
        )


def refuse_access_column(values: Iterable[tuple[str, str]]) -> None:
    """`DocumentRejectedError` if a column of a table names viewers: all rows of a document have the same."""
    means_viewers = cache(names_access)
    if any(means_viewers(name) and has_entry(value) for name, value in values):
        raise DocumentRejectedError(
            "A column of the table names readers, and readers are of the whole document. Write them in a sidecar, and "
            "rows for others in a file of their own. The document stays out, for who may read it is unknown.",
            REJECTED,
        )


def may_name_viewers(text: str) -> bool:
    """Whether a user or a group is named in the text, or a line of it begins with a key for viewers."""
    return has_entry(text) or any(names_access(_key_and_value(line)[0]) for line in text.splitlines())


def _names_viewers(text: str) -> bool:
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
    """The place of a line: above the first text, between marks that begin the file, or below."""

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
