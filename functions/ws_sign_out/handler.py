"""`signOutEverywhere`: end all sign-ins of the user."""

from __future__ import annotations

from typing import Any

from cicada.bootstrap.command_guard import command_guard
from cicada.bootstrap.revocation import sign_out
from cicada.conversation.model import Connection
from cicada.conversation.protocol import AnyCommand, SignOutEverywhere
from cicada.entry.websocket import command_reply, not_served


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Tell all of the user's connections, this one too, `signed_out`, and close them. There is no reply."""
    return command_reply(event, command_guard, _sign_out)


def _sign_out(command: AnyCommand, connection: Connection) -> None:
    if not isinstance(command, SignOutEverywhere):
        raise not_served(command)
    sign_out().everywhere(connection.principal)
