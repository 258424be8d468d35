"""Wires what every command passes."""

from __future__ import annotations

import time
from functools import cache

from cicada.adapters.api_gateway_channel import ApiGatewayChannel
from cicada.adapters.dynamodb.request_log import DynamoRequestLog
from cicada.adapters.dynamodb.usage_table import DynamoUsageTable
from cicada.bootstrap.aws import connection_endpoint, database
from cicada.bootstrap.connections import connections
from cicada.conversation.command_guard import CommandGuard
from cicada.conversation.limits import UsageLimits
from cicada.settings import CommandGuardSettings, load


@cache
def command_guard() -> CommandGuard:
    """Cached for the life of the container."""
    settings = load(CommandGuardSettings)
    tables = database()
    limits = UsageLimits(
        DynamoUsageTable(tables, settings.requests_table),
        DynamoRequestLog(tables, settings.requests_table, time.time),
        time.time,
        settings.messages_per_minute,
        settings.requests_in_flight,
        settings.commands_per_minute,
    )
    channel = ApiGatewayChannel(connection_endpoint(settings.callback_url))
    return CommandGuard(connections(), limits, channel, time.time, settings.connections_per_user)
