from __future__ import annotations

import pytest
from botocore.exceptions import ClientError, ConnectTimeoutError

from cicada.adapters.aws_errors import dynamo_errors
from cicada.adapters.dynamodb.entry_store import DynamoEntryStore
from cicada.agents.model import AgentKind, EntryScope
from cicada.errors import CicadaError, ConfigurationError, LeaseLostError, ThrottledError, UnavailableError
from cicada.identity import Principal
from tests.contract.entries_table import entries_table


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("ProvisionedThroughputExceededException", ThrottledError),
        ("ThrottlingException", ThrottledError),
        ("Throttling", ThrottledError),
        ("RequestLimitExceeded", ThrottledError),
        ("ResourceNotFoundException", ConfigurationError),
        ("AccessDeniedException", ConfigurationError),
        ("ValidationException", ConfigurationError),
        ("InternalServerError", UnavailableError),
        ("TransactionCanceledException", UnavailableError),
    ],
)
def test_each_refusal_has_its_branch_and_keeps_its_cause(code: str, expected: type[CicadaError]) -> None:
    cause = ClientError({"Error": {"Code": code, "Message": "key ann#secret"}}, "PutItem")
    with pytest.raises(CicadaError) as failure, dynamo_errors():
        raise cause
    assert type(failure.value) is expected
    assert failure.value.__cause__ is cause
    assert "secret" not in str(failure.value)


def test_a_database_out_of_reach_is_unavailable() -> None:
    with pytest.raises(UnavailableError), dynamo_errors():
        raise ConnectTimeoutError(endpoint_url="http://127.0.0.1")


def test_a_refused_condition_is_left_to_the_caller() -> None:
    with pytest.raises(ClientError), dynamo_errors():
        raise ClientError({"Error": {"Code": "ConditionalCheckFailedException"}}, "PutItem")


def test_the_librarys_own_errors_pass() -> None:
    with pytest.raises(LeaseLostError), dynamo_errors():
        raise LeaseLostError("…")


def test_a_missing_table_is_no_empty_list() -> None:
    with entries_table() as (client, _), pytest.raises(ConfigurationError):
        DynamoEntryStore(client, "another-table").live(
            EntryScope(Principal("acme", "ann"), "scripts", AgentKind.PROFILES)
        )
