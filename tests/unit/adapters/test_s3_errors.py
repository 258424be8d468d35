from __future__ import annotations

import pytest
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    IncompleteReadError,
    NoCredentialsError,
    ReadTimeoutError,
)

from cicada.adapters.aws_errors import s3_errors
from cicada.errors import CicadaError, ConfigurationError, ThrottledError, UnavailableError


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("SlowDown", ThrottledError),
        ("ThrottlingException", ThrottledError),
        ("503", ThrottledError),
        ("AccessDenied", ConfigurationError),
        ("NoSuchBucket", ConfigurationError),
        ("PermanentRedirect", ConfigurationError),
        ("InternalError", UnavailableError),
        ("500", UnavailableError),
        ("", UnavailableError),
    ],
)
def test_each_refusal_has_its_branch_and_keeps_its_cause(code: str, expected: type[CicadaError]) -> None:
    cause = ClientError({"Error": {"Code": code, "Message": "secret"}}, "GetObject")
    with pytest.raises(CicadaError) as failure, s3_errors():
        raise cause
    assert type(failure.value) is expected
    assert failure.value.__cause__ is cause
    assert "secret" not in str(failure.value)


def test_that_an_object_is_not_there_is_no_failure() -> None:
    with pytest.raises(ClientError), s3_errors():
        raise ClientError({"Error": {"Code": "NoSuchKey"}}, "GetObject")


@pytest.mark.parametrize(
    "cause",
    [
        ConnectTimeoutError(endpoint_url="http://127.0.0.1"),
        ReadTimeoutError(endpoint_url="http://127.0.0.1"),
        IncompleteReadError(actual_bytes=1, expected_bytes=2),
    ],
    ids=lambda cause: type(cause).__name__,
)
def test_a_store_that_breaks_off_is_unavailable(cause: BotoCoreError) -> None:
    with pytest.raises(UnavailableError), s3_errors():
        raise cause


def test_a_function_without_a_role_is_a_mistake_of_the_deployment() -> None:
    with pytest.raises(ConfigurationError), s3_errors():
        raise NoCredentialsError
