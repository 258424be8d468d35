"""The way of a frame into the service: its connection, its cost, and its command."""

from __future__ import annotations

from collections.abc import Callable, Set
from contextlib import suppress

from msgspec import Struct

from cicada.conversation.delivery import send_last_frame
from cicada.conversation.limits import CONNECTION, REFUSED_FRAME, UsageLimits, entry_cost
from cicada.conversation.model import Connection, Usage
from cicada.conversation.ports import Channel, ConnectionTable
from cicada.conversation.protocol import AnyCommand, SendMessage, SignOutEverywhere, parse_command
from cicada.conversation.revocation import check_signed_in
from cicada.errors import (
    CicadaError,
    DependencyError,
    FloodError,
    InvalidFrameError,
    NotConnectedError,
    SignedOutError,
    TokenExpiredError,
    TooManyConnectionsError,
)
from cicada.identity import Principal


class CommandGuard(Struct, frozen=True):
    """The guard of all connections and commands: each is charged to its user, also a command that cannot be read."""

    connections: ConnectionTable
    limits: UsageLimits
    channel: Channel
    clock: Callable[[], float]
    connections_per_user: int = 10

    def open(self, connection: Connection, expires_at: float) -> None:
        """Keep the connection until it closes. If its user has too many, the oldest idle ones are closed.

        A connection on which an answer is awaited is not idle: it is closed only where all others are not idle either.
        A new one is never refused for their number, because the old ones may be dead without anybody's knowledge.
        Raises `LimitExceededError` for a user who connects too often, `SignedOutError` for a revoked token.
        """
        usage = self.limits.enter(connection.principal, CONNECTION)
        # Whoever revokes the token between this and the next line finds the connection at the second look.
        check_signed_in(connection, usage)
        self.connections.add(connection, expires_at)
        others = [
            each for each in self.connections.of(connection.principal) if each.connection_id != connection.connection_id
        ]
        excess = len(others) + 1 - self.connections_per_user
        if excess > 0:
            self._close_some(others, self.limits.awaited_on(connection.principal, usage), excess)

    def _close_some(self, oldest_first: list[Connection], awaited: Set[str], number: int) -> None:
        """The sort is stable."""
        idle_first = sorted(oldest_first, key=lambda each: each.connection_id in awaited)
        reason = TooManyConnectionsError(
            f"You have more than {self.connections_per_user} connections open; this one was closed for a newer one."
        )
        for each in idle_first[:number]:
            self._close(each.connection_id, reason)

    def enter(self, connection_id: str, body: str) -> tuple[AnyCommand, Connection]:
        """The command, and the connection that it came on.

        Raises `NotConnectedError`, `LimitExceededError`, `SignedOutError`, `TokenExpiredError` and `InvalidFrameError`.
        The connection of a user who is flooding or signed out is closed, with the reason in its last frame; so is one
        that is not known, because nobody can be charged for its frames.
        """
        connection = self._known(connection_id)
        command = _parsed(body)
        try:
            check_signed_in(connection, self._charge(connection.principal, command))
        except (FloodError, SignedOutError) as error:
            self._close(connection_id, error)
            raise
        if connection.token_expires_at <= self.clock():
            raise TokenExpiredError("Your access token has expired; connect again with a fresh one.")
        if isinstance(command, InvalidFrameError):
            raise command
        return command, connection

    def _known(self, connection_id: str) -> Connection:
        connection = self.connections.get(connection_id)
        if connection is None:
            error = NotConnectedError("This connection is not known any more; connect again.")
            with suppress(DependencyError):
                send_last_frame(connection_id, error, self.channel)
            raise error
        return connection

    def _charge(self, principal: Principal, command: AnyCommand | InvalidFrameError) -> Usage:
        """A flood of a stolen token's holder does not keep the owner from ending it."""
        cost = REFUSED_FRAME if isinstance(command, InvalidFrameError) else entry_cost(command)
        if isinstance(command, SignOutEverywhere):
            return self.limits.enter_anyhow(principal, cost)
        return self.limits.enter(principal, cost, asks=isinstance(command, SendMessage))

    def _close(self, connection_id: str, reason: CicadaError) -> None:
        """Send the reason as the connection's last frame, close it and forget it.

        A failure of the channel is none of the caller's: the connection is forgotten, so that its commands are refused.
        """
        self.connections.remove(connection_id)
        with suppress(DependencyError):
            send_last_frame(connection_id, reason, self.channel)


def _parsed(body: str) -> AnyCommand | InvalidFrameError:
    """What is wrong with a frame is said after it is charged."""
    try:
        return parse_command(body)
    except InvalidFrameError as error:
        return error
