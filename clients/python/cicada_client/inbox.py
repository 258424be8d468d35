"""Queues of frames for the threads that wait for them."""

from __future__ import annotations

from enum import Enum, auto
from queue import Empty, SimpleQueue
from typing import Any

HISTORY = "history"


class Signal(Enum):
    """What a waiting thread may get instead of a frame."""

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
        """Whether the queue is empty."""
        return self._queue.empty()

    def next(self, seconds: float) -> dict[str, Any] | Signal | None:
        """The next one, or None if none came in that time."""
        try:
            return self._queue.get(timeout=max(0.0, seconds))
        except Empty:
            return None


class Inboxes:
    """The inboxes by requestId, and one for the reply to `history`, which has no requestId."""

    def __init__(self) -> None:
        self._by_name: dict[str, Inbox] = {}

    def open(self, name: str) -> Inbox:
        """A new inbox. Raises ValueError if the name is in use: each of two readers would get some of the frames."""
        if name in self._by_name:
            raise ValueError(f"{name} is being waited for already.")
        inbox = self._by_name[name] = Inbox()
        return inbox

    def close(self, name: str) -> None:
        """Remove an inbox with its content."""
        del self._by_name[name]

    def dispatch(self, frame: dict[str, Any]) -> None:
        """Put a frame into the inbox of its request, if there is one."""
        name = frame.get("requestId")
        if name is None and (frame.get("type") == "history" or is_plain_error(frame)):
            name = HISTORY
        if isinstance(name, str):
            self.signal(name, frame)

    def signal(self, name: str, item: dict[str, Any] | Signal) -> None:
        """Put a frame or a signal into one inbox, if there is such an inbox."""
        inbox = self._by_name.get(name)
        if inbox is not None:
            inbox.put(item)

    def signal_all(self, item: dict[str, Any]) -> None:
        """Put a frame that concerns the whole connection into every inbox."""
        for inbox in tuple(self._by_name.values()):
            inbox.put(item)

    def signal_closed(self) -> None:
        """Wake every waiting thread: the connection is closed."""
        for inbox in tuple(self._by_name.values()):
            inbox.put(Signal.CLOSED)


def is_plain_error(frame: dict[str, Any]) -> bool:
    """Whether a frame refuses a command. An `error` event, which ends a request, has a `seq`."""
    return frame.get("type") == "error" and "seq" not in frame
