"""The identity behind a connection, and its expiry."""

from __future__ import annotations

from cicada.conversation.model import Connection
from cicada.conversation.ports import ConnectionTable
from cicada.errors import NotConnectedError, TokenExpiredError


def known(connection_id: str, table: ConnectionTable) -> Connection:
    """The connection's row. `NotConnectedError` if there is none."""
    connection = table.get(connection_id)
    if connection is None:
        raise NotConnectedError("This connection is not known any more; connect again.")
    return connection


def check_token(connection: Connection, now: float) -> None:
    """Raises `TokenExpiredError` once the connection's token has expired."""
    if connection.token_expires_at <= now:
        raise TokenExpiredError("Your access token has expired; connect again with a fresh one.")
