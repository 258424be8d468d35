"""Notices about the connection while an answer is under way."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reconnecting:
    """The connection is lost for this reason; the next attempt to connect is in `delay_seconds`."""

    reason: str
    delay_seconds: float


@dataclass(frozen=True, slots=True)
class Reconnected:
    """The connection is restored; requests go on where they stopped."""


Notice = Reconnecting | Reconnected
