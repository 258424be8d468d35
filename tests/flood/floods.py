"""The user sends without a pause, whatever the service says."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tests.flood.world import EVENTS, SESSION, TURNS, World, message, world

# The user tries to connect again so often to a service that closes the connection.
_RECONNECT_SECONDS = 1


@dataclass(slots=True)
class Period:
    """`calls`: at each service, by the names of `counting`."""

    command: str
    name: str
    seconds: float
    sent: int = 0
    carried_out: int = 0
    calls: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Flood:
    """`prepare` makes what is sent, and returns what sends it once: True if it was carried out."""

    name: str
    prepare: Callable[[World], Callable[[], bool]]
    # The share that is simulated of what is sent in a second: what causes many calls takes long.
    share: float = 1


def measured(flood: Flood, rate: float, seconds: float) -> Iterator[Period]:
    """Two periods of simulated time; the first begins with a full bucket."""
    with world() as here:
        send = flood.prepare(here)
        here.calls.take()
        for name in ("at first", "then"):
            yield _period(flood, Period(flood.name, name, seconds), here, send, rate * flood.share)


def _period(flood: Flood, period: Period, here: World, send: Callable[[], bool], rate: float) -> Period:
    since_handshake = 0.0
    for _ in range(round(rate * period.seconds)):
        here.wait(1 / rate)
        since_handshake += 1 / rate
        if flood.name == CONNECTIONS or here.connection_id:
            period.sent += 1
            period.carried_out += send()
        elif since_handshake >= _RECONNECT_SECONDS:
            here.connect()
            since_handshake = 0
    period.calls = here.calls.take()
    return period


def _resume(here: World) -> Callable[[], bool]:
    request_id = here.answered_session()["requestId"]
    text = json.dumps({"action": "resume", "requestId": request_id, "afterSeq": 0})
    return lambda: here.send(text) == ""


def _history(here: World) -> Callable[[], bool]:
    here.answered_session()
    text = json.dumps({"action": "history", "sessionId": SESSION, "limit": TURNS})
    return lambda: here.send(text) == ""


def _opening(here: World) -> Callable[[], bool]:
    place = {"knowledgeBase": "scripts", "documentId": here.kept_document()}
    text = json.dumps({"action": "openDocument", "requestId": str(uuid.uuid4()), **place})
    return lambda: here.send(text) == ""


def _answered_again(here: World) -> Callable[[], bool]:
    text = json.dumps(here.answered_session())
    return lambda: here.send(text) == ""


def _queued_again(here: World) -> Callable[[], bool]:
    text = json.dumps(message(SESSION))
    here.send(text)
    here.wait(60)
    return lambda: here.send(text) == ""


def _new(here: World) -> Callable[[], bool]:
    """Each is answered at once, so that requests in flight are no limit."""

    def send() -> bool:
        asked = message(SESSION)
        if here.send(json.dumps(asked)):
            return False
        here.answer(asked["requestId"])
        return True

    return send


def _unreadable(here: World) -> Callable[[], bool]:
    return lambda: here.send("{") == "invalid_frame"


def _connections(here: World) -> Callable[[], bool]:
    return here.connect


CONNECTIONS = "connections"
FLOODS = (
    Flood(f"`resume` of an answer of {EVENTS} events", _resume),
    Flood(f"`history` of {TURNS} turns", _history, 0.1),
    Flood("`openDocument`", _opening),
    Flood("an answered message again", _answered_again),
    Flood("a queued message again", _queued_again),
    Flood("new messages", _new),
    Flood("frames that cannot be read", _unreadable),
    Flood(CONNECTIONS, _connections),
)
