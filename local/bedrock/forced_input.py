"""The input of a forced tool call: a document's card, a plan, or the smallest that the tool's schema allows."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from local.bedrock.prompt import parse
from local.bedrock.tools import Tool

Schema = Mapping[str, Any]

_CARD = frozenset({"overview", "topic_tags", "question_hints"})
_PLAN = frozenset({"intent", "strategy", "query"})
_TAGS = 8
_SHORTEST_TAG = 5
_WORD = re.compile(r"[^\W\d_]+")
_SMALL_TALK = frozenset({"hello", "hi", "hey", "thanks", "thank you", "bye", "good morning", "good evening"})


def forced_input(tool: Tool, text: str) -> Mapping[str, Any]:
    """What the tool is called with for the text of the last message. The properties of the input tell what it is."""
    properties = tool.schema.get("properties", {}).keys()
    if properties >= _PLAN:
        return _plan(text)
    if properties >= _CARD:
        return _card(text)
    filled: Mapping[str, Any] = fill(tool.schema, parse(text).question)
    return filled


def _plan(text: str) -> dict[str, Any]:
    """A plain search for the message, as the stand-in understands none; small talk needs no search."""
    message = _message(text)
    if message.lower().strip(" .!") in _SMALL_TALK:
        return {"intent": "general", "strategy": "NoMatch", "query": message}
    return {"intent": "script_query", "strategy": "ContentOnly", "query": message, "search_value": message}


def _message(text: str) -> str:
    """The field `message` of a JSON object, or the text itself."""
    try:
        said = json.loads(text)
    except ValueError:
        return text.strip()
    return str(said.get("message", text)).strip() if isinstance(said, Mapping) else text.strip()


def _card(text: str) -> dict[str, Any]:
    """The first sentence, the most frequent long words, and the questions among the headings.

    The message has the parts `Title:`, `Headings:` and `Text:`, each behind bars.
    """
    body = _part(text, "Text") or text
    return {
        "overview": re.split(r"(?<=[.!?。])\s", " ".join(body.split()), maxsplit=1)[0],
        "topic_tags": _tags(f"{_part(text, 'Title')} {body}"),
        "question_hints": [each for each in _part(text, "Headings").splitlines() if each.endswith("?")],
    }


def _part(text: str, name: str) -> str:
    found = re.search(rf"^{name}:\n((?:\|.*\n?)*)", text, re.MULTILINE)
    return re.sub(r"^\| ?", "", found.group(1), flags=re.MULTILINE).strip() if found else ""


def _tags(text: str) -> list[str]:
    words = Counter(word for word in _WORD.findall(text.lower()) if len(word) >= _SHORTEST_TAG)
    return sorted(words, key=lambda word: (-words[word], word))[:_TAGS]


def fill(schema: Schema, text: str) -> Any:
    """The smallest input that a JSON Schema allows, filled from the text.

    It has the required properties only. Strings take the text; a choice takes the value that the text names, or the
    first.
    """
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return _choice(list(schema["enum"]), text)
    for alternatives in ("anyOf", "oneOf", "allOf"):
        if schema.get(alternatives):
            return fill(schema[alternatives][0], text)
    return _of_kind(schema, text)


def _choice(values: list[Any], text: str) -> Any:
    said = text.lower()
    return next((value for value in values if isinstance(value, str) and value.lower() in said), values[0])


def _of_kind(schema: Schema, text: str) -> Any:
    kind = schema.get("type", "object")
    match kind[0] if isinstance(kind, list) else kind:
        case "object":
            properties = schema.get("properties", {})
            return {name: fill(properties.get(name, {}), text) for name in schema.get("required", ())}
        case "array":
            return [fill(schema.get("items", {"type": "string"}), text)] * int(schema.get("minItems", 0))
        case "number" | "integer":
            return schema.get("minimum", 0)
        case "boolean":
            return False
        case "null":
            return None
    return text[: int(schema.get("maxLength", len(text)))].ljust(int(schema.get("minLength", 0)), ".")
