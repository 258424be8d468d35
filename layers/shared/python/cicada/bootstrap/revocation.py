"""Wires the end of a user's sign-ins, for the function and for operators."""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from cicada.adapters.api_gateway_channel import ApiGatewayChannel
from cicada.adapters.cognito_sign_ins import CognitoSignIns
from cicada.adapters.dynamodb.connection_table import DynamoConnectionTable
from cicada.adapters.dynamodb.request_log import DynamoRequestLog
from cicada.adapters.dynamodb.usage_table import DynamoUsageTable
from cicada.bootstrap.aws import client, connection_endpoint, database
from cicada.conversation.revocation import Revoker
from cicada.identity import Principal, SignIns
from cicada.settings import ConnectionSettings, SignOutSettings, load

if TYPE_CHECKING:
    from mypy_boto3_apigatewaymanagementapi import ApiGatewayManagementApiClient
    from mypy_boto3_dynamodb import DynamoDBClient


class SignOut(Struct, frozen=True):
    """Ends the sign-ins first: what is revoked must not be renewed."""

    sign_ins: SignIns
    revoker: Revoker

    def everywhere(self, principal: Principal) -> None:
        self.revoker.revoke(principal, self.sign_ins.end(principal))


@cache
def sign_out() -> SignOut:
    """Cached for the life of the container."""
    settings, connections = load(SignOutSettings), load(ConnectionSettings).connections_table
    endpoint = connection_endpoint(settings.callback_url)
    pool = CognitoSignIns(client("cognito-idp"), settings.user_pool_id)
    return SignOut(pool, revoker(database(), endpoint, settings.requests_table, connections))


def revoker(
    dynamodb: DynamoDBClient, endpoint: ApiGatewayManagementApiClient, requests_table: str, connections_table: str
) -> Revoker:
    """The names are those of the stack's outputs; `endpoint` is a client of the output CallbackUrl."""
    return Revoker(
        DynamoUsageTable(dynamodb, requests_table),
        DynamoConnectionTable(dynamodb, connections_table),
        ApiGatewayChannel(endpoint),
        DynamoRequestLog(dynamodb, requests_table, time.time),
        time.sleep,
    )
