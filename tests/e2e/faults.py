"""Failures of the stage's Bedrock stand-in."""

from __future__ import annotations

import http.client
import json
from contextlib import closing
from urllib.parse import urlsplit

from tests.chaos.target import Target
from tests.patience import PATIENCE_SECONDS


def order_fault(stage: Target, **fields: object) -> None:
    """The stand-in's next calls fail like this."""
    _faults(stage, "POST", json.dumps(fields))


def cancel_faults(stage: Target) -> None:
    """Cancel the failures that no call has met."""
    _faults(stage, "DELETE")


def stall_next_answer(stage: Target) -> None:
    """The next answer begins and does not go on by itself: whatever happens then, happens in the middle of it."""
    order_fault(stage, operation="converse-stream", kind="stall", after=5)


def _faults(stage: Target, method: str, body: str | None = None) -> None:
    bedrock = http.client.HTTPConnection(urlsplit(stage.info["bedrockUrl"]).netloc, timeout=PATIENCE_SECONDS)
    with closing(bedrock):
        bedrock.request(method, "/_standin/faults", body, {"Content-Type": "application/json"})
        assert bedrock.getresponse().status < 300
