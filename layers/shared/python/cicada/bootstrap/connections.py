"""Wires the table of open connections, the only dependency of `$connect` and `$disconnect`."""

from __future__ import annotations

from functools import cache

from cicada.adapters.dynamodb.connection_table import DynamoConnectionTable
from cicada.bootstrap.aws import database
from cicada.conversation.ports import ConnectionTable
from cicada.settings import ConnectionSettings, load


@cache
def connections() -> ConnectionTable:
    """Cached for the life of the container."""
    return DynamoConnectionTable(database(), load(ConnectionSettings).connections_table)
