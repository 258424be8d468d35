"""What administrators do with the accounts of their tenant, and read of it."""

from __future__ import annotations

from typing import Any

from cicada.bootstrap.administration import administration
from cicada.bootstrap.command_guard import command_guard
from cicada.conversation.administration import AdminCommand, AdminReply
from cicada.conversation.model import Connection
from cicada.conversation.protocol import AnyCommand
from cicada.entry.websocket import command_reply, not_served


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Replies on the same connection, with what was asked for or done, or why it was not."""
    return command_reply(event, command_guard, _served)


def _served(command: AnyCommand, connection: Connection) -> AdminReply:
    if not isinstance(command, AdminCommand):
        raise not_served(command)
    return administration().serve(command, connection)
