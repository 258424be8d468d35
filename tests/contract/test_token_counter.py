"""What every counter of a tenant's tokens does, the fake and DynamoDB alike."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cicada.adapters.dynamodb.token_counter import DynamoTokenCounter
from cicada.conversation.model import DayOfTokens, TokensUsed
from tests.contract.requests_table import TABLE, requests_table
from tests.fakes.token_counter import InMemoryTokenCounter

Counter = DynamoTokenCounter | InMemoryTokenCounter


@pytest.fixture(params=["memory", "dynamo"])
def counter(request: pytest.FixtureRequest) -> Iterator[Counter]:
    if request.param == "memory":
        yield InMemoryTokenCounter()
    else:
        with requests_table() as client:
            yield DynamoTokenCounter(client, TABLE)


def test_a_tenants_day_begins_at_none(counter: Counter) -> None:
    assert counter.used("acme", "2026-11-26") == 0


def test_tokens_add_up_by_tenant_and_day(counter: Counter) -> None:
    for tenant, day, tokens in (("acme", "26", 70), ("acme", "26", 30), ("acme", "27", 5), ("other", "26", 1)):
        counter.add(tenant, day, TokensUsed(tokens - 1, 1), 1_900_000_000)
    assert [counter.used(*each) for each in (("acme", "26"), ("acme", "27"), ("other", "26"))] == [100, 5, 1]


def test_the_days_of_a_tenant_are_read_from_one_on(counter: Counter) -> None:
    for tenant, day in (
        ("acme", "2026-11-19"),
        ("acme", "2026-11-20"),
        ("acme", "2026-11-26"),
        ("other", "2026-11-26"),
    ):
        counter.add(tenant, day, TokensUsed(5, 2), 1_900_000_000)
    seven = DayOfTokens(7, TokensUsed(5, 2))
    assert counter.by_day("acme", "2026-11-20") == {"2026-11-20": seven, "2026-11-26": seven}
    assert counter.by_day("nobody", "2026-11-20") == {}


def test_parts_of_a_day_that_an_earlier_release_began_are_not_known() -> None:
    with requests_table() as client:
        row = {"pk": {"S": "acme"}, "sk": {"S": "TOKENS#2026-11-26"}, "tokens": {"N": "40"}}
        client.put_item(TableName=TABLE, Item=row)
        counter = DynamoTokenCounter(client, TABLE)
        counter.add("acme", "2026-11-26", TokensUsed(5, 2), 1_900_000_000)
        assert counter.by_day("acme", "2026-11-26") == {"2026-11-26": DayOfTokens(47)}
