"""The message processor: answers queued requests, and console test events at once."""

from __future__ import annotations

from typing import Any

from cicada.adapters.sqs.request_queue import read_request_message
from cicada.answering.console import answer_at_once
from cicada.bootstrap.log import logger
from cicada.bootstrap.processor import answerer, default_knowledge_base, processor
from cicada.entry.requests import failed_records


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """An SQS event ends in a batch verdict; `{"message": "…"}` in the whole answer as JSON."""
    if "Records" in event:
        return failed_records(event, _process)
    return answer_at_once(event, answerer(), default_knowledge_base())


def _process(body: str) -> None:
    key = read_request_message(body)
    outcome = processor().process(key)
    logger.info("Processed a request", extra={"requestId": key.request_id, "outcome": outcome})
