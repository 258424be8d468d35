"""Ends a user's sign-ins: tokens issued before count no longer, answers stop, open connections are closed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from msgspec import Struct

from cicada.conversation.delivery import send_last_frame
from cicada.conversation.model import Connection, RequestKey, Usage
from cicada.conversation.ports import Channel, ConnectionTable, RequestLog, UsageTable
from cicada.errors import DependencyError, SignedOutError
from cicada.identity import Principal

# A token says in whole seconds when it was issued, and so does the issuer when it ended the sign-ins: one token of that
# second may be older, another newer. A second more allows for the difference between the issuer's clocks.
_MARGIN_SECONDS = 2
# After this time the list of connections has those opened at the same moment, and the request log the questions.
_SECOND_LOOK_SECONDS = 2.0
# Longer than any access token: Cognito issues none for more than a day.
_KEPT_SECONDS = 2 * 24 * 3600


class Revoker(Struct, frozen=True):
    """`sleep` takes seconds."""

    users: UsageTable
    connections: ConnectionTable
    channel: Channel
    log: RequestLog
    sleep: Callable[[float], object]

    def revoke(self, principal: Principal, ended_at: float) -> int:
        """End what the user has open; how many connections were closed.

        `ended_at`: when the issuer of the tokens ended the sign-ins, by its own clock. A token that is issued two
        seconds later is good. Raises `DependencyError` if something may be left open: then repeat the call.
        """
        before = math.floor(ended_at) + _MARGIN_SECONDS
        self.users.revoke(principal, before, before + _KEPT_SECONDS)
        closed = self._end(principal, before)
        self.sleep(_SECOND_LOOK_SECONDS)
        return len(closed | self._end(principal, before))

    def _end(self, principal: Principal, before: float) -> set[str]:
        """Cancel the answers and close the connections; the ids of these."""
        for request_id, admitted_at in self.users.get(principal).admitted.items():
            if admitted_at < before:
                self._cancel(RequestKey(principal, request_id))
        old = [each.connection_id for each in self.connections.of(principal) if each.token_issued_at < before]
        self._close_all(old)
        return set(old)

    def _close_all(self, connection_ids: Iterable[str]) -> None:
        """Close all connections; one that cannot be closed leaves no other open."""
        failures = []
        for connection_id in connection_ids:
            try:
                self._close(connection_id)
            except DependencyError as error:
                failures.append(error)
        if failures:
            raise failures[0]

    def _cancel(self, key: RequestKey) -> None:
        head = self.log.head(key)
        if head and not head.status.final:
            self.log.request_cancel(key)

    def _close(self, connection_id: str) -> None:
        send_last_frame(connection_id, _signed_out(), self.channel)
        self.connections.remove(connection_id)


def check_signed_in(connection: Connection, usage: Usage) -> None:
    """Raises `SignedOutError` if the connection's token was revoked, by the user's row."""
    if connection.token_issued_at < usage.revoked_before:
        raise _signed_out()


def _signed_out() -> SignedOutError:
    return SignedOutError("You were signed out on all devices; sign in again.")
