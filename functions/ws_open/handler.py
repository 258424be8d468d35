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
)
from cicada.entry.websocket import Handled, command_reply, not_served


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Replies on the same connection, with what was asked for or why it cannot be had."""
    return command_reply(event, command_guard, _served)


def _served(command: AnyCommand, connection: Connection) -> Handled:
    match command:
        case OpenDocument():
            return document_opener().open(command, connection)
        case ListDocuments():
            return document_lister().list(command, connection)
        case ListMore():
            return listing_pager().more(command, connection)
        case UploadDocument():
            return document_editing().upload(command, connection)
        case DescribeDocument():
            return document_editing().describe(command, connection)
        case RemoveDocument():
            return document_editing().remove(command, connection)
        case ListKnowledgeBases():
            return base_list().listed(command, connection.principal)
    raise not_served(command)
