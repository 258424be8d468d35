"""The plan of a forced plan tool: a plain search for the message, because the stand-in understands no message."""

import json
from collections.abc import Mapping
from typing import Any

from local.bedrock.tools import Tool

_SMALL_TALK = frozenset({"hello", "hi", "hey", "thanks", "thank you", "bye", "good morning", "good evening"})


def asks_for_a_plan(tool: Tool) -> bool:
    """Whether the tool's input is a plan: an intent, a strategy and a query."""
    return {"intent", "strategy", "query"} <= set(tool.schema.get("properties", {}))


def plan(text: str) -> dict[str, Any]:
    """The tool's input for the text of the last message: small talk needs no search, all else is searched as it is."""
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
