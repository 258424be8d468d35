"""How long a client waits, in seconds."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timing:
    """Defaults fit the deployed system: a lease of 15 s, connections that API Gateway ends after 10 idle minutes."""

    gap_seconds: float = 1.0
    """A missing event is asked for again after this."""
    accept_seconds: float = 5.0
    """A question without `accepted` is sent again after this, each time after twice as long; a repeat is harmless …"""
    accept_limit_seconds: float = 40.0
    """… but keeps a busy server busy, so in the end it comes this seldom."""
    silence_seconds: float = 10.0
    """A silent request is resumed after this; the reply says when the lease of its processor expires."""
    reply_seconds: float = 10.0
    """A connection that answers no ping for this long is dead."""
    keep_alive_seconds: float = 300.0
    """An idle connection is pinged after this."""
    patience_seconds: float = 300.0
    """A request without any event for this long is given up."""
    open_seconds: float = 10.0
    """Opening a connection may take this long."""
    close_seconds: float = 1.0
    """Closing a connection may take this long."""
    renew_again_seconds: float = 10.0
    """A connection that could not be replaced before its token expires is tried again after this."""
    back_off_seconds: float = 0.25
    """The first wait before connecting again is at most this, each further one at most twice the one before …"""
    back_off_limit_seconds: float = 10.0
    """… and none is longer than this."""
    first_attempts: int = 3
    """Attempts to connect before the address counts as wrong; later ones end with the patience only."""

    def back_off(self, attempt: int, chance: float) -> float:
        """Seconds before attempt 1, 2, …: exponential with full jitter; `chance` is uniform in [0, 1).

        After Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
        """
        return chance * min(self.back_off_limit_seconds, self.back_off_seconds * 2.0 ** min(attempt - 1, 30))
