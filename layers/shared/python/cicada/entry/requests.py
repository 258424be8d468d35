"""What all functions do around a request: its deadline, its log, and its failure."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from cicada.adapters.sqs import read_request_message
from cicada.adapters.xray import carried_header
from cicada.bootstrap.tracing import traced
from cicada.conversation.command_guard import CommandGuard
from cicada.conversation.model import Connection, RequestKey
from cicada.conversation.protocol import AnyCommand, Failed, failed, frame, request_id_of
from cicada.deadline import Deadline
from cicada.errors import CicadaError, RequestError
from cicada.identity import Principal
from cicada.observability.audit import Handshake
from cicada.observability.log import failure_fields, logger
from cicada.observability.metrics import stage_metrics
from cicada.observability.tracing import annotate, mark_failed

# To store and send the error of an answer that took too long, and to dead-letter its request.
_RESERVED_SECONDS = 10


class LambdaContext(Protocol):
    """What Lambda passes to a handler beside the event."""

    def get_remaining_time_in_millis(self) -> int: ...


def answer_deadline(context: LambdaContext) -> Deadline:
    """Ten seconds before Lambda ends the function."""
    return Deadline.in_seconds(context.get_remaining_time_in_millis() / 1000 - _RESERVED_SECONDS, time.monotonic)


_NOBODY = Principal("", "")
# Clients write it themselves: as much as tells a browser or a library.
_USER_AGENT_LENGTH = 200


def handshake(event: Mapping[str, Any], now: float, principal: Principal = _NOBODY, refused: str = "") -> Handshake:
    """Make the record of a handshake, with the connection's id, the address and the user agent alone.

    Headers and query string hold the token.
    """
    request: Mapping[str, Any] = event.get("requestContext") or {}
    return Handshake(
        at=now,
        connection_id=str(request.get("connectionId") or ""),
        address=str((request.get("identity") or {}).get("sourceIp") or ""),
        user_agent=_user_agent(event.get("headers") or {})[:_USER_AGENT_LENGTH],
        tenant=principal.tenant,
        user=principal.user,
        login=principal.login,
        refused=refused,
    )


def _user_agent(headers: Mapping[str, str]) -> str:
    return next((value for name, value in headers.items() if name.lower() == "user-agent"), "")


Event = dict[str, Any]
Reply = dict[str, Any]
CommandHandler = Callable[[AnyCommand, Connection], str | None]

_INTERNAL = Failed(error="Something went wrong on our side. Please try again.", code="internal", retryable=True)


def command_reply(event: Event, command_guard: Callable[[], CommandGuard], handle: CommandHandler) -> Reply:
    """Run `handle` on the frame's command; its reply, or the error's, goes back on the same connection.

    Where the guard has closed the connection, its client has the reason already, and the reply is for whoever sent a
    test event. Nothing of the frame is logged.
    """
    body = event.get("body") or ""
    with traced("command"):
        try:
            command, connection = command_guard().enter(event["requestContext"]["connectionId"], body)
            annotate(action=command.action)
            reply = handle(command, connection)
        except RequestError as error:
            mark_failed(error)
            reply = _refusal(failed(error), body)
        except Exception as error:  # noqa: BLE001 - whatever it is, the client hears of it
            mark_failed(error)
            logger.error("A command failed", extra=failure_fields(error))
            stage_metrics().failed_command()
            reply = _refusal(failed(error) if isinstance(error, CicadaError) else _INTERNAL, body)
    return {"statusCode": 200, "body": reply} if reply else {"statusCode": 200}


def _refusal(error: Failed, body: str) -> str:
    return frame(error, request_id=request_id_of(body))


def answered_requests(event: Event, handle: Callable[[RequestKey, float | None], None]) -> Reply:
    """Run `handle` on each record's request, as a part of its trace; the reply is that of `failed_records`.

    The second argument is the time at which the message was sent, in epoch seconds, if the record has it.
    """

    def answer(record: Event) -> None:
        with traced("answer", carried_header(record)):
            handle(read_request_message(record["body"]), _sent_at(record))

    return failed_records(event, answer)


def _sent_at(record: Event) -> float | None:
    """SQS gives milliseconds; a call by hand has none."""
    sent = record.get("attributes", {}).get("SentTimestamp")
    return int(sent) / 1000 if sent else None


def failed_records(event: Event, handle: Callable[[Event], None]) -> Reply:
    """Run `handle` on each record and report the failed records, so that only they are delivered again."""
    failures = []
    for record in event["Records"]:
        try:
            handle(record)
        except Exception as error:  # noqa: BLE001 - Lambda would log the text of the exception
            logger.error("A record failed", extra=failure_fields(error) | {"messageId": record["messageId"]})
            failures.append({"itemIdentifier": record["messageId"]})
    return {"batchItemFailures": failures}
