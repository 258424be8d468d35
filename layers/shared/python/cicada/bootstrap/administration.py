"""Wires what administrators do with accounts, and what they read of their tenant."""

from __future__ import annotations

import time
from functools import cache

from cicada.adapters.cognito_users import CognitoUsers
from cicada.adapters.dynamodb.noted_requests import DynamoNotedRequests
from cicada.adapters.dynamodb.token_counter import DynamoTokenCounter
from cicada.bootstrap.audit import record_audit
from cicada.bootstrap.aws import client, connection_endpoint, database
from cicada.bootstrap.command_guard import command_guard
from cicada.bootstrap.revocation import revoker
from cicada.conversation.administration import Administration
from cicada.conversation.tenant_reports import TenantReports, TokenPrices
from cicada.settings import AdministrationSettings, ConnectionSettings, load


@cache
def administration() -> Administration:
    """Cached for the life of the container."""
    settings, tables = load(AdministrationSettings), database()
    endpoint = connection_endpoint(settings.callback_url)
    return Administration(
        CognitoUsers(client("cognito-idp"), settings.user_pool_id),
        _reports(settings),
        revoker(tables, endpoint, settings.requests_table, load(ConnectionSettings).connections_table),
        settings.administrators,
        settings.default_tenant,
        # Cognito names the group of a provider's users so.
        f"{settings.user_pool_id}_",
        command_guard().limits.spend,
        record_audit,
        time.time,
    )


def _reports(settings: AdministrationSettings) -> TenantReports:
    prices = TokenPrices(settings.read_dollars, settings.written_dollars, settings.prices_of)
    return TenantReports(
        DynamoTokenCounter(database(), settings.requests_table),
        DynamoNotedRequests(database(), settings.requests_table, time.time),
        time.time,
        settings.tenant_tokens_per_day,
        prices if settings.prices_of else None,
    )
