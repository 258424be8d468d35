"""Commands and handshakes of the WebSocket: their events, their failures, and the replies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aws_lambda_powertools.utilities.data_classes.api_gateway_websocket_event import APIGatewayWebSocketEvent
from msgspec import Struct

from cicada.bootstrap.tracing import traced
from cicada.conversation.command_guard import CommandGuard
from cicada.conversation.model import Connection
from cicada.conversation.protocol import AnyCommand, Failed, failed, frame, request_id_of
from cicada.errors import CicadaError, InvalidFrameError, RequestError
from cicada.identity import Principal
from cicada.observability.audit import Handshake
from cicada.observability.log import failure_fields, logger
from cicada.observability.metrics import stage_metrics
from cicada.observability.tracing import annotate, mark_failed

_NOBODY = Principal("", "")
# Clients write it themselves: as much as tells a browser or a library.
_USER_AGENT_LENGTH = 200


def handshake(
    event: APIGatewayWebSocketEvent, now: float, principal: Principal = _NOBODY, refused: str = ""
) -> Handshake:
    """Make the record of a handshake, with the connection's id, the address and the user agent alone.

    Headers and query string hold the token.
    """
    return Handshake(
        at=now,
        connection_id=event.request_context.connection_id,
        address=event.request_context.identity.source_ip,
        user_agent=event.headers.get("user-agent", "")[:_USER_AGENT_LENGTH],
        tenant=principal.tenant,
        user=principal.user,
        login=principal.login,
        refused=refused,
    )


Event = dict[str, Any]
Reply = dict[str, Any]
# A reply's body, a whole frame, or nothing.
Handled = Struct | str | None
CommandHandler = Callable[[AnyCommand, Connection], Handled]

_INTERNAL = Failed(error="Something went wrong on our side. Please try again.", code="internal", retryable=True)


def command_reply(event: Event, command_guard: Callable[[], CommandGuard], handle: CommandHandler) -> Reply:
    """Run `handle` on the frame's command; its reply, or the error's, goes back on the same connection.

    A body gets the command's requestId, if that has one.
    Where the guard has closed the connection, its client has the reason already, and the reply is for whoever sent a
    test event. Nothing of the frame is logged.
    """
    frame_event = APIGatewayWebSocketEvent(event)
    body = frame_event.body or ""
    with traced("command"):
        try:
            command, connection = command_guard().enter(frame_event.request_context.connection_id, body)
            annotate(action=command.action)
            handled = handle(command, connection)
            reply = _framed(handled, command) if isinstance(handled, Struct) else handled
        except RequestError as error:
            mark_failed(error)
            reply = _refusal(failed(error), body)
        except Exception as error:  # noqa: BLE001 - whatever it is, the client hears of it
            mark_failed(error)
            logger.error("A command failed", extra=failure_fields(error))
            stage_metrics().failed_command()
            reply = _refusal(failed(error) if isinstance(error, CicadaError) else _INTERNAL, body)
    return {"statusCode": 200, "body": reply} if reply else {"statusCode": 200}


def not_served(command: AnyCommand) -> InvalidFrameError:
    """The refusal of a command that came to the wrong function."""
    return InvalidFrameError(f"The action {command.action} is not served here.")


def _framed(body: Struct, command: AnyCommand) -> str:
    return frame(body, request_id=getattr(command, "request_id", None))


def _refusal(error: Failed, body: str) -> str:
    return frame(error, request_id=request_id_of(body))
