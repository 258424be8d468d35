"""Tools, from a Converse toolConfig or from an agent's action group."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Parameter:
    """A tool's parameter. `kind` is a type of JSON Schema."""

    name: str
    kind: str
    required: bool


@dataclass(frozen=True, slots=True)
class Tool:
    """`schema` is the JSON Schema of the input; `group` the action group that an agent's function belongs to."""

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    schema: Mapping[str, Any] = field(default_factory=dict)
    group: str = ""

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any]) -> Self:
        """The tool that `toolConfig.tools[].toolSpec` describes."""
        schema = spec.get("inputSchema", {}).get("json", {})
        required = schema.get("required", ())
        described = schema.get("properties", {}).items()
        parameters = tuple(_parameter(name, value, name in required) for name, value in described)
        return cls(spec["name"], spec.get("description", ""), parameters, schema)

    @classmethod
    def from_function(cls, function: Mapping[str, Any], group: str) -> Self:
        """The tool that an action group's function details describe."""
        described = function.get("parameters", {}).items()
        parameters = tuple(_parameter(name, value, bool(value.get("required"))) for name, value in described)
        return cls(function["name"], function.get("description", ""), parameters, group=group)


def _parameter(name: str, described: Mapping[str, Any], required: bool) -> Parameter:
    return Parameter(name, str(described.get("type", "string")), required)
