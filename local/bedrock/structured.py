"""The smallest input that a JSON Schema allows, filled from the text: the input of a forced tool call."""

from collections.abc import Mapping
from typing import Any

Schema = Mapping[str, Any]


def fill(schema: Schema, text: str) -> Any:
    """Required properties only. Strings take the text, a choice takes the value that the text names or the first."""
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
