"""Frames as they are on the wire.

They are the bodies of `cicada.conversation.protocol` with the fields that `frame` adds in front.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, get_args

from msgspec import Meta, Struct, defstruct

from cicada.conversation.protocol import (
    AnyCommand,
    AnyEventBody,
    DocumentDescription,
    DocumentPage,
    DocumentRemoved,
    DocumentsPage,
    Erased,
    Failed,
    FailuresRead,
    FeedbackKept,
    HistoryPage,
    KnowledgeBasesListed,
    ListingPage,
    Pending,
    Pong,
    RatingsRead,
    RequestId,
    SessionChanged,
    SessionShared,
    SharedPage,
    UploadForm,
    UserChanged,
    UseRead,
    UsersPage,
)

# The largest number that fits into the key of a stored event, and that `resume` can name.
_LAST_SEQ = 99_999_999


_OF_REQUEST = [("request_id", RequestId)]
_NUMBERED = [*_OF_REQUEST, ("seq", Annotated[int, Meta(ge=1, le=_LAST_SEQ)])]


def _framed(body: type[Struct], head: Sequence[tuple[str, object]]) -> type[Struct]:
    return defstruct(body.__name__, head, bases=(body,), namespace={"__doc__": body.__doc__}, kw_only=True)


class Refusal(Failed, frozen=True, tag="error", omit_defaults=True):
    """The command is refused. `requestId` is that of the command, if it had one; without `seq`, unlike an event."""

    request_id: RequestId | None = None


COMMANDS: tuple[type[Struct], ...] = get_args(AnyCommand)
EVENTS = tuple(_framed(body, _NUMBERED) for body in get_args(AnyEventBody))
REPLIES: tuple[type[Struct], ...] = (
    _framed(Pending, _OF_REQUEST),
    HistoryPage,
    _framed(SessionChanged, _OF_REQUEST),
    _framed(SessionShared, _OF_REQUEST),
    _framed(SharedPage, _OF_REQUEST),
    _framed(Erased, _OF_REQUEST),
    _framed(DocumentPage, _OF_REQUEST),
    _framed(KnowledgeBasesListed, _OF_REQUEST),
    _framed(DocumentsPage, _OF_REQUEST),
    _framed(ListingPage, _OF_REQUEST),
    _framed(UploadForm, _OF_REQUEST),
    _framed(DocumentDescription, _OF_REQUEST),
    _framed(DocumentRemoved, _OF_REQUEST),
    _framed(FeedbackKept, _OF_REQUEST),
    _framed(UsersPage, _OF_REQUEST),
    _framed(UserChanged, _OF_REQUEST),
    _framed(UseRead, _OF_REQUEST),
    _framed(RatingsRead, _OF_REQUEST),
    _framed(FailuresRead, _OF_REQUEST),
    Pong,
    Refusal,
)
ALL = (*COMMANDS, *EVENTS, *REPLIES)


def wire_name(frame: type[Struct]) -> str:
    """The value of `action` or `type` that identifies the frame."""
    return str(frame.__struct_config__.tag)
