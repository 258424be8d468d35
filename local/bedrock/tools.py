"""Tools as the stand-in sees them, whether they come from a Converse toolConfig or from an agent's action group."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Parameter:
    """`choices` are the values the parameter may have, from its schema or from `a|b|c` in its description."""

    name: str
    kind: str = "string"
    description: str = ""
    required: bool = False
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tool:
    """`schema` is the JSON Schema of the input; `group` the action group that an agent's function belongs to."""

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    schema: Mapping[str, Any] = field(default_factory=dict)
    group: str = ""

    @property
    def verb(self) -> str:
        return self.name.partition("_")[0]

    @property
    def noun(self) -> str:
        """`list_theories` → `theory`."""
        noun = self.name.partition("_")[2].replace("_", " ")
        return noun.removesuffix("ies") + "y" if noun.endswith("ies") else noun.removesuffix("s")

    def parameter(self, name: str) -> Parameter | None:
        return next((parameter for parameter in self.parameters if parameter.name == name), None)

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any]) -> Self:
        """From `toolConfig.tools[].toolSpec`."""
        schema = spec.get("inputSchema", {}).get("json", {})
        required = schema.get("required", ())
        described = schema.get("properties", {}).items()
        parameters = tuple(_parameter(name, value, name in required) for name, value in described)
        return cls(spec["name"], spec.get("description", ""), parameters, schema)

    @classmethod
    def from_function(cls, function: Mapping[str, Any], group: str) -> Self:
        """From an action group's function details."""
        described = function.get("parameters", {}).items()
        parameters = tuple(_parameter(name, value, bool(value.get("required"))) for name, value in described)
        return cls(function["name"], function.get("description", ""), parameters, group=group)


def _parameter(name: str, described: Mapping[str, Any], required: bool) -> Parameter:
    description = described.get("description", "")
    choices = tuple(described.get("enum") or _choices(description))
    return Parameter(name, str(described.get("type", "string")), description, required, choices)


def _choices(description: str) -> tuple[str, ...]:
    """`character|location`, or the list after `one of`: `one of: character, location or episode`."""
    bars = re.search(r"\w+(?:\s*\|\s*\w+)+", description)
    if bars:
        return tuple(part.strip() for part in bars.group(0).split("|"))
    listed = re.search(r"one of:? ([\w, ]+)", description, re.IGNORECASE)
    return tuple(re.split(r",\s*(?:or\s+)?|\s+or\s+", listed.group(1).strip())) if listed else ()
