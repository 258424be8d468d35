"""Everything that came in for one request, before any client has sorted it."""

from __future__ import annotations

from typing import Any

from cicada_client.assembly import Assembly
from cicada_client.events import FINAL_TYPES

Frame = dict[str, Any]


class Ledger:
    """The request's events by number; they may come repeatedly and in any order."""

    def __init__(self, request_id: str) -> None:
        self._request_id = request_id
        self._events: dict[int, Frame] = {}
        self._two_contents: set[int] = set()

    def note(self, frame: Frame) -> None:
        if "seq" in frame and self._events.setdefault(frame["seq"], frame) != frame:
            self._two_contents.add(frame["seq"])

    def __len__(self) -> int:
        return len(self._events)

    @property
    def chunks(self) -> int:
        return self._count("chunk")

    @property
    def resets(self) -> int:
        return self._count("reset")

    @property
    def text(self) -> str:
        """Assembled from all events at once, to compare with the client's incremental assembly."""
        assembly = Assembly(self._request_id)
        for seq in sorted(self._events):
            assembly.receive(self._events[seq])
        return assembly.text

    def problems(self) -> list[str]:
        """Violations of the delivery promise, as sentences."""
        last = max(self._events, default=0)
        found = [f"Event {seq} came with two contents." for seq in sorted(self._two_contents)]
        missing = sorted(set(range(1, last + 1)) - set(self._events))
        if missing:
            found.append(f"Events {missing} never came.")
        ends = [seq for seq in sorted(self._events) if self._events[seq]["type"] in FINAL_TYPES]
        if ends != [last]:
            found.append(f"The final events are {ends} of {last}.")
        return found

    def _count(self, kind: str) -> int:
        return sum(event["type"] == kind for event in self._events.values())
