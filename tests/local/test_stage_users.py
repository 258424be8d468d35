"""The sample users of the local stage, in a user pool."""

from __future__ import annotations

from pathlib import Path

import boto3
import pytest
from moto import mock_aws

from local.stage import users
from local.stage.settings import StageConfig


def test_every_sample_user_is_told_with_the_id_that_lists_of_readers_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    config = StageConfig(tmp_path, 1, 2, 3, 4, "embedded", "")
    with mock_aws():
        client = boto3.client("cognito-idp", region_name="us-east-1")
        monkeypatch.setattr(users, "aws_client", lambda config, service: client)
        pool_id = client.create_user_pool(PoolName="users")["UserPool"]["Id"]
        made = users.ensure_users(config, pool_id)
        listed = client.list_users(UserPoolId=pool_id)["Users"]
        subs = {
            user["Username"]: attribute["Value"]
            for user in listed
            for attribute in user["Attributes"]
            if attribute["Name"] == "sub"
        }
        assert {user["name"]: user["sub"] for user in made} == subs
        assert [user["name"] for user in made] == ["alice", "bob"]
        # Those that are there stay as they are.
        assert users.ensure_users(config, pool_id) == made
