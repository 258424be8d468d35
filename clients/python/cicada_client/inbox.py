"""Where frames wait for the thread that asked for them."""

from __future__ import annotations

from enum import Enum, auto
from queue import Empty, SimpleQueue
from typing import Any

HISTORY = "history"


class Signal(Enum):
    """What may come instead of a frame."""

    CLOSED = auto()
    CANCEL = auto()


class Inbox:
    """Frames and signals for one waiting caller."""

    def __init__(self) -> None:
        # A SimpleQueue's put is re-entrant: a signal handler may use it.
        self._queue: SimpleQueue[dict[str, Any] | Signal] = SimpleQueue()

    def put(self, item: dict[str, Any] | Signal) -> None:
        """Add one; never blocks."""
        self._queue.put(item)

    @property
    def empty(self) -> bool:
        """Whether nothing waits here."""
        return self._queue.empty()

    def next(self, seconds: float) -> dict[str, Any] | Signal | None:
        """The next one, or None if none came in that time."""
        try:
            return self._queue.get(timeout=max(0.0, seconds))
        except Empty:
            return None


class Inboxes:
    """The inboxes by requestId, and one for the reply to `history`, which has none."""

    def __init__(self) -> None:
        self._by_name: dict[str, Inbox] = {}

    def open(self, name: str) -> Inbox:
        """A new inbox. ValueError if the name is in use: two readers would each get half of the frames."""
        if name in self._by_name:
            raise ValueError(f"{name} is being waited for already.")
        inbox = self._by_name[name] = Inbox()
        return inbox

    def close(self, name: str) -> None:
        """Forget an inbox and what is in it."""
        del self._by_name[name]

    def sort(self, frame: dict[str, Any]) -> None:
        """Put a frame where it is waited for, if it is."""
        name = frame.get("requestId")
        if name is None and (frame.get("type") == "history" or is_plain_error(frame)):
            name = HISTORY
        if isinstance(name, str):
            self.signal(name, frame)

    def signal(self, name: str, item: dict[str, Any] | Signal) -> None:
        """Put something into one inbox, if there is such."""
        inbox = self._by_name.get(name)
        if inbox is not None:
            inbox.put(item)

    def tell_closed(self) -> None:
        """Wake everybody: the connection is gone."""
        for inbox in tuple(self._by_name.values()):
            inbox.put(Signal.CLOSED)


def is_plain_error(frame: dict[str, Any]) -> bool:
    """Whether a frame refuses a command, as against an `error` event, which is numbered and ends a request."""
    return frame.get("type") == "error" and "seq" not in frame
