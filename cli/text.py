"""Makes foreign text safe for a terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from cicada_client.events import Locator, Source

# Control characters but line feed and tab (ESC among them: escape sequences begin with it, or with U+009B), and the
# characters that change the reading direction, with which a text can look like another one (CVE-2021-42574).
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
# What takes no place or looks like a blank: with it two names look alike.
_UNSEEN = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u206a-\u206f\u2800\u3164\ufeff"
    r"\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
)
_INVISIBLE = re.compile(f"[{_UNSEEN}]")
# Joiners and variation selectors mean something in emoji and in scripts from Hebrew on.
_JOINER_IN_A_NAME = re.compile(r"(?<![\u0590-\U0010ffff])[\u200c\u200d\ufe00-\ufe0f]")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)]*\s+|\n+")
_LEFT_OUT = ("… ", False)
_ESCAPED_IN_JSON = re.compile(rf"[\x7f-\x9f\u200c-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff{_UNSEEN}]")


def clean(text: str) -> str:
    """The text without what controls a terminal or the reading direction, and with escapes for what nobody sees.

    A stream can be cleaned piece by piece.
    """
    return _INVISIBLE.sub(_escape, _LONE_SURROGATE.sub("\ufffd", _UNSAFE.sub("", text)))


def clean_line(text: str) -> str:
    """The cleaned text on one line. In a name in Latin, Greek or Cyrillic letters joiners are shown as escapes too."""
    return " ".join(clean(_JOINER_IN_A_NAME.sub(_escape, text.replace("\r", "\n"))).split())


def _escape(found: re.Match[str]) -> str:
    r"""The character as JSON writes it, such as `\u200b`."""
    return json.dumps(found[0])[1:-1]


def to_json(value: object) -> str:
    """JSON for people and programs: readable, exact, and without raw control characters."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return _ESCAPED_IN_JSON.sub(_escape, text)


def source_line(source: Source, *, named: bool = True) -> str:
    """A source on one line: number, title with the shown metadata, and locator, each part once.

    Without `named` only its number and place, below another source of its document.
    """
    first, *others = dict.fromkeys(filter(None, [source.title, *_locator_parts(source.locator)])) or [""]
    document = [f"{first}{_shown(source.fields)}"] if named or not others else []
    return clean_line(f"[{source.n}] " + " · ".join([*document, *others]))


def marked_sentences(source: Source) -> list[tuple[str, bool]]:
    """The sentences that the answer rests on, in pieces, each with whether it is marked; `…` for what is left out."""
    text, found = source.excerpt, list[tuple[str, bool]]()
    ends = sorted({0, *(each.end() for each in _SENTENCE_END.finditer(text)), len(text)})
    for start, end in pairwise(ends):
        within = ((max(first, start) - start, min(last, end) - start) for first, last in source.spans)
        if spans := tuple(span for span in within if span[0] < span[1]):
            found += replace(source, excerpt=text[start:end], spans=spans).pieces
        elif source.spans and found[-1:] != [_LEFT_OUT]:
            found.append(_LEFT_OUT)
    return found


def _shown(fields: Mapping[str, str] | None) -> str:
    return f" ({', '.join(f'{name}: {value}' for name, value in fields.items())})" if fields else ""


def _locator_parts(locator: Locator) -> list[str]:
    messages = locator.messages
    return [
        locator.episode or "",
        locator.chapter or "",
        _numbered(*messages) if messages else "",
        ", ".join(locator.speakers),
        " › ".join(locator.section),
    ]


def _numbered(first: int, last: int) -> str:
    return f"message {first}" if first == last else f"messages {first}–{last}"


def counted(number: int, noun: str) -> str:
    """The number with its noun, such as `1 file` and `2 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
