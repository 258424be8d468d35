"""Readers that a Markdown file names where they do not count.

Front matter stands at the beginning of a file. Someone who writes it elsewhere, or between other lines than three
dashes, means to restrict the document, so the document must not go in without its readers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_MARKS = re.compile(r"[ \t]{0,3}(?:-{3,}|\+{3,})")
_FENCE = re.compile(r"[ \t]{0,3}(?:```|~~~)")
_KEY = re.compile(
    r"^[ \t]*(?:<!--|[-*])?[ \t]*[\"']?(?:readers?|access[ _-]?control[ _-]?list)[\"']?[ \t]*[:=]",
    re.MULTILINE | re.IGNORECASE,
)
_READER = re.compile(r"\b(?:user|group):[ \t]?\S", re.IGNORECASE)


def names_readers(text: str) -> bool:
    """Whether a line begins with a key for readers, and a user or a group is named."""
    return bool(_KEY.search(text) and _READER.search(text))


def names_readers_at_top(text: str) -> bool:
    """Whether the first block names readers, whatever stands around them."""
    first, _, below = text.lstrip().partition("\n")
    block, _, _ = below.lstrip().partition("\n\n")
    return names_readers(f"{first}\n{block}")


def names_readers_below(text: str) -> bool:
    """Whether readers stand directly below a line of dashes or plus signs. Code between fences is an example."""
    return names_readers(text) and any(map(names_readers, _blocks(text)))


def _blocks(text: str) -> Iterator[str]:
    """What stands below each line of dashes or plus signs, up to the first empty line."""
    in_code = False
    block: list[str] | None = None
    for line in [*text.split("\n"), ""]:
        in_code ^= bool(_FENCE.match(line))
        if in_code or not line.strip():
            if block:
                yield "\n".join(block)
            block = None
        elif block is not None:
            block.append(line)
        elif _MARKS.match(line):
            block = []
