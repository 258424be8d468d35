"""Makes foreign text safe for a terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from cicada_client.events import Locator, Source

# Control characters but line feed and tab (ESC among them: escape sequences begin with it, or with U+009B), and the
# characters that change the reading direction, with which a text can look like another one (CVE-2021-42574).
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ESCAPED_IN_JSON = re.compile(r"[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def clean(text: str) -> str:
    """The text without what controls a terminal or the reading direction. A stream can be cleaned piece by piece."""
    return _LONE_SURROGATE.sub("\ufffd", _UNSAFE.sub("", text))


def clean_line(text: str) -> str:
    """The cleaned text on one line."""
    return " ".join(clean(text.replace("\r", "\n")).split())


def to_json(value: object) -> str:
    """JSON for people and programs: readable, exact, and without raw control characters."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return _ESCAPED_IN_JSON.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def source_line(source: Source) -> str:
    """A source on one line: number, title with the shown metadata, and locator, each part once."""
    first, *others = dict.fromkeys(filter(None, [source.title, *_locator_parts(source.locator)])) or [""]
    return clean_line(f"[{source.n}] " + " · ".join([f"{first}{_shown(source.fields)}", *others]))


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
