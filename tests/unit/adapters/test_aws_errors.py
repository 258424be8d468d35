"""Errors of AWS services as the library's own, and calls that are made again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from botocore.exceptions import (
    ClientError,
    ConnectTimeoutError,
    IncompleteReadError,
    NoCredentialsError,
    ReadTimeoutError,
)

from cicada.adapters.aws_errors import Retry, dynamo_errors, s3_errors
from cicada.adapters.dynamodb.entry_store import DynamoEntryStore
from cicada.agents.model import AgentKind, EntryScope
from cicada.errors import (
    CicadaError,
    ConfigurationError,
    LeaseLostError,
    StreamBrokenError,
    ThrottledError,
    UnavailableError,
)
from cicada.identity import Principal
from tests.contract.entries_table import entries_table
from tests.fakes.clock import Clock

Translation = Callable[[], AbstractContextManager[None]]


@pytest.mark.parametrize(
    ("errors", "code", "expected"),
    [
        (dynamo_errors, "ProvisionedThroughputExceededException", ThrottledError),
        (dynamo_errors, "ThrottlingException", ThrottledError),
        (dynamo_errors, "Throttling", ThrottledError),
        (dynamo_errors, "RequestLimitExceeded", ThrottledError),
        (dynamo_errors, "ResourceNotFoundException", ConfigurationError),
        (dynamo_errors, "AccessDeniedException", ConfigurationError),
        (dynamo_errors, "ValidationException", ConfigurationError),
        (dynamo_errors, "InternalServerError", UnavailableError),
        (dynamo_errors, "TransactionCanceledException", UnavailableError),
        (s3_errors, "SlowDown", ThrottledError),
        (s3_errors, "ThrottlingException", ThrottledError),
        (s3_errors, "503", ThrottledError),
        (s3_errors, "AccessDenied", ConfigurationError),
        (s3_errors, "NoSuchBucket", ConfigurationError),
        (s3_errors, "PermanentRedirect", ConfigurationError),
        (s3_errors, "InternalError", UnavailableError),
        (s3_errors, "500", UnavailableError),
        (s3_errors, "", UnavailableError),
    ],
)
def test_each_refusal_has_its_branch_and_keeps_its_cause(
    errors: Translation, code: str, expected: type[CicadaError]
) -> None:
    cause = ClientError({"Error": {"Code": code, "Message": "key ann#secret"}}, "PutItem")
    with pytest.raises(CicadaError) as failure, errors():
        raise cause
    assert (type(failure.value), failure.value.__cause__) == (expected, cause)
    assert "secret" not in str(failure.value)


@pytest.mark.parametrize(
    ("errors", "cause", "expected"),
    [
        (dynamo_errors, ConnectTimeoutError(endpoint_url="http://127.0.0.1"), UnavailableError),
        (s3_errors, ConnectTimeoutError(endpoint_url="http://127.0.0.1"), UnavailableError),
        (s3_errors, ReadTimeoutError(endpoint_url="http://127.0.0.1"), UnavailableError),
        (s3_errors, IncompleteReadError(actual_bytes=1, expected_bytes=2), UnavailableError),
        (s3_errors, NoCredentialsError(), ConfigurationError),
        (dynamo_errors, LeaseLostError("…"), LeaseLostError),
        (dynamo_errors, ClientError({"Error": {"Code": "ConditionalCheckFailedException"}}, "PutItem"), ClientError),
        (s3_errors, ClientError({"Error": {"Code": "NoSuchKey"}}, "GetObject"), ClientError),
    ],
)
def test_what_breaks_off_is_unavailable_and_what_the_caller_handles_passes(
    errors: Translation, cause: Exception, expected: type[Exception]
) -> None:
    with pytest.raises(expected), errors():
        raise cause


def test_a_missing_table_is_no_empty_list() -> None:
    scope = EntryScope(Principal("acme", "ann"), "scripts", AgentKind.PROFILES)
    with entries_table() as (client, _), pytest.raises(ConfigurationError):
        DynamoEntryStore(client, "another-table").live(scope)


class Attempts:
    """Fails with each error in order, then returns."""

    def __init__(self, *errors: CicadaError) -> None:
        self._errors = list(errors)
        self.count = 0

    def __call__(self) -> str:
        self.count += 1
        if self._errors:
            raise self._errors.pop(0)
        return "done"


def test_waits_grow_twofold_up_to_the_cap_and_are_spread_by_chance() -> None:
    slept: list[float] = []
    chances = iter([1.0, 1.0, 0.25, 1.0])
    retry = Retry(slept.append, lambda: next(chances), attempts=5, base_seconds=1.0, cap_seconds=3.0)
    assert retry.call(Attempts(*[ThrottledError("…")] * 4)) == "done"
    assert slept == [1.0, 2.0, 0.75, 3.0]


@pytest.mark.parametrize(
    ("error", "waits"),
    [
        (ThrottledError("…"), [0.5, 1.0]),
        (UnavailableError("…"), [0.5, 1.0]),
        (StreamBrokenError("…"), []),
        (ConfigurationError("…"), []),
    ],
)
def test_the_last_failure_or_one_for_good_is_raised_at_once(error: CicadaError, waits: list[float]) -> None:
    slept: list[float] = []
    attempts = Attempts(*[error] * 3)
    with pytest.raises(type(error)):
        Retry(slept.append, lambda: 1.0).call(attempts)
    assert (attempts.count, slept) == (1 + len(waits), waits)


def test_no_try_begins_after_the_time_is_up() -> None:
    clock = Clock(0.0)

    def sleep(seconds: float) -> None:
        clock.now += seconds

    retry = Retry(sleep, lambda: 1.0, attempts=20, base_seconds=1.0, within_seconds=10, clock=clock)
    attempts = Attempts(*[UnavailableError("…")] * 20)
    with pytest.raises(UnavailableError):
        retry.call(attempts)
    assert (attempts.count, clock.now) == (4, 7.0)
