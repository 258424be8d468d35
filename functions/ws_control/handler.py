"""What needs no function of its own, such as `history` and `cancel`, and `$default` for every other frame."""

from __future__ import annotations

import time
from typing import Any

from cicada.bootstrap.command_guard import command_guard
from cicada.bootstrap.conversation import conversation
from cicada.conversation.accept import cancel, rate
from cicada.conversation.history import history
from cicada.conversation.model import Connection, RequestKey
from cicada.conversation.protocol import (
    AnyCommand,
    Cancel,
    ChangeSession,
    DeleteSession,
    EraseMine,
    Feedback,
    History,
    OpenShared,
    Ping,
    Pong,
    SessionShared,
    SharedPage,
    ShareSession,
    UnshareSession,
)
from cicada.entry.websocket import Handled, command_reply, not_served
from cicada.observability.metrics import stage_metrics


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Replies on the same connection; a cancel is confirmed by the request's `cancelled` event."""
    return command_reply(event, command_guard, _control)


def _control(command: AnyCommand, connection: Connection) -> Handled:
    principal = connection.principal
    match command:
        case Cancel():
            cancel(RequestKey(principal, command.request_id), conversation().log)
            return None
        case History():
            here = conversation()
            return history(command, principal, here.log, here.withholding, here.limits)
        case ChangeSession():
            return conversation().sessions.change(command, principal)
        case DeleteSession():
            return conversation().sessions.delete(command, principal)
        case ShareSession() | UnshareSession() | OpenShared():
            return _of_shares(command, connection)
        case EraseMine():
            return conversation().sessions.erase(principal)
        case Feedback():
            kept = rate(RequestKey(principal, command.request_id), command, conversation().log, time.time())
            if kept.rating:
                stage_metrics().rated(kept.rating)
            return kept
        case Ping():
            return Pong()
    raise not_served(command)


def _of_shares(
    command: ShareSession | UnshareSession | OpenShared, connection: Connection
) -> SessionShared | SharedPage:
    sharing = conversation().sharing
    match command:
        case ShareSession():
            return sharing.share(command, connection)
        case UnshareSession():
            return sharing.unshare(command, connection)
        case OpenShared():
            return sharing.open(command, connection)
