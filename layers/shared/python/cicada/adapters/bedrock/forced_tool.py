"""A tool that a model must call: how to get values of a given form out of Converse."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct


class ForcedTool(Struct, frozen=True):
    """`schema`: the JSON Schema of its input."""

    name: str
    description: str
    schema: Mapping[str, Any]

    def config(self) -> dict[str, Any]:
        """The part of a request that has the model call the tool."""
        specification = {
            "name": self.name,
            "description": self.description,
            "inputSchema": {"json": dict(self.schema)},
        }
        return {"toolConfig": {"tools": [{"toolSpec": specification}], "toolChoice": {"tool": {"name": self.name}}}}


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
