"""What every store of theories does: the fake and the real one alike."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cicada.adapters.dynamodb.profile_store import DynamoProfileStore
from cicada.adapters.dynamodb.theory_store import DynamoTheoryStore
from cicada.agents.model import Profile, ProfileKind, Theory
from cicada.agents.ports import TheoryStore
from cicada.identity.principal import Principal
from tests.contract.entries_table import entries_table
from tests.fakes.entry_stores import InMemoryTheoryStore

ANN = Principal("acme", "ann")
BOB = Principal("acme", "bob")
MURDERER = Theory("The third murderer", "It is Ross, who comes late.", 1_700_000_000.5)


@pytest.fixture(params=["memory", "dynamo"])
def store(request: pytest.FixtureRequest) -> Iterator[TheoryStore]:
    if request.param == "memory":
        yield InMemoryTheoryStore()
    else:
        with entries_table() as (client, table):
            yield DynamoTheoryStore(client, table)


def test_what_was_saved_is_found_as_it_was(store: TheoryStore) -> None:
    store.save(ANN, MURDERER)
    assert store.get(ANN, " the THIRD  murderer") == MURDERER


def test_nothing_is_found_where_nothing_was_saved(store: TheoryStore) -> None:
    assert store.get(ANN, "The third murderer") is None
    assert store.list(ANN) == []


def test_saving_the_same_title_again_replaces_it(store: TheoryStore) -> None:
    store.save(ANN, MURDERER)
    store.save(ANN, Theory("THE THIRD MURDERER", "It is Macbeth.", 2.0))
    assert store.list(ANN) == [Theory("THE THIRD MURDERER", "It is Macbeth.", 2.0)]


def test_theories_of_another_user_are_out_of_reach(store: TheoryStore) -> None:
    store.save(ANN, MURDERER)
    assert store.get(BOB, MURDERER.title) is None
    assert store.list(BOB) == []


def test_a_list_is_ordered_by_title(store: TheoryStore) -> None:
    for title in ("Sleep", "bells", "Owls"):
        store.save(ANN, Theory(title, "…", 1.0))
    assert [each.title for each in store.list(ANN)] == ["bells", "Owls", "Sleep"]


def test_a_list_longer_than_a_page_comes_whole(store: TheoryStore) -> None:
    """DynamoDB ends a page at 1 MB."""
    for number in range(6):
        store.save(ANN, Theory(f"title {number}", "x" * 300_000, 1.0))
    assert [each.title for each in store.list(ANN)] == [f"title {number}" for number in range(6)]


def test_profiles_and_theories_share_a_table_without_meeting() -> None:
    with entries_table() as (client, table):
        theories, profiles = DynamoTheoryStore(client, table), DynamoProfileStore(client, table)
        theories.save(ANN, MURDERER)
        profiles.save(ANN, Profile(ProfileKind.CHARACTER, "Ross", "A thane.", 1.0))
        assert [each.title for each in theories.list(ANN)] == ["The third murderer"]
        assert [each.name for each in profiles.list(ANN, None)] == ["Ross"]
