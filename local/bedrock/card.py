"""The card of a forced card tool: the document's first sentence, its most frequent long words, its questions."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from local.bedrock.tools import Tool

_TAGS = 8
_SHORTEST_TAG = 5
_WORD = re.compile(r"[^\W\d_]+")


def asks_for_a_card(tool: Tool) -> bool:
    """Whether the tool's input is a document's card."""
    return {"overview", "topic_tags", "question_hints"} <= set(tool.schema.get("properties", {}))


def card(text: str) -> dict[str, Any]:
    """The tool's input for a message with the parts `Title:`, `Headings:` and `Text:`, each behind bars."""
    body = _part(text, "Text") or text
    return {
        "overview": re.split(r"(?<=[.!?。])\s", " ".join(body.split()), maxsplit=1)[0],
        "topic_tags": _tags(f"{_part(text, 'Title')} {body}"),
        "question_hints": _questions(_part(text, "Headings").splitlines()),
    }


def _part(text: str, name: str) -> str:
    found = re.search(rf"^{name}:\n((?:\|.*\n?)*)", text, re.MULTILINE)
    return re.sub(r"^\| ?", "", found.group(1), flags=re.MULTILINE).strip() if found else ""


def _tags(text: str) -> list[str]:
    words = Counter(word for word in _WORD.findall(text.lower()) if len(word) >= _SHORTEST_TAG)
    return sorted(words, key=lambda word: (-words[word], word))[:_TAGS]


def _questions(headings: Sequence[str]) -> list[str]:
    return [heading for heading in headings if heading.endswith("?")]
