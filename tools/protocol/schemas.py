"""JSON Schemas of the frames that the server sends and accepts, by their wire names."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import cleandoc
from typing import Any

from msgspec import Struct
from msgspec.json import schema_components

from cicada.conversation import protocol
from tools.protocol.frames import ALL, COMMANDS, EVENTS, REPLIES

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]

# What Python's regular expressions and those of JSON Schema write differently.
_SPELLINGS = {r"\Z": "$", r"[\S\x1c-\x1f]": r"\S"}
_KINDS = {
    each.__name__: each
    for each in (*vars(protocol).values(), *ALL)
    if isinstance(each, type) and issubclass(each, Struct)
}


def definitions(references: str = "#/$defs/{name}") -> Schema:
    """The schemas of all frames and of their parts, by name."""
    return _accepted(COMMANDS, references) | _sent([*EVENTS, *REPLIES], references)


def commands_schema() -> Schema:
    """Any frame that a client may send."""
    return _one_of("A frame that a client sends", COMMANDS, _accepted(COMMANDS))


def frames_schema() -> Schema:
    """Any frame that the server sends."""
    frames = [*EVENTS, *REPLIES]
    return _one_of("A frame that the server sends", frames, _sent(frames))


def _one_of(title: str, frames: Sequence[type[Struct]], found: Schema) -> Schema:
    return {
        "$schema": DIALECT,
        "title": title,
        "oneOf": [{"$ref": f"#/$defs/{frame.__name__}"} for frame in frames],
        "$defs": found,
    }


def _accepted(frames: Sequence[type[Struct]], references: str = "#/$defs/{name}") -> Schema:
    _, found = schema_components(frames, ref_template=references)
    parts = {name: _plain(part, found) for name, part in sorted(found.items()) if "properties" in part}
    return {name: _requiring(part, part["required"]) for name, part in parts.items()}


def _sent(frames: Sequence[type[Struct]], references: str = "#/$defs/{name}") -> Schema:
    found = _accepted(frames, references)
    made = {name: _as_sent(part, _KINDS[name]) for name, part in found.items()}
    # A refusal is no event of a request.
    return made | {"Refusal": made["Refusal"] | {"not": {"required": ["seq"]}}}


def _requiring(part: Schema, names: list[str]) -> Schema:
    return part | {"required": names} if names else _without(part, "required")


def _as_sent(part: Schema, kind: type[Struct]) -> Schema:
    """Every field is present, but for those that are omitted when unset: they are never null. None has a default."""
    omits = kind.__struct_config__.omit_defaults
    omitted = {name for name, each in part["properties"].items() if omits and "default" in each}
    fields = {
        name: _never_null(each) if name in omitted else _without(each, "default")
        for name, each in part["properties"].items()
    }
    return _requiring(part | {"properties": fields}, [name for name in fields if name not in omitted])


def _never_null(part: Schema) -> Schema:
    [only] = [each for each in part["anyOf"] if each != {"type": "null"}]
    return dict(only)


def _without(part: Schema, key: str) -> Schema:
    return {name: each for name, each in part.items() if name != key}


def _plain(part: Any, definitions: Schema) -> Any:
    """The part in keywords that mean the same in draft 07, which AsyncAPI's own schemas extend, and in 2020-12."""
    if isinstance(part, list):
        return [_plain(each, definitions) for each in part]
    if not isinstance(part, dict):
        return part
    target = definitions.get(str(part.get("$ref", "")).rpartition("/")[2])
    if target and "properties" not in target:
        # The values of an enumeration, in place.
        return _plain(_without(target, "title"), definitions)
    found = {name: _plain(each, definitions) for name, each in part.items()}
    return _constant(_spelt(_pair(_keys(found))))


def _constant(part: Schema) -> Schema:
    values = part.get("enum")
    if not isinstance(values, list):
        return part
    return {"type": "string", **({"const": values[0]} if len(values) == 1 else {"enum": values})}


def _spelt(part: Schema) -> Schema:
    if isinstance(text := part.get("description"), str):
        part = part | {"description": cleandoc(text)}
    if not isinstance(pattern := part.get("pattern"), str):
        return part
    for written, published in _SPELLINGS.items():
        pattern = pattern.replace(written, published)
    return part | {"pattern": pattern}


def _pair(part: Schema) -> Schema:
    """A pair of one type, as an array of two."""
    each = part.get("prefixItems")
    if not each:
        return part
    if any(item != each[0] for item in each):
        raise NotImplementedError("A tuple of several types is written differently in each draft.")
    return _without(part, "prefixItems") | {"items": each[0]}


def _keys(part: Schema) -> Schema:
    """Keys that do not match the pattern are refused."""
    if "propertyNames" not in part:
        return part
    pattern = part["propertyNames"]["pattern"]
    return _without(part, "propertyNames") | {
        "patternProperties": {pattern: part["additionalProperties"]},
        "additionalProperties": False,
    }
