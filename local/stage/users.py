"""The sample users of the local stage, each with a random password of this stage."""

from __future__ import annotations

import json
import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

from local.stage.aws import aws_client
from local.stage.private_file import write_private
from local.stage.settings import StageConfig

if TYPE_CHECKING:
    from mypy_boto3_cognito_idp import CognitoIdentityProviderClient

SAMPLE_USERS = ("alice", "bob")
# Groups as `infra/settings.py` has them for the local stage, and who of the users is in them.
GROUPS, MEMBER = ("editors", "administrators"), "alice"


def ensure_users(config: StageConfig, pool_id: str) -> list[dict[str, str]]:
    """Create missing users, with their passwords; returns `name`, `password` and `sub` of every user.

    `sub` is the user's id in access tokens, and in the access list of a document.
    """
    client: CognitoIdentityProviderClient = aws_client(config, "cognito-idp")
    passwords = _passwords(config)
    for name, password in passwords.items():
        with suppress(client.exceptions.UsernameExistsException):
            client.admin_create_user(UserPoolId=pool_id, Username=name, MessageAction="SUPPRESS")
        # The password is set for an existing user too: after a crash the emulator has an older state than the file.
        client.admin_set_user_password(UserPoolId=pool_id, Username=name, Password=password, Permanent=True)
    for group in GROUPS:
        with suppress(client.exceptions.GroupExistsException):
            client.create_group(UserPoolId=pool_id, GroupName=group)
        client.admin_add_user_to_group(UserPoolId=pool_id, Username=MEMBER, GroupName=group)
    return [
        {"name": name, "password": password, "sub": _sub(client, pool_id, name)} for name, password in passwords.items()
    ]


def _passwords(config: StageConfig) -> dict[str, str]:
    """Drawn at the first start, and kept in a file that only its owner can read."""
    file = config.folder / "passwords.json"
    if file.exists():
        kept: dict[str, str] = json.loads(file.read_text("utf-8"))
        return kept
    drawn = {name: _random_password(name) for name in SAMPLE_USERS}
    write_private(file, json.dumps(drawn))
    return drawn


def _random_password(name: str) -> str:
    """A password of 96 random bits, with a character of each kind that the user pool asks for."""
    return f"{name.capitalize()}-{secrets.token_urlsafe(12)}-1"


def _sub(client: CognitoIdentityProviderClient, pool_id: str, name: str) -> str:
    attributes = client.admin_get_user(UserPoolId=pool_id, Username=name)["UserAttributes"]
    return next(each["Value"] for each in attributes if each["Name"] == "sub")
