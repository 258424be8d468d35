"""`sendMessage`: accept a question."""

from __future__ import annotations

from typing import Any

from cicada.bootstrap.command_guard import command_guard
from cicada.bootstrap.conversation import conversation
from cicada.conversation.model import Connection
from cicada.conversation.protocol import AnyCommand, SendMessage
from cicada.entry.websocket import command_reply, not_served


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Replies `accepted` once the message is stored and queued."""
    return command_reply(event, command_guard, _accept)


def _accept(command: AnyCommand, connection: Connection) -> str | None:
    if not isinstance(command, SendMessage):
        raise not_served(command)
    return conversation().accepter.accept(command, connection)
