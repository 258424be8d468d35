"""Cleans text of uploaded files."""

from __future__ import annotations

import re
import unicodedata

from cicada.ingest.markup import plain_line

_SURROGATE = re.compile(r"[\ud800-\udfff]")
# Ligatures of printed pages, which queries do not contain.
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
_SPACES = re.compile(r"( +)")
# More spaces in one place are no readable layout; they would only fill chunks.
_MOST_SPACES = 40


def clean_line(text: str) -> str:
    """`text` in one line without ligatures; surrogate pairs are joined, and a lone surrogate becomes U+FFFD."""
    if _SURROGATE.search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return plain_line(text if text.isascii() else text.translate(_LIGATURES))


def clean_code(text: str) -> tuple[str, ...]:
    """The lines with their spaces, up to 40 in one place, without empty lines before and after."""
    lines = [_spaced(line) for line in text.expandtabs(4).splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    start = next((number for number, line in enumerate(lines) if line), 0)
    return tuple(lines[start:])


def clip(text: str, length: int) -> str:
    """The text, cut to `length` characters of which the last is then an ellipsis."""
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"


def _spaced(line: str) -> str:
    parts = (part[:_MOST_SPACES] if part.startswith(" ") else clean_line(part) for part in _SPACES.split(line))
    return "".join(parts).rstrip()
