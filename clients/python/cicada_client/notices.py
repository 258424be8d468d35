"""What a client tells about its connection while an answer is under way."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reconnecting:
    """The connection is gone, for this reason; the next attempt to connect follows in `delay_seconds`."""

    reason: str
    delay_seconds: float


@dataclass(frozen=True, slots=True)
class Reconnected:
    """There is a connection again; requests go on where they stopped."""


Notice = Reconnecting | Reconnected
