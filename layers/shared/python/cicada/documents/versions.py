"""The order of version numbers: 10.0 comes after 9.0, and 7 is 7.0."""

from __future__ import annotations

import re

_VERSION = re.compile(
    r"(?:v|version|rev|revision|ed|edition|issue)?[. ]{0,2}([0-9]{1,9}(?:\.[0-9]{1,9}){0,5}) ?([a-z]?)", re.IGNORECASE
)


def version_order(value: object) -> str | None:
    """A text that sorts as the version does, None for a value that is no version's number.

    Each part has nine digits, and a letter behind the last one comes before a further part: 2.0 < 2.0b < 2.0.1.
    """
    found = _VERSION.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        return None
    parts = [part.zfill(9) for part in found[1].split(".")]
    while len(parts) > 1 and parts[-1] == "0" * 9 and not found[2]:
        parts.pop()
    letter = f"!{found[2].lower()}" if found[2] else ""
    return "".join(f".{part}" for part in parts) + letter
