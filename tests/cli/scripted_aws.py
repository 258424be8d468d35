"""An AWS account whose replies are scripted, each checked against botocore's models of the services."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from botocore.client import BaseClient
from botocore.exceptions import ClientError
from botocore.validate import validate_parameters

Reply = Any
Call = tuple[str, str]


def refusal(code: str, message: str = "", operation: str = "Operation") -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": message}}, operation)


@dataclass
class ScriptedAws:
    """An account whose replies are scripted. An operation without a reply is refused with `missing`.

    `replies`: by service and operation, as `("sts", "GetCallerIdentity")`, a reply, an exception, or a function of the
    parameters that gives one of them. `regions`: where each operation was called the last time.
    """

    replies: dict[Call, Reply] = field(default_factory=dict)
    missing: Exception | None = None
    calls: list[tuple[str, str, Mapping[str, Any]]] = field(default_factory=list)
    regions: dict[str, str] = field(default_factory=dict)

    def called(self, operation: str) -> list[Mapping[str, Any]]:
        """The parameters of each call of the operation."""
        return [parameters for _, name, parameters in self.calls if name == operation]

    def answer(self, client: BaseClient, operation: str, parameters: Mapping[str, Any]) -> Any:
        service = client.meta.service_model.service_name
        model = client.meta.service_model.operation_model(operation)
        if model.input_shape is not None:
            validate_parameters(parameters, model.input_shape)
        self.calls.append((service, operation, parameters))
        self.regions[operation] = client.meta.region_name
        reply = self.replies.get((service, operation), self.missing)
        if callable(reply):
            reply = reply(parameters)
        if isinstance(reply, Exception):
            raise reply
        assert reply is not None, f"nothing is scripted for {service} {operation} {parameters}"
        if model.output_shape is not None:
            validate_parameters(reply, model.output_shape)
        return reply


@pytest.fixture
def aws_account(monkeypatch: pytest.MonkeyPatch) -> ScriptedAws:
    """Every client of this process is answered by it."""
    account = ScriptedAws()
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    monkeypatch.setattr(
        BaseClient,
        "_make_api_call",
        lambda client, operation, parameters: account.answer(client, operation, parameters),
    )
    return account
