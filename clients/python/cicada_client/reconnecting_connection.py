"""A connection that is opened when it is needed, and again, with back-off, after it was lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from cicada_client.connection import Connection
from cicada_client.errors import ConnectionLostError, SignedOutError, UnauthorizedError
from cicada_client.notices import Notice, Reconnected, Reconnecting
from cicada_client.timing import Timing

# A token may have run out just before it was used: one refusal calls for a fresh one, the second is final.
_REFUSALS_LIMIT = 2


@dataclass(slots=True)
class ReconnectingConnection:
    """Safe for several threads. `chance` is uniform in [0, 1).

    `dial` opens a connection with a fresh token. It is given the connection to replace, if that is still open, and
    returns the same one if there is no newer token.
    """

    dial: Callable[[Connection | None], Connection]
    timing: Timing
    chance: Callable[[], float]
    observe: Callable[[Notice], None]
    clock: Callable[[], float] = time.monotonic
    _current: Connection | None = None
    _was_connected: bool = False
    _failures: int = 0
    _refusals: int = 0
    _is_renewing: bool = False
    _is_signed_out: bool = False
    _sentence: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def current(self, gives_up_at: float, *, again: bool) -> Connection:
        """The open connection, or a new one if there is none. `gives_up_at` is in seconds of the clock.

        With `again` a connection was lost in the middle of a request: a pause comes first, and a notice is given. A
        connection whose token expires soon, or has expired, is replaced without either.
        Raises `UnauthorizedError` when a fresh token is refused as well, or the user was signed out, and
        `ConnectionLostError` when the patience ends.
        """
        with self._lock:
            if self._current is None or self._current.closed:
                self._current = self._redial(gives_up_at, again)
            elif self._current.renew_at <= self.clock():
                self._current = self._renewed(self._current)
            return self._current

    def progressed(self) -> None:
        """Reset the counts of failures and refusals: something useful arrived."""
        self._failures = self._refusals = 0

    def token_refused(self, connection: Connection, sentence: str) -> None:
        """Close a connection whose token the server refused. If that repeats, `current` raises `UnauthorizedError`."""
        self._refusals += 1
        self._is_renewing = True
        self._sentence = sentence
        connection.close()

    def signed_out(self, connection: Connection, sentence: str) -> None:
        """Close a connection whose user was signed out; `current` raises `SignedOutError` from now on."""
        self._is_signed_out = True
        self._sentence = sentence
        connection.close()

    def close(self) -> None:
        """Close the open connection, if there is one."""
        if self._current is not None:
            self._current.close()

    def _renewed(self, old: Connection) -> Connection:
        """A connection with a newer token, or the old one, for a while, if there is none.

        Whoever waits for events resumes on the new one; what the old one had still to deliver is replayed there.
        """
        try:
            new = self.dial(old)
        except (ConnectionLostError, UnauthorizedError):
            old.renew_at = self.clock() + self.timing.renew_again_seconds
            return old
        if new is not old:
            old.close()
        return new

    def _redial(self, gives_up_at: float, again: bool) -> Connection:
        if self._is_signed_out:
            raise SignedOutError(self._sentence)
        is_silent = self._is_renewing or not again
        self._is_renewing = False
        if not is_silent:
            self._pause("The connection was lost.")
        while True:
            if self._refusals >= _REFUSALS_LIMIT:
                raise UnauthorizedError(self._sentence)
            try:
                connection = self.dial(None)
            except UnauthorizedError as error:
                self._refusals += 1
                self._sentence = str(error)
            except ConnectionLostError as error:
                self._check_patience(error, gives_up_at)
                self._pause(str(error))
                is_silent = not again
            else:
                self._was_connected = True
                if not is_silent:
                    self.observe(Reconnected())
                return connection

    def _check_patience(self, error: ConnectionLostError, gives_up_at: float) -> None:
        first = not self._was_connected and self._failures + 1 >= self.timing.first_attempts
        if first or self.clock() >= gives_up_at:
            raise error

    def _pause(self, reason: str) -> None:
        self._failures += 1
        delay = self.timing.back_off(self._failures, self.chance())
        self.observe(Reconnecting(reason, delay))
        time.sleep(delay)
