"""`openDocument`: a page of a document's text."""

from __future__ import annotations

from typing import Any

from cicada.bootstrap.command_guard import command_guard
from cicada.bootstrap.opening import document_opener
from cicada.conversation.model import Connection
from cicada.conversation.protocol import AnyCommand, OpenDocument, frame
from cicada.entry.websocket import command_reply
from cicada.errors import InvalidFrameError


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Replies on the same connection, with the page or why it cannot be shown."""
    return command_reply(event, command_guard, _open)


def _open(command: AnyCommand, connection: Connection) -> str | None:
    if not isinstance(command, OpenDocument):
        raise InvalidFrameError(f"The action {command.action} is not served here.")
    return frame(document_opener().open(command, connection), request_id=command.request_id)
