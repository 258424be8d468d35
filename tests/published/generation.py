"""Frames made from the published schemas, by the keywords that these use; any other keyword is an error."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from cicada.conversation.protocol import MESSAGE_LIMIT_BYTES
from tests.published.validation import Schema, open_validator, schema

# What every reader of JSON keeps exactly: https://www.rfc-editor.org/rfc/rfc8259#section-6
_WHOLE = 2**53 - 1
_SILENT = {"title", "description", "default", "$schema", "$defs", "not"}
_OBJECT = {"properties", "required", "additionalProperties", "patternProperties", "maxProperties"}
_BY_TYPE = {
    "object": _OBJECT,
    "array": {"items", "minItems", "maxItems"},
    "string": {"minLength", "maxLength", "pattern"},
    "integer": {"minimum", "maximum"},
    "number": set[str](),
    "boolean": set[str](),
    "null": set[str](),
}
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-_WHOLE, _WHOLE) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
# The most items of what has no limit; what has one is also made as long as that.
_FEW = 4
# What a later server may add: names that no text here is by chance.
LATER_NAMES = ("laterField", "toString", "__proto__")
_MORE = st.dictionaries(st.sampled_from(LATER_NAMES), _JSON, max_size=2)
_NO_MORE: st.SearchStrategy[dict[str, Any]] = st.just({})
EVENTS = tuple(name for name, part in schema("frames.schema.json")["$defs"].items() if "seq" in part["properties"])


@functools.cache
def frames(*names: str, of_later_server: bool = False) -> st.SearchStrategy[Any]:
    """What the server may send; all kinds, or those named. Those of a later server have fields that nobody knows."""
    return _instances("frames.schema.json", names, _MORE if of_later_server else _NO_MORE)


@functools.cache
def commands(*actions: str) -> st.SearchStrategy[Any]:
    """What a client may send, of all actions or those named, with the fields that the schema names and no others."""
    parts = schema("commands.schema.json")["$defs"]
    actions_of = {kind: part["properties"].get("action", {}).get("const") for kind, part in parts.items()}
    made = _instances("commands.schema.json", [kind for kind in parts if actions_of[kind] in actions], _NO_MORE)
    # The one limit that a JSON Schema cannot state.
    return made.filter(lambda command: len(json.dumps(command)) <= MESSAGE_LIMIT_BYTES)


def _instances(name: str, kinds: Sequence[str], more: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[Any]:
    root = schema(name)
    maker = _Maker(root, more)
    made = [maker.values(root["$defs"][kind]) for kind in kinds] or [maker.values(root)]
    return st.one_of(made).filter(open_validator(name).is_valid)


class _Maker:
    def __init__(self, root: Schema, more: st.SearchStrategy[dict[str, Any]]) -> None:
        self._root = root
        self._more = more

    def values(self, part: Schema) -> st.SearchStrategy[Any]:
        if "$ref" in part:
            _known(part, {"$ref"})
            return self.values(self._root["$defs"][part["$ref"].removeprefix("#/$defs/")])
        for choice in ("oneOf", "anyOf"):
            if choice in part:
                _known(part, {choice})
                return st.one_of([self.values(each) for each in part[choice]])
        if "const" in part:
            return st.just(part["const"])
        if "enum" in part:
            return st.sampled_from(part["enum"])
        _known(part, {"type"} | _BY_TYPE[part["type"]])
        makers = {"object": self._objects, "array": self._arrays, "string": _strings, "integer": _integers}
        return makers[part["type"]](part) if part["type"] in makers else _SIMPLE[part["type"]]

    def _objects(self, part: Schema) -> st.SearchStrategy[Any]:
        if "properties" not in part:
            return self._maps(part)
        fields = {name: self.values(each) for name, each in part["properties"].items()}
        required = {name: fields.pop(name) for name in part.get("required", ())}
        made = st.fixed_dictionaries(required, optional=fields)
        return st.builds(lambda found, more: more | found, made, self._more)

    def _maps(self, part: Schema) -> st.SearchStrategy[Any]:
        [(pattern, inner)] = part.get("patternProperties", {"": part["additionalProperties"]}).items()
        names = _strings({"pattern": pattern}) if pattern else st.text(max_size=10)
        made = st.dictionaries(names, self.values(inner), max_size=_FEW)
        most = part.get("maxProperties")
        return made | self.values(inner).map(lambda each: {f"f{n}": each for n in range(most)}) if most else made

    def _arrays(self, part: Schema) -> st.SearchStrategy[Any]:
        least, most = part.get("minItems", 0), part.get("maxItems")
        if least == most:
            return st.lists(self.values(part["items"]), min_size=least, max_size=least)
        made = st.lists(self.values(part["items"]), min_size=least, max_size=_FEW)
        return made | self.values(part["items"]).map(lambda each: [each] * most) if most else made


def _strings(part: Schema) -> st.SearchStrategy[str]:
    pattern = part.get("pattern", "")
    if pattern.startswith("^") and pattern.endswith("$"):
        # Python's $ would let a line break follow, which ECMAScript's does not allow.
        return st.from_regex(pattern[1:-1], fullmatch=True)
    least, most = part.get("minLength", 0), part.get("maxLength")
    made = st.text(min_size=least, max_size=most)
    made = made | st.just("x" * most) if most else made
    return made.filter(lambda text: re.search(pattern, text) is not None)


def _integers(part: Schema) -> st.SearchStrategy[int]:
    return st.integers(part.get("minimum", -_WHOLE), part.get("maximum", _WHOLE))


def _known(part: Schema, keywords: set[str]) -> None:
    if unknown := set(part) - keywords - _SILENT:
        raise NotImplementedError(f"No frames are made by {sorted(unknown)}.")


_SIMPLE: dict[str, st.SearchStrategy[Any]] = {
    "number": st.floats(-_WHOLE, _WHOLE) | st.integers(-_WHOLE, _WHOLE),
    "boolean": st.booleans(),
    "null": st.none(),
}
