"""Calls whose answer is the arguments of a tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def forced_tool(name: str, description: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a request that has the model call this tool. `schema`: the JSON Schema of its input."""
    specification = {"name": name, "description": description, "inputSchema": {"json": dict(schema)}}
    return {"toolConfig": {"tools": [{"toolSpec": specification}], "toolChoice": {"tool": {"name": name}}}}


def tool_input(reply: Any) -> object:
    """The input of the tool's one call. `ValueError` for a reply that was cut off, or is anything else."""
    try:
        content = reply["output"]["message"]["content"]
        found = [block["toolUse"]["input"] for block in content if "toolUse" in block]
        whole = reply["stopReason"] in ("tool_use", "end_turn")
    except (KeyError, TypeError) as error:
        raise ValueError("has an unknown form") from error
    if not whole or len(found) != 1:
        raise ValueError("did not call its tool once, or was cut off")
    return found[0]
