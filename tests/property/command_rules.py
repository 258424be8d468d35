"""What a good command is, written once more, from docs/protocol.md and without the code that is tested."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

Fields = dict[str, Any]
Rule = Callable[[object], bool]

_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}")
_METADATA_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_SURROGATE = re.compile("[\ud800-\udfff]")


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
    if not isinstance(fields, dict):
        return None
    action = fields.get("action")
    rules = _COMMANDS.get(action) if isinstance(action, str) else None
    return (
        fields if rules is not None and all(rule(fields.get(name, _ABSENT)) for name, rule in rules.items()) else None
    )


def request_id_in(text: str) -> str | None:
    """The id by which the client can tell what a reply is about; None where there is none."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError):
        return None
    found = fields.get("requestId") if isinstance(fields, dict) else None
    return found if _is_request_id(found) else None


_ABSENT = object()


def _optional(rule: Rule) -> Rule:
    return lambda value: value is _ABSENT or value is None or rule(value)


def _may_be_absent(rule: Rule) -> Rule:
    return lambda value: value is _ABSENT or rule(value)


def _text(longest: int, shortest: int = 0) -> Rule:
    return lambda value: isinstance(value, str) and shortest <= len(value) <= longest


def _matching(pattern: re.Pattern[str]) -> Rule:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


def _number(least: int, most: int) -> Rule:
    return lambda value: type(value) is int and least <= value <= most


def _list(rule: Rule, longest: int, shortest: int = 0) -> Rule:
    return lambda value: (
        isinstance(value, list) and shortest <= len(value) <= longest and all(rule(item) for item in value)
    )


def _is_message(value: object) -> bool:
    return _text(8000, 1)(value) and isinstance(value, str) and not value.isspace()


def _is_scope(value: object) -> bool:
    return (
        isinstance(value, dict)
        and _may_be_absent(_list(_text(128), 50))(value.get("episodes", _ABSENT))
        and _may_be_absent(_is_metadata)(value.get("metadata", _ABSENT))
        and _may_be_absent(_list(_is_filter, 20))(value.get("filters", _ABSENT))
    )


def _is_filter(value: object) -> bool:
    operators = ("eq", "any", "none", "gte", "gt", "lte", "lt", "exists")
    return (
        isinstance(value, dict)
        and _text(200, 1)(value.get("field"))
        and value.get("op") in operators
        and _optional(_is_filter_value)(value.get("value", _ABSENT))
        and _may_be_absent(_list(_is_filter_value, 50))(value.get("values", _ABSENT))
    )


def _is_filter_value(value: object) -> bool:
    return _text(256)(value) or isinstance(value, bool | int | float)


def _is_metadata(value: object) -> bool:
    values = _list(_text(256), 50, 1)
    name = _matching(_METADATA_NAME)
    return isinstance(value, dict) and len(value) <= 10 and all(name(key) and values(value[key]) for key in value)


_is_request_id = _matching(_UUID)
_COMMANDS: dict[str, dict[str, Rule]] = {
    "sendMessage": {
        "requestId": _is_request_id,
        "message": _is_message,
        "sessionId": _optional(_matching(_NAME)),
        "knowledgeBase": _optional(_matching(_NAME)),
        "scope": _optional(_is_scope),
    },
    "resume": {"requestId": _is_request_id, "afterSeq": _number(0, 99_999_999)},
    "cancel": {"requestId": _is_request_id},
    "history": {
        "sessionId": _optional(_matching(_NAME)),
        "before": _optional(_text(64)),
        "limit": _may_be_absent(_number(1, 50)),
    },
    "ping": {},
    "signOutEverywhere": {},
}
