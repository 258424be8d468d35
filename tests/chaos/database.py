"""DynamoDB as the disturbed stage sees it: the emulator's, behind a server that throttles calls on demand."""

from __future__ import annotations

import json
import random
import re
import threading
import time
from collections.abc import Callable, Collection

from tests.relay import Call, Relay, Reply, unnoted

# DynamoDB's words: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/CommonErrors.html
_REFUSAL = Reply(
    400,
    {"Content-Type": "application/x-amz-json-1.0"},
    json.dumps(
        {
            "__type": "com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException",
            "message": "The level of configured provisioned throughput for the table was exceeded.",
        }
    ).encode(),
)
# A row of a request: its partition key ends with the request's id.
_REQUEST = re.compile(rb'"pk": ?{"S": ?"[^"]*#([0-9a-f-]{36})"}')


class Database(Relay):
    """Passes every call on to `emulator_url`; throttles a share of them while a storm lasts. For several threads."""

    def __init__(self, emulator_url: str, port: int, seed: int = 1, noted: Callable[[Call], None] = unnoted) -> None:
        super().__init__(emulator_url, port, noted)
        self._chance = random.Random(f"{seed}/throttling")
        self._lock = threading.Lock()
        self._until = 0.0
        self._share = 0.0
        self._throttled = 0
        self._about: dict[int, tuple[float, str]] = {}

    def storm(self, seconds: float, share: float) -> None:
        """Refuse this share of the calls for so long from now; a storm under way is not shortened."""
        with self._lock:
            self._until = max(self._until, time.monotonic() + seconds)
            self._share = share

    @property
    def throttled(self) -> int:
        """Calls refused so far."""
        with self._lock:
            return self._throttled

    def request_of(self, ports: Collection[int]) -> str:
        """The request that the last call from these ports was about, empty if none was."""
        with self._lock:
            return max((self._about[port] for port in ports if port in self._about), default=(0.0, ""))[1]

    def before(self, call: Call) -> Reply | None:
        super().before(call)
        with self._lock:
            if found := _REQUEST.search(call.body):
                self._about[call.port] = (time.monotonic(), found[1].decode())
            refused = time.monotonic() < self._until and self._chance.random() < self._share
            self._throttled += refused
        return _REFUSAL if refused else None
