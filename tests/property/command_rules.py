"""What a good command is: one that docs/protocol/commands.schema.json describes."""

from __future__ import annotations

import functools
import json
import re
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.protocols import Validator
from jsonschema.validators import extend

from tests.published.validation import schema

Fields = dict[str, Any]

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_SURROGATE = re.compile("[\ud800-\udfff]")
# JSON Schema takes 1.0 for an integer too.
_TYPES = Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)


@functools.cache
def _published() -> dict[str, Validator]:
    """A validator for each action."""
    commands = schema("commands.schema.json")["$defs"]
    strict = extend(Draft202012Validator, type_checker=_TYPES)  # type: ignore[no-untyped-call]
    return {
        each["properties"]["action"]["const"]: strict(each | {"$defs": commands})
        for each in commands.values()
        if "action" in each["properties"]
    }


def parsed(text: str) -> object:
    """The JSON value of a frame; raises ValueError for what is none, RecursionError for what is too deep."""
    if len(text.encode("utf-8", "surrogatepass")) > 128 * 1024:
        raise ValueError("too long")
    value = json.loads(text)
    # An escaped half of a surrogate pair is no Unicode text, wherever in the frame it stands.
    if _SURROGATE.search(text) or _SURROGATE.search(json.dumps(value, ensure_ascii=False)):
        raise ValueError("not Unicode")
    return value


def good_command(text: str) -> Fields | None:
    """The fields of a good command; None for every other frame."""
    try:
        fields = parsed(text)
    except (ValueError, RecursionError):
        return None
    action = fields.get("action") if isinstance(fields, dict) else None
    validator = _published().get(action) if isinstance(action, str) else None
    return fields if validator and isinstance(fields, dict) and validator.is_valid(fields) else None


def request_id_in(text: str) -> str | None:
    """The id by which the client can tell what a reply is about; None where there is none."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return None
    found = fields.get("requestId") if isinstance(fields, dict) else None
    return found if isinstance(found, str) and _UUID.fullmatch(found) else None
