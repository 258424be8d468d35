"""The sample users of the local stage, in a user pool."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws

from local.stage import users
from local.stage.private_file import write_private
from local.stage.settings import StageConfig


@pytest.fixture
def cognito(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """User pools in memory, which the stage uses."""
    with mock_aws():
        client = boto3.client("cognito-idp", region_name="us-east-1")
        monkeypatch.setattr(users, "aws_client", lambda config, service: client)
        yield client


def test_every_sample_user_is_told_with_the_id_that_lists_of_viewers_name(cognito: Any, tmp_path: Path) -> None:
    config = StageConfig(tmp_path, 1, 2, 3, 4, "embedded", "")
    pool_id = cognito.create_user_pool(PoolName="users")["UserPool"]["Id"]
    made = users.ensure_users(config, pool_id)
    listed = cognito.list_users(UserPoolId=pool_id)["Users"]
    attributes = {user["Username"]: {each["Name"]: each["Value"] for each in user["Attributes"]} for user in listed}
    assert {user["name"]: user["sub"] for user in made} == {name: each["sub"] for name, each in attributes.items()}
    assert [user["name"] for user in made] == ["alice", "bob"]
    for group in ("editors", "administrators"):
        members = cognito.list_users_in_group(UserPoolId=pool_id, GroupName=group)["Users"]
        assert [user["Username"] for user in members] == ["alice"]
    # Users that are there stay as they are.
    assert users.ensure_users(config, pool_id) == made


def test_passwords_are_random_for_each_stage_and_only_the_owner_reads_them(cognito: Any, tmp_path: Path) -> None:
    known: set[str] = set()
    for name in ("one", "another"):
        folder = tmp_path / name
        folder.mkdir()
        pool_id = cognito.create_user_pool(PoolName=name)["UserPool"]["Id"]
        made = users.ensure_users(StageConfig(folder, 1, 2, 3, 4, "embedded", ""), pool_id)
        known |= {user["password"] for user in made}
        with_passwords = [file for file in folder.rglob("*") if any(each in file.read_text() for each in known)]
        assert [stat.S_IMODE(file.stat().st_mode) for file in with_passwords] == [0o600]
    assert len(known) == 4


def test_the_files_of_the_stage_that_have_passwords_are_the_owners_alone(tmp_path: Path) -> None:
    file = tmp_path / "stage.json"
    file.write_text("of an earlier version")
    file.chmod(0o644)
    write_private(file, "secret")
    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == ("secret", 0o600)
