"""A stack on AWS with a user pool, as the CDK app declares it, in moto."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import boto3
from moto import mock_aws

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
        return {"UserPoolId": self.pool_id, "UserPoolClientId": self.client_id, "WebSocketUrl": url} | default

    def groups_of(self, user: str) -> set[str]:
        found = self.cognito.admin_list_groups_for_user(UserPoolId=self.pool_id, Username=user)["Groups"]
        return {group["GroupName"] for group in found}

    def users(self) -> set[str]:
        return {user["Username"] for user in self.cognito.list_users(UserPoolId=self.pool_id)["Users"]}

    def groups(self) -> set[str]:
        return {group["GroupName"] for group in self.cognito.list_groups(UserPoolId=self.pool_id)["Groups"]}


@contextmanager
def deployed_pool(default_tenant: str = "") -> Iterator[DeployedPool]:
    with mock_aws():
        cognito: Any = boto3.client("cognito-idp", region_name=REGION)
        policy = {"MinimumLength": 12} | {f"Require{kind}": True for kind in ("Lowercase", "Uppercase", "Numbers")}
        policy |= {"RequireSymbols": True}
        pool_id = cognito.create_user_pool(PoolName="users", Policies={"PasswordPolicy": policy})["UserPool"]["Id"]
        flows = ["ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"]
        client = cognito.create_user_pool_client(UserPoolId=pool_id, ClientName="chat", ExplicitAuthFlows=flows)
        yield DeployedPool(cognito, pool_id, client["UserPoolClient"]["ClientId"], default_tenant)
