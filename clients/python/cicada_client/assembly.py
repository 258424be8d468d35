"""Put the events of one request back in order, without any I/O.

Frames arrive out of order, twice, mixed with those of other requests, and again after a resume. `Assembly` gives each
event once, in order and without a gap.
"""

from __future__ import annotations

from typing import Any, Literal

from cicada_client.events import FINAL_TYPES, Frame, is_event

Progress = Literal["waiting", "queued", "processing", "complete", "cancelled", "failed"]

# How many early events are buffered. Further ones are dropped; `resume` brings them again.
_EARLY_LIMIT = 4096

_FINAL: dict[str, Progress] = {"complete": "complete", "cancelled": "cancelled", "error": "failed"}


class Assembly:
    """The events of one request. `after_seq` is the last event that the caller already has."""

    def __init__(self, request_id: str, after_seq: int = 0) -> None:
        self.request_id = request_id
        self.last_seq = after_seq
        self.status: Progress = "waiting"
        self.session_id: str | None = None
        self.error: dict[str, Any] | None = None
        self.completion: dict[str, Any] | None = None
        self._parts: list[str] = []
        self._sources: dict[str, dict[str, Any]] = {}
        self._early: dict[int, dict[str, Any]] = {}

    def receive(self, event: Frame) -> list[dict[str, Any]]:
        """The events that are next, in order; none for a duplicate, an early event and a frame of another request."""
        if self.finished or not is_event(event, self.request_id) or event["seq"] <= self.last_seq:
            return []
        if event["seq"] != self.last_seq + 1 and len(self._early) >= _EARLY_LIMIT:
            return []
        self._early.setdefault(event["seq"], dict(event))
        return self._take()

    @property
    def text(self) -> str:
        """The answer so far."""
        return "".join(self._parts)

    @property
    def sources(self) -> list[dict[str, Any]]:
        """The sources so far, as on the wire."""
        return list(self._sources.values())

    @property
    def gap(self) -> bool:
        """Whether a later event has arrived, but not the next one."""
        return bool(self._early)

    @property
    def begun(self) -> bool:
        """Whether the server is known to have accepted the request."""
        return self.last_seq > 0 or self.gap

    @property
    def finished(self) -> bool:
        """Whether the final event of the request has been returned."""
        return self.status in ("complete", "cancelled", "failed")

    @property
    def held(self) -> int:
        """How many early events are buffered until the missing one arrives."""
        return len(self._early)

    def _take(self) -> list[dict[str, Any]]:
        taken: list[dict[str, Any]] = []
        while not self.finished and (event := self._early.pop(self.last_seq + 1, None)) is not None:
            self.last_seq += 1
            self._apply(event)
            taken.append(event)
        if self.finished:
            self._early.clear()
        return taken

    def _apply(self, event: dict[str, Any]) -> None:
        kind = event["type"]
        self.status = _FINAL.get(kind, "queued" if kind == "accepted" else "processing")
        if kind == "accepted":
            self.session_id = event["sessionId"]
        elif kind == "chunk":
            self._parts.append(event["content"])
        elif kind == "sources":
            self._sources |= {str(item.get("n")): item for item in event["sources"] if isinstance(item, dict)}
        elif kind == "reset":
            self._parts.clear()
            self._sources.clear()
        elif kind in FINAL_TYPES:
            self._close(kind, event)

    def _close(self, kind: str, event: dict[str, Any]) -> None:
        if kind == "complete":
            self.completion = event
        elif kind == "error":
            self.error = event
