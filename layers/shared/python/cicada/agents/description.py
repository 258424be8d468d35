"""The agents' instructions and tools, read from `tools.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources

from msgspec import Struct

from cicada.agents.model import AgentKind


class ToolParameter(Struct, frozen=True):
    """A parameter of a tool. `type` is a type of JSON Schema."""

    type: str
    description: str
    required: bool


class ToolFunction(Struct, frozen=True):
    """A tool as the model sees it."""

    name: str
    description: str
    parameters: Mapping[str, ToolParameter]


class AgentDescription(Struct, frozen=True):
    """An agent's instruction and its tools by name."""

    instruction: str
    functions: Mapping[str, ToolFunction]


@cache
def describe(agent: AgentKind) -> AgentDescription:
    """The agent's part of `tools.json`."""
    part = json.loads(resources.files("cicada.agents").joinpath("tools.json").read_text("utf-8"))[agent]
    functions = (
        ToolFunction(
            each["name"],
            each["description"],
            {name: ToolParameter(**parameter) for name, parameter in each["parameters"].items()},
        )
        for each in part["functions"]
    )
    return AgentDescription(part["instruction"], {function.name: function for function in functions})
