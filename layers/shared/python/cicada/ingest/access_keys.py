"""Recognises names and values that say who may read a document, wherever somebody wrote them.

Only the access control list of a sidecar and `readers` in front matter restrict a document. Whoever writes the same
elsewhere, or spells it otherwise, means to restrict it too, so the document must not go in without its readers.
"""

from __future__ import annotations

import re

from cicada.text import skeleton

# As letters alone, in lower case.
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
    return names_access(name) or _holds_readers(value)


def _holds_readers(value: object) -> bool:
    if isinstance(value, dict):
        return any(restricts(str(name), each) for name, each in value.items())
    if isinstance(value, list | tuple):
        return any(map(_holds_readers, value))
    return isinstance(value, str) and _ENTRIES.fullmatch(skeleton(value.strip())) is not None


def _is_typing_error(letters: str, right: str) -> bool:
    """Whether a letter is missing, doubled or swapped with its neighbour. Another letter may make another word."""
    missing = (right[:at] + right[at + 1 :] for at in range(len(right)))
    doubled = (right[:at] + right[at] + right[at:] for at in range(len(right)))
    swapped = (right[:at] + right[at + 1] + right[at] + right[at + 2 :] for at in range(len(right) - 1))
    return abs(len(letters) - len(right)) < 2 and letters in {*missing, *doubled, *swapped}
