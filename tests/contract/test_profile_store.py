"""What every store of profiles does: the fake and the real one alike."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cicada.adapters.dynamodb.profile_store import DynamoProfileStore
from cicada.agents.model import Profile, ProfileKind
from cicada.agents.ports import ProfileStore
from cicada.agents.text import matching_key
from cicada.identity.principal import Principal
from tests.contract.entries_table import entries_table
from tests.fakes.entry_stores import InMemoryProfileStore

ANN = Principal("acme", "ann")
BOB = Principal("acme", "bob")
OTHER_ANN = Principal("umbrella", "ann")


@pytest.fixture(params=["memory", "dynamo"])
def store(request: pytest.FixtureRequest) -> Iterator[ProfileStore]:
    if request.param == "memory":
        yield InMemoryProfileStore()
    else:
        with entries_table() as (client, table):
            yield DynamoProfileStore(client, table)


def profile(name: str, kind: ProfileKind = ProfileKind.CHARACTER, description: str = "…", at: float = 1.5) -> Profile:
    return Profile(kind, name, description, at)


def test_what_was_saved_is_found_as_it_was(store: ProfileStore) -> None:
    saved = profile("Lady Macbeth", description="Reads a letter.\nWalks in her sleep. 眠り", at=1_700_000_000.25)
    store.save(ANN, saved)
    assert store.get(ANN, ProfileKind.CHARACTER, "Lady Macbeth") == saved


@pytest.mark.parametrize("asked", ["lady macbeth", "  LADY\t MACBETH ", "Ｌａｄｙ Macbeth"])
def test_names_are_matched_without_case_space_and_width(store: ProfileStore, asked: str) -> None:
    store.save(ANN, profile("Lady Macbeth"))
    found = store.get(ANN, ProfileKind.CHARACTER, asked)
    assert found is not None
    assert found.name == "Lady Macbeth"


def test_nothing_is_found_where_nothing_was_saved(store: ProfileStore) -> None:
    assert store.get(ANN, ProfileKind.CHARACTER, "Banquo") is None
    assert store.list(ANN, None) == []


def test_saving_the_same_name_again_replaces_it(store: ProfileStore) -> None:
    store.save(ANN, profile("Banquo", description="old"))
    store.save(ANN, profile("BANQUO", description="new"))
    assert store.list(ANN, None) == [profile("BANQUO", description="new")]


def test_a_name_may_be_used_once_for_each_kind(store: ProfileStore) -> None:
    store.save(ANN, profile("Dunsinane", ProfileKind.LOCATION, "a castle"))
    store.save(ANN, profile("Dunsinane", ProfileKind.EPISODE, "the last act"))
    location = store.get(ANN, ProfileKind.LOCATION, "Dunsinane")
    assert location is not None
    assert location.description == "a castle"
    assert len(store.list(ANN, None)) == 2


def test_profiles_of_other_users_and_tenants_are_out_of_reach(store: ProfileStore) -> None:
    store.save(ANN, profile("Banquo"))
    for stranger in (BOB, OTHER_ANN):
        assert store.get(stranger, ProfileKind.CHARACTER, "Banquo") is None
        assert store.list(stranger, None) == []
        assert not store.delete(stranger, ProfileKind.CHARACTER, "Banquo")
    assert len(store.list(ANN, None)) == 1


def test_a_list_is_ordered_by_kind_and_name_and_can_be_of_one_kind(store: ProfileStore) -> None:
    for each in (
        profile("Witches", ProfileKind.GROUP),
        profile("banquo"),
        profile("Inverness", ProfileKind.LOCATION),
        profile("Angus"),
        profile("Zoë #2"),
    ):
        store.save(ANN, each)
    assert [each.name for each in store.list(ANN, None)] == ["Angus", "banquo", "Zoë #2", "Witches", "Inverness"]
    assert [each.name for each in store.list(ANN, ProfileKind.LOCATION)] == ["Inverness"]


def test_deleting_says_whether_there_was_one(store: ProfileStore) -> None:
    store.save(ANN, profile("Banquo"))
    assert store.delete(ANN, ProfileKind.CHARACTER, "banquo ")
    assert not store.delete(ANN, ProfileKind.CHARACTER, "Banquo")
    assert store.get(ANN, ProfileKind.CHARACTER, "Banquo") is None


def test_a_list_longer_than_a_page_comes_whole(store: ProfileStore) -> None:
    """DynamoDB ends a page at 1 MB."""
    long = "x" * 300_000
    for number in range(6):
        store.save(ANN, profile(f"name {number}", description=long))
    assert [each.name for each in store.list(ANN, None)] == [f"name {number}" for number in range(6)]


NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30).filter(matching_key)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(actions=st.lists(st.tuples(st.booleans(), st.sampled_from(ProfileKind), NAMES), max_size=8))
def test_any_order_of_saves_and_deletes_ends_like_the_same_on_a_dictionary(
    store: ProfileStore, actions: list[tuple[bool, ProfileKind, str]]
) -> None:
    for left in store.list(ANN, None):
        store.delete(ANN, left.kind, left.name)
    expected: dict[tuple[ProfileKind, str], Profile] = {}
    for save, kind, name in actions:
        key = (kind, matching_key(name))
        if save:
            store.save(ANN, expected.setdefault(key, profile(name, kind)))
        else:
            assert store.delete(ANN, kind, name) == (expected.pop(key, None) is not None)
    assert store.list(ANN, None) == [expected[key] for key in sorted(expected)]
