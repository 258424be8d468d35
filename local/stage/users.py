"""The sample users of the local stage."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from local.stage.aws import aws_client
from local.stage.settings import StageConfig

if TYPE_CHECKING:
    from mypy_boto3_cognito_idp import CognitoIdentityProviderClient


@dataclass(frozen=True, slots=True)
class SampleUser:
    """Publicly known credentials, valid in the emulator only."""

    name: str
    password: str


SAMPLE_USERS = (SampleUser("alice", "Alice-of-the-local-stage-1"), SampleUser("bob", "Bob-of-the-local-stage-2"))


def ensure_users(config: StageConfig, pool_id: str) -> list[dict[str, str]]:
    """Create missing users, with their passwords; returns `name`, `password` and `sub` of every user.

    `sub` is the user's id in access tokens, and in a document's list of readers.
    """
    client: CognitoIdentityProviderClient = aws_client(config, "cognito-idp")
    for user in SAMPLE_USERS:
        try:
            client.admin_create_user(UserPoolId=pool_id, Username=user.name, MessageAction="SUPPRESS")
        except client.exceptions.UsernameExistsException:
            continue
        client.admin_set_user_password(UserPoolId=pool_id, Username=user.name, Password=user.password, Permanent=True)
    return [asdict(user) | {"sub": _sub(client, pool_id, user)} for user in SAMPLE_USERS]


def _sub(client: CognitoIdentityProviderClient, pool_id: str, user: SampleUser) -> str:
    attributes = client.admin_get_user(UserPoolId=pool_id, Username=user.name)["UserAttributes"]
    return next(each["Value"] for each in attributes if each["Name"] == "sub")
