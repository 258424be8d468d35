"""The local stage, deployed once for all tests that talk to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import boto3
import pytest

from evals.chaos.database import Database
from evals.own_stage import disturbable
from local.stage.settings import StageConfig


@dataclass(frozen=True)
class Deployed:
    """The running stage: what it says about itself, and its users' tokens."""

    config: StageConfig
    info: dict[str, Any]
    database: Database

    def token(self, user: str) -> str:
        password = next(each["password"] for each in self.info["users"] if each["name"] == user)
        reply = self.client("cognito-idp").initiate_auth(
            AuthFlow="USER_PASSWORD_AUTH",
            ClientId=self.info["clientId"],
            AuthParameters={"USERNAME": user, "PASSWORD": password},
        )
        return str(reply["AuthenticationResult"]["AccessToken"])

    def client(self, service: str) -> Any:
        return boto3.client(
            service,  # type: ignore[call-overload]
            endpoint_url=self.info["endpointUrl"],
            region_name=self.info["region"],
            aws_access_key_id="test",
            aws_secret_access_key="test",
        )


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployed]:
    with disturbable(tmp_path_factory.mktemp("stage"), print) as target:
        yield Deployed(target.config, target.info, target.database)
