"""The conversation's other ports in memory."""

from __future__ import annotations

from collections.abc import Callable

from cicada.conversation.model import Connection, RequestKey
from cicada.errors import CicadaError, ConnectionGoneError
from cicada.identity import Principal


class RecordingChannel:
    """Keeps the frames of each connection. Posting to a closed one finds it gone; `before_post` may disturb."""

    def __init__(self) -> None:
        self.frames: dict[str, list[str]] = {}
        self.closed: set[str] = set()
        self.before_post: Callable[[str, str], None] = lambda connection_id, frame: None

    def post(self, connection_id: str, frame: str) -> None:
        self.before_post(connection_id, frame)
        if connection_id in self.closed:
            raise ConnectionGoneError("The connection does not exist any more.")
        self.frames.setdefault(connection_id, []).append(frame)

    def close(self, connection_id: str) -> None:
        self.closed.add(connection_id)


class RecordingQueue:
    """Keeps what was queued, in order, without what a FIFO queue drops as a repeat; `failure` is raised while set."""

    def __init__(self) -> None:
        self.requests: list[RequestKey] = []
        self.takeovers: list[tuple[RequestKey, int]] = []
        self.buried: list[tuple[RequestKey, str]] = []
        self.failure: CicadaError | None = None
        self.before_enqueue: Callable[[], None] = lambda: None
        self.before_enqueue_takeover: Callable[[], object] = lambda: None

    def enqueue(self, key: RequestKey, session_id: str) -> None:
        self.before_enqueue()
        self._fail()
        if key not in self.requests:
            self.requests.append(key)

    def enqueue_takeover(self, key: RequestKey, attempt: int) -> None:
        self.before_enqueue_takeover()
        self._fail()
        if (key, attempt) not in self.takeovers:
            self.takeovers.append((key, attempt))

    def dead_letter(self, key: RequestKey, reason: str) -> None:
        self._fail()
        self.buried.append((key, reason))

    def _fail(self) -> None:
        if self.failure:
            raise self.failure


class InMemoryConnections:
    """The open connections."""

    def __init__(self) -> None:
        self.rows: dict[str, Connection] = {}

    def add(self, connection: Connection, expires_at: float) -> None:
        self.rows[connection.connection_id] = connection

    def get(self, connection_id: str) -> Connection | None:
        return self.rows.get(connection_id)

    def of(self, principal: Principal) -> list[Connection]:
        owned = [each for each in self.rows.values() if each.principal == principal]
        return sorted(owned, key=lambda each: each.connected_at)

    def remove(self, connection_id: str) -> None:
        self.rows.pop(connection_id, None)
