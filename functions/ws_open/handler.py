"""What reads the index for a connection: `openDocument`, a page of a document's text, and `listKnowledgeBases`."""

from __future__ import annotations

from typing import Any

from cicada.bootstrap.command_guard import command_guard
from cicada.bootstrap.opening import base_list, document_opener
from cicada.conversation.model import Connection
from cicada.conversation.protocol import AnyCommand, ListKnowledgeBases, OpenDocument, frame
from cicada.entry.websocket import command_reply
from cicada.errors import InvalidFrameError


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Replies on the same connection, with what was asked for or why it cannot be shown."""
    return command_reply(event, command_guard, _open)


def _open(command: AnyCommand, connection: Connection) -> str | None:
    match command:
        case OpenDocument(request_id=request_id):
            return frame(document_opener().open(command, connection), request_id=request_id)
        case ListKnowledgeBases(request_id=request_id):
            return frame(base_list().listed(command, connection.principal), request_id=request_id)
    raise InvalidFrameError(f"The action {command.action} is not served here.")
