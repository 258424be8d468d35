"""`resume`: replay a request's events to this connection, and send the later ones here."""

from __future__ import annotations

from typing import Any

from cicada.bootstrap.command_guard import command_guard
from cicada.bootstrap.conversation import conversation
from cicada.conversation.model import Connection, RequestKey
from cicada.conversation.protocol import AnyCommand, Resume
from cicada.entry.websocket import command_reply, not_served


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Posts the events; the reply says when to ask again, or why the request cannot be resumed."""
    return command_reply(event, command_guard, _resume)


def _resume(command: AnyCommand, connection: Connection) -> str | None:
    if not isinstance(command, Resume):
        raise not_served(command)
    key = RequestKey(connection.principal, command.request_id)
    return conversation().resumer.resume(key, command.after_seq, connection.connection_id)
