"""The queued requests of an SQS event, and the time that there is to answer them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

from aws_lambda_powertools.utilities.batch import (
    ExceptionInfo,
    FailureResponse,
    SqsFifoPartialProcessor,
    process_partial_response,
)
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from cicada.adapters.sqs import read_request_message
from cicada.adapters.xray import carried_header
from cicada.bootstrap.tracing import traced
from cicada.conversation.model import RequestKey
from cicada.deadline import Deadline
from cicada.observability.log import failure_fields, logger

# To store and send the error of an answer that took too long, and to dead-letter its request.
_RESERVED_SECONDS = 10


class LambdaContext(Protocol):
    """What Lambda passes to a handler beside the event."""

    def get_remaining_time_in_millis(self) -> int: ...


def answer_deadline(context: LambdaContext) -> Deadline:
    """Ten seconds before Lambda ends the function."""
    return Deadline.in_seconds(context.get_remaining_time_in_millis() / 1000 - _RESERVED_SECONDS, time.monotonic)


class RequestBatchProcessor(SqsFifoPartialProcessor):
    """Powertools' processor, except that no text of an exception is logged, not even where all records fail."""

    def __init__(self) -> None:
        super().__init__()
        # Powertools raises an exception that quotes those of the records, which Lambda would log.
        self.raise_on_entire_batch_failure = False

    def failure_handler(self, record: SQSRecord, exception: ExceptionInfo) -> FailureResponse:
        """Log the failure by the kinds and places of its exceptions."""
        if exception[1]:
            logger.error("A record failed", extra=failure_fields(exception[1]) | {"messageId": record.message_id})
        return super().failure_handler(record, exception)


def answered_requests(event: dict[str, Any], handle: Callable[[RequestKey, float | None], None]) -> dict[str, Any]:
    """Run `handle` on each record's request, as a part of its trace; after a failure the rest are delivered again.

    The second argument is the time at which the message was sent, in epoch seconds, if the record has it. Meanwhile
    every line of the log names the request, by which `cicada trace` finds them.
    """

    def answer(record: SQSRecord) -> None:
        with traced("answer", carried_header(record)):
            key = read_request_message(record.body)
            logger.append_keys(requestId=key.request_id)
            handle(key, _sent_at(record))

    try:
        return {**process_partial_response(event, answer, RequestBatchProcessor())}
    finally:
        logger.remove_keys(["requestId"])


def _sent_at(record: SQSRecord) -> float | None:
    """SQS gives milliseconds; a call by hand has none."""
    return int(record.attributes.sent_timestamp) / 1000 if record.get("attributes") else None
