"""Recognises paragraphs and list items in plain lines of text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from cicada.ingest.prose.characters import clean_line
from cicada.ingest.prose.model import ListItem, Paragraph

_ITEM = re.compile(r"(?P<bullet>[-*•‣◦▪●–])\s+(?=\S)|(?P<number>\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+(?=\S)")
_SENTENCE_END = re.compile(r"[.!?:;…。！？][\"'”’)\]]?$")
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u00ad\u2010]$")
# A line that ends a sentence in the first three quarters of the width ends its paragraph too.
_FULL_LINE = 0.75


def text_blocks(lines: Iterable[str]) -> Iterator[Paragraph | ListItem]:
    """Paragraphs end at empty lines; a line that begins with a bullet or a number is a list item.

    An item's further lines are indented; without indentation, what follows an item is a paragraph.
    """
    group: list[str] = []
    for line in lines:
        stripped = line.strip()
        starts = not stripped or bool(_ITEM.match(stripped))
        leaves = bool(group) and bool(_ITEM.match(group[0])) and line[:1] not in " \t"
        if starts or leaves:
            yield from _block(group)
            group = []
        if stripped:
            group.append(stripped)
    yield from _block(group)


def page_blocks(lines: Iterable[str]) -> Iterator[Paragraph | ListItem]:
    """The same for a printed page, which has no empty lines and no indentation to go by.

    Words that are cut at the end of a line are made whole.
    """
    found = [line.strip() for line in lines]
    width = max(map(len, found), default=0)
    # Joined when the paragraph ends: line by line, a page of nothing but hyphens would take hours.
    group: list[str] = []
    for line in found:
        if not line or _ITEM.match(line):
            yield from _block(["".join(group)])
            group = []
        if line and group and _HYPHEN.search(group[-1]) and line[0].islower():
            group[-1] = group[-1][:-1]
            group.append(line)
        elif line:
            group.append(f" {line}" if group else line)
        if group and len(line) < _FULL_LINE * width and _SENTENCE_END.search(line):
            yield from _block(["".join(group)])
            group = []
    yield from _block(["".join(group)])


def _block(group: list[str]) -> Iterator[Paragraph | ListItem]:
    text = clean_line(" ".join(group))
    item = _ITEM.match(text)
    if item:
        yield ListItem(text[item.end() :], marker=item["number"] or "-")
    elif text:
        yield Paragraph(text)
