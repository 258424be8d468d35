from __future__ import annotations

from typing import Any

import boto3
import pytest
from botocore.stub import Stubber

from cicada.adapters.cognito_sign_ins import CognitoSignIns
from cicada.errors import CicadaError, ConfigurationError, ThrottledError, UnavailableError
from cicada.identity import Principal

OPERATION = "admin_user_global_sign_out"
ANN = Principal("acme", "sub-of-ann", login="ann")
DATE = {"HTTPHeaders": {"date": "Fri, 15 Jan 2027 08:00:00 GMT"}}
MOMENT = 1_800_000_000


@pytest.fixture
def stub() -> Stubber:
    client = boto3.client("cognito-idp", region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x")
    return Stubber(client)


def sign_ins(stub: Any) -> CognitoSignIns:
    return CognitoSignIns(stub.client, "us-east-1_Pool")


@pytest.mark.parametrize(
    ("principal", "name"), [(ANN, "ann"), (Principal("acme", "sub-of-ann"), "sub-of-ann")], ids=["login", "sub alone"]
)
def test_when_the_sign_ins_ended_is_told_by_cognitos_clock(stub: Stubber, principal: Principal, name: str) -> None:
    stub.add_response(OPERATION, {"ResponseMetadata": DATE}, {"UserPoolId": "us-east-1_Pool", "Username": name})
    with stub:
        assert sign_ins(stub).end(principal) == MOMENT


def test_an_account_that_exists_no_longer_has_no_sign_ins(stub: Stubber) -> None:
    stub.add_client_error(OPERATION, "UserNotFoundException", response_meta=DATE)
    with stub:
        assert sign_ins(stub).end(ANN) == MOMENT


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("TooManyRequestsException", ThrottledError),
        ("AccessDeniedException", ConfigurationError),
        ("InternalErrorException", UnavailableError),
    ],
)
def test_a_failure_is_one_of_ours(stub: Stubber, code: str, kind: type[CicadaError]) -> None:
    stub.add_client_error(OPERATION, code)
    with stub, pytest.raises(kind):
        sign_ins(stub).end(ANN)
