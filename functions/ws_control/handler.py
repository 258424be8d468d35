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
    frame,
)
from cicada.entry.websocket import command_reply
from cicada.errors import InvalidFrameError
from cicada.observability.metrics import stage_metrics


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Replies on the same connection; a cancel is confirmed by the request's `cancelled` event."""
    return command_reply(event, command_guard, _control)


def _control(command: AnyCommand, connection: Connection) -> str | None:
    match command:
        case Cancel(request_id=request_id):
            cancel(RequestKey(connection.principal, request_id), conversation().log)
            return None
        case History():
            here = conversation()
            return frame(history(command, connection.principal, here.log, here.withholding, here.limits))
        case ChangeSession():
            changed = conversation().sessions.change(command, connection.principal)
            return frame(changed, request_id=command.request_id)
        case DeleteSession():
            deleted = conversation().sessions.delete(command, connection.principal)
            return frame(deleted, request_id=command.request_id)
        case ShareSession() | UnshareSession() | OpenShared():
            return frame(_of_shares(command, connection), request_id=command.request_id)
        case EraseMine():
            return frame(conversation().sessions.erase(connection.principal), request_id=command.request_id)
        case Feedback(request_id=request_id):
            kept = rate(RequestKey(connection.principal, request_id), command, conversation().log, time.time())
            if kept.rating:
                stage_metrics().rated(kept.rating)
            return frame(kept, request_id=request_id)
        case Ping():
            return frame(Pong())
    raise InvalidFrameError(f"The action {command.action} is not served here.")


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
