"""The message processor: answers queued requests, and console test events at once."""

from __future__ import annotations

import time
from typing import Any

from cicada.answering.console import answer_at_once
from cicada.bootstrap.processor import answerer, probe_at_once, processor
from cicada.conversation.model import RequestKey
from cicada.deadline import ending_by
from cicada.entry.request_batch import LambdaContext, answer_deadline, answered_requests
from cicada.observability.log import logger
from cicada.observability.tracing import annotate


def handler(event: dict[str, Any], context: LambdaContext) -> dict[str, Any]:
    """Returns a batch verdict for an SQS event, and the whole answer as JSON for `{"message": "…"}`.

    For `{"probe": {…}}` it returns what is found, by which `cicada calibrate` makes a calibration.
    """
    with ending_by(answer_deadline(context)):
        if "Records" in event:
            return answered_requests(event, _process)
        if "probe" in event:
            return probe_at_once(event)
        return answer_at_once(event, answerer())


def _process(key: RequestKey, sent_at: float | None) -> None:
    annotate(requestId=key.request_id)
    taken_at = time.time()
    outcome = processor().process(key, sent_at)
    annotate(outcome=outcome.value)
    logger.info("Processed a request", extra={"outcome": outcome, "queuedAt": sent_at, "takenAt": taken_at})
