"""Tools, from a Converse toolConfig or from an agent's action group."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Tool:
    """`parameters` have a type of JSON Schema each; `schema` is that of the whole input.

    `group`: the action group that an agent's function belongs to.
    """

    name: str
    description: str
    parameters: Mapping[str, str]
    schema: Mapping[str, Any] = field(default_factory=dict)
    group: str = ""

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any]) -> Self:
        """The tool that `toolConfig.tools[].toolSpec` describes."""
        schema = spec.get("inputSchema", {}).get("json", {})
        return cls(spec["name"], spec.get("description", ""), _types(schema.get("properties", {})), schema)

    @classmethod
    def from_function(cls, function: Mapping[str, Any], group: str) -> Self:
        """The tool that an action group's function details describe."""
        parameters = _types(function.get("parameters", {}))
        return cls(function["name"], function.get("description", ""), parameters, group=group)


def _types(described: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    return {name: str(each.get("type", "string")) for name, each in described.items()}
