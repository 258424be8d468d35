"""What users see and do of documents: bases, lists, pages of a text, and the changes of editors."""

from __future__ import annotations

from typing import Any

from cicada.bootstrap.command_guard import command_guard
from cicada.bootstrap.opening import base_list, document_editing, document_lister, document_opener, listing_pager
from cicada.conversation.model import Connection
from cicada.conversation.protocol import (
    AnyCommand,
    DescribeDocument,
    ListDocuments,
    ListKnowledgeBases,
    ListMore,
    OpenDocument,
    RemoveDocument,
    UploadDocument,
    frame,
)
from cicada.entry.websocket import command_reply
from cicada.errors import InvalidFrameError


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Replies on the same connection, with what was asked for or why it cannot be had."""
    return command_reply(event, command_guard, _served)


def _served(command: AnyCommand, connection: Connection) -> str | None:
    match command:
        case OpenDocument():
            return frame(document_opener().open(command, connection), request_id=command.request_id)
        case ListDocuments():
            return frame(document_lister().list(command, connection), request_id=command.request_id)
        case ListMore():
            return frame(listing_pager().more(command, connection), request_id=command.request_id)
        case UploadDocument():
            return frame(document_editing().upload(command, connection), request_id=command.request_id)
        case DescribeDocument():
            return frame(document_editing().describe(command, connection), request_id=command.request_id)
        case RemoveDocument():
            return frame(document_editing().remove(command, connection), request_id=command.request_id)
        case ListKnowledgeBases():
            return frame(base_list().listed(command, connection.principal), request_id=command.request_id)
    raise InvalidFrameError(f"The action {command.action} is not served here.")
