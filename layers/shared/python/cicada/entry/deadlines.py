"""The deadline of an answer, from the time that Lambda leaves the function."""

from __future__ import annotations

import time
from typing import Protocol

from cicada.deadline import Deadline

# To store and send the error of an answer that took too long, and to dead-letter its request.
_RESERVED_SECONDS = 10


class LambdaContext(Protocol):
    """What Lambda passes to a handler beside the event."""

    def get_remaining_time_in_millis(self) -> int: ...


def answer_deadline(context: LambdaContext) -> Deadline:
    """Ten seconds before Lambda ends the function."""
    return Deadline.in_seconds(context.get_remaining_time_in_millis() / 1000 - _RESERVED_SECONDS, time.monotonic)
