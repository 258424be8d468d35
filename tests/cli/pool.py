"""A stack on AWS with a user pool and the tables of the conversation, as the CDK app declares it, in moto."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import boto3
import pytest
from joserfc.jwk import RSAKey
from moto import mock_aws
from moto.cognitoidp.exceptions import NotAuthorizedError
from moto.cognitoidp.models import CognitoIdpBackend
from moto.cognitoidp.responses import CognitoIdpResponse
from moto.core.exceptions import JsonRESTError
from moto.core.responses import ActionResult
from moto.utilities.utils import load_resource

from tests.contract import connections_table, requests_table
from tests.contract.declared import create_table
from tests.fakes.srp_server import SrpServer

REGION = "eu-central-1"
STACK = "Cicada-dev"


@dataclass(frozen=True)
class DeployedPool:
    """`cognito` is an administrator's client."""

    cognito: Any
    pool_id: str
    client_id: str
    default_tenant: str = ""

    def outputs(self, url: str) -> dict[str, str]:
        default = {"DefaultTenant": self.default_tenant} if self.default_tenant else {}
        pool = {"UserPoolId": self.pool_id, "UserPoolClientId": self.client_id, "WebSocketUrl": url}
        tables = {"RequestsTable": requests_table.TABLE, "ConnectionsTable": connections_table.TABLE}
        return pool | tables | {"CallbackUrl": f"https://abc.execute-api.{REGION}.amazonaws.com/v1"} | default

    def groups_of(self, user: str) -> set[str]:
        found = self.cognito.admin_list_groups_for_user(UserPoolId=self.pool_id, Username=user)["Groups"]
        return {group["GroupName"] for group in found}

    def sign_in(self, user: str, password: str) -> Any:
        """What Cognito replies to the password: tokens, or a challenge."""
        return self.cognito.initiate_auth(
            AuthFlow="USER_PASSWORD_AUTH",
            ClientId=self.client_id,
            AuthParameters={"USERNAME": user, "PASSWORD": password},
        )

    def users(self) -> set[str]:
        return {user["Username"] for user in self.cognito.list_users(UserPoolId=self.pool_id)["Users"]}

    def groups(self) -> set[str]:
        return {group["GroupName"] for group in self.cognito.list_groups(UserPoolId=self.pool_id)["Groups"]}


@cache
def _signing_key() -> RSAKey:
    """The one key that moto signs with: it takes a sixth of a second to import, for every pool anew."""
    return RSAKey.import_key(load_resource("cognitoidp/resources/jwks-private.json"))


@contextmanager
def _proofs_are_checked() -> Iterator[None]:
    """Here moto takes any proof of a password, and knows no GetTokensFromRefreshToken: both as Cognito has them."""
    server = SrpServer("")
    began, responded = CognitoIdpBackend.initiate_auth, CognitoIdpBackend.respond_to_auth_challenge

    def begin(self: Any, client_id: str, auth_flow: str, auth_parameters: dict[str, str]) -> Any:
        reply = began(self, client_id, auth_flow, auth_parameters)
        if auth_flow != "USER_SRP_AUTH":
            return reply
        session = reply["Session"]
        name, pool = self.sessions[session]
        server.pool_id = pool.id
        password = self.admin_get_user(pool.id, name).password
        asked = server.challenge(name, password, auth_parameters["SRP_A"], block=session)
        return {"ChallengeName": reply["ChallengeName"], "ChallengeParameters": asked}

    def respond(self: Any, session: str, client_id: str, challenge_name: str, challenge_responses: Any) -> Any:
        if challenge_name == "PASSWORD_VERIFIER" and not server.proven(challenge_responses):
            raise NotAuthorizedError("Incorrect username or password.")
        return responded(self, session, client_id, challenge_name, challenge_responses)

    key = _signing_key()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RSAKey, "import_key", lambda _: key)
        patch.setattr(CognitoIdpBackend, "initiate_auth", begin)
        patch.setattr(CognitoIdpBackend, "respond_to_auth_challenge", respond)
        patch.setattr(CognitoIdpResponse, "get_tokens_from_refresh_token", _rotated, raising=False)
        yield


def _rotated(self: Any) -> ActionResult:
    """Fresh tokens for a refresh token, which ends."""
    backend, used = self.backend, self._get_param("RefreshToken")
    pool = next((each for each in backend.user_pools.values() if used in each.refresh_tokens), None)
    if pool is None:
        raise NotAuthorizedError("Invalid Refresh Token")
    if pool.refresh_tokens[used] is None:
        raise JsonRESTError("RefreshTokenReuseException", "Refresh token has been invalidated by rotation")
    access_token, id_token, expires_in = pool.create_tokens_from_refresh_token(used)
    client_id, username, _ = pool.refresh_tokens[used]
    pool.refresh_tokens[used] = None
    renewed, _ = pool.create_refresh_token(client_id, username)
    tokens = {"AccessToken": access_token, "IdToken": id_token, "RefreshToken": renewed, "ExpiresIn": expires_in}
    return ActionResult({"AuthenticationResult": tokens})


@contextmanager
def deployed_pool(default_tenant: str = "") -> Iterator[DeployedPool]:
    with mock_aws(), _proofs_are_checked():
        cognito: Any = boto3.client("cognito-idp", region_name=REGION)
        policy = {"MinimumLength": 12} | {f"Require{kind}": True for kind in ("Lowercase", "Uppercase", "Numbers")}
        policy |= {"RequireSymbols": True}
        pool_id = cognito.create_user_pool(PoolName="users", Policies={"PasswordPolicy": policy})["UserPool"]["Id"]
        flows = ["ALLOW_USER_SRP_AUTH"]
        client = cognito.create_user_pool_client(UserPoolId=pool_id, ClientName="chat", ExplicitAuthFlows=flows)
        database: Any = boto3.client("dynamodb", region_name=REGION)
        for table in (requests_table.TABLE, connections_table.TABLE):
            create_table(database, table)
        yield DeployedPool(cognito, pool_id, client["UserPoolClient"]["ClientId"], default_tenant)
