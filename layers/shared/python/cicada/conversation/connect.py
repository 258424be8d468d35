"""The identity behind a connection, and its expiry."""

from __future__ import annotations

from cicada.conversation.model import Connection
from cicada.conversation.ports import ConnectionTable
from cicada.errors import NotConnectedError, TokenExpiredError


def identify(connection_id: str, table: ConnectionTable, now: float) -> Connection:
    """The connection's row. `NotConnectedError` if there is none, `TokenExpiredError` once its token has expired."""
    connection = table.get(connection_id)
    if connection is None:
        raise NotConnectedError("This connection is not known any more; connect again.")
    if connection.token_expires_at <= now:
        raise TokenExpiredError("Your access token has expired; connect again with a fresh one.")
    return connection
