"""Who is on a connection, and for how long that holds."""

from __future__ import annotations

from cicada.conversation.model import Connection
from cicada.conversation.ports import ConnectionTable
from cicada.errors import NotConnected, TokenExpired


def identify(connection_id: str, table: ConnectionTable, now: float) -> Connection:
    """The connection's row. `NotConnected` if there is none, `TokenExpired` once its access token has run out."""
    connection = table.get(connection_id)
    if connection is None:
        raise NotConnected("This connection is not known any more; connect again.")
    if connection.token_expires_at <= now:
        raise TokenExpired("Your access token has expired; connect again with a fresh one.")
    return connection
