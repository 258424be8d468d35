"""Fault injection for tests of recovery: the next calls of an operation throttle, break, drop, stall or corrupt.

    POST /_standin/faults {"operation": "converse-stream", "kind": "drop", "after": 3, "times": 2}
    GET lists the pending faults, DELETE cancels them.

`after` counts the deltas (chunks for an agent) that are sent before the fault. Without it a throttle or exception is an
HTTP error, as always outside a stream. `model_id` restricts a fault of `converse-stream` to the calls of one model.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from threading import Lock
from typing import Any

from local.bedrock.wire import WireError, invalid

OPERATIONS = ("converse", "converse-stream", "invoke-model", "rerank", "invoke-agent", "apply-guardrail")
STREAMS = ("converse-stream", "invoke-agent")


class Kind(StrEnum):
    THROTTLE = "throttle"
    EXCEPTION = "exception"
    DROP = "drop"
    STALL = "stall"
    BAD_CHECKSUM = "bad-checksum"


@dataclass(frozen=True, slots=True)
class Fault:
    """`seconds` is how long a stall lasts before the stream goes on. `model_id`: whose calls fail, empty for any."""

    operation: str
    kind: Kind
    after: int = 0
    times: int = 1
    seconds: float = 3600.0
    model_id: str = ""

    @classmethod
    def parse(cls, body: Mapping[str, Any]) -> "Fault":
        """Raises WireError (ValidationException) for an unknown operation, kind or field."""
        if body.get("operation") not in OPERATIONS:
            raise invalid(f"operation is one of {', '.join(OPERATIONS)}.")
        if body.get("kind") not in list(Kind):
            raise invalid(f"kind is one of {', '.join(Kind)}.")
        if body["kind"] == Kind.BAD_CHECKSUM and body["operation"] not in STREAMS:
            raise invalid(f"Only {' and '.join(STREAMS)} have checksums.")
        unknown = set(body) - {"operation", "kind", "after", "times", "seconds", "model_id"}
        if unknown:
            raise invalid(f"A fault has no field {', '.join(sorted(unknown))}.")
        return cls(**{**body, "kind": Kind(body["kind"])})

    @property
    def refuses(self) -> bool:
        """Whether the reply is an HTTP error instead of a stream."""
        at_once = self.operation not in STREAMS or not self.after
        return at_once and self.kind in (Kind.THROTTLE, Kind.EXCEPTION)

    def error(self) -> WireError:
        """The error of a throttle or an exception. Streams have a different name for a model error."""
        if self.kind is Kind.THROTTLE:
            return WireError("ThrottlingException", "Too many requests, please wait before trying again.")
        if self.operation == "converse-stream" and self.after:
            return WireError("ModelStreamErrorException", "The model broke off in the middle of its answer.")
        return WireError("InternalServerException", "The stand-in was told to fail here.")


class Faults:
    """The pending faults, oldest first."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: list[Fault] = []

    def order(self, fault: Fault) -> None:
        with self._lock:
            self._waiting.append(fault)

    def take(self, operation: str, model_id: str = "") -> Fault | None:
        """Take the pending fault for this call of the operation and the model, if any."""
        with self._lock:
            for index, fault in enumerate(self._waiting):
                if fault.operation == operation and fault.model_id in ("", model_id):
                    left = [replace(fault, times=fault.times - 1)] if fault.times > 1 else []
                    self._waiting[index : index + 1] = left
                    return fault
        return None

    def clear(self) -> None:
        with self._lock:
            self._waiting.clear()

    def waiting(self) -> list[dict[str, Any]]:
        with self._lock:
            return [asdict(fault) for fault in self._waiting]
