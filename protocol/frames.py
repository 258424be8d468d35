"""Frames as they are on the wire: the bodies of `cicada.conversation.protocol` with the fields that `frame` adds in
front.
"""

from __future__ import annotations

from typing import Annotated, get_args

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.alias_generators import to_camel

from cicada.conversation.protocol import (
    AnyCommand,
    AnyEventBody,
    Failed,
    HistoryPage,
    Pending,
    Pong,
    RequestId,
)

# The largest number that fits into the key of a stored event, and that `resume` can name.
_LAST_SEQ = 99_999_999


class _OfRequest(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel)

    request_id: RequestId


class _Numbered(_OfRequest):
    seq: Annotated[int, Field(ge=1, le=_LAST_SEQ)]


class Refusal(Failed):
    """The command is refused. `requestId` is that of the command, if it had one; without `seq`, unlike an event."""

    model_config = ConfigDict(json_schema_extra={"not": {"required": ["seq"]}})

    request_id: RequestId | None = Field(default=None, exclude_if=lambda value: value is None)


def _framed(head: type[BaseModel], body: type[BaseModel]) -> type[BaseModel]:
    return create_model(body.__name__, __base__=(body, head), __doc__=body.__doc__)


COMMANDS: tuple[type[BaseModel], ...] = get_args(AnyCommand)
EVENTS = tuple(_framed(_Numbered, body) for body in get_args(AnyEventBody))
REPLIES: tuple[type[BaseModel], ...] = (_framed(_OfRequest, Pending), HistoryPage, Pong, Refusal)
ALL = (*COMMANDS, *EVENTS, *REPLIES)
