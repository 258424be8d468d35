"""Whether a frame is one that docs/protocol/ describes."""

from __future__ import annotations

import functools
import json
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from tools.protocol.published import FOLDER

Schema = dict[str, Any]


@functools.cache
def schema(name: str) -> Schema:
    """A file of docs/protocol/, read."""
    found: Schema = json.loads(FOLDER.joinpath(name).read_text("utf-8"))
    return found


def closed(part: Any) -> Any:
    """The schema without room for fields that it does not name.

    The files leave that room, as a client passes over what a later server adds. This server and these clients send
    nothing beside it.
    """
    if isinstance(part, list):
        return [closed(each) for each in part]
    if not isinstance(part, dict):
        return part
    found = {name: closed(each) for name, each in part.items()}
    return found | {"additionalProperties": False} if "properties" in part else found


@functools.cache
def open_validator(name: str) -> Draft202012Validator:
    """A validator of the file as it is."""
    return Draft202012Validator(schema(name))


@functools.cache
def closed_validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(closed(schema(name)))


def fault_in_frame(frame: object) -> str | None:
    """Why the server must not send this; None if it may."""
    return _fault("frames.schema.json", frame)


def fault_in_command(command: object) -> str | None:
    """Why a client must not send this; None if it may."""
    return _fault("commands.schema.json", command)


def _fault(name: str, value: object) -> str | None:
    error = best_match(closed_validator(name).iter_errors(value))
    return f"{error.message} at {error.json_path} of {value}" if error else None
