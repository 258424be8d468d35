"""JSON Schema in the part that every model's tools understand: no references, no titles, no null."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_LEFT_OUT = ("$defs", "title", "default")


def plain_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with its definitions in place. A property that may be null is one that may be left out."""
    return _plain(schema, schema.get("$defs", {}))


def _plain(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        named = definitions[schema["$ref"].removeprefix("#/$defs/")]
        return _plain({**named, **{name: value for name, value in schema.items() if name != "$ref"}}, definitions)
    if "anyOf" in schema:
        [kept] = [each for each in schema["anyOf"] if each != {"type": "null"}]
        return _plain({**kept, **{name: value for name, value in schema.items() if name != "anyOf"}}, definitions)
    plain = {name: value for name, value in schema.items() if name not in _LEFT_OUT}
    if "properties" in plain:
        # Here a name is a property's, and may be any word.
        plain["properties"] = {name: _plain(each, definitions) for name, each in plain["properties"].items()}
    if "items" in plain:
        plain["items"] = _plain(plain["items"], definitions)
    return plain
