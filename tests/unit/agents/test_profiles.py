from __future__ import annotations

import pytest

from cicada.agents.model import Profile, ProfileKind, ToolSession
from cicada.agents.profiles import ProfileTools
from cicada.agents.text import ANSWER_LIMIT_BYTES
from cicada.errors import UnavailableError
from cicada.identity.principal import Principal
from tests.fakes.entry_stores import InMemoryProfileStore

ANN = ToolSession(Principal("acme", "ann"), "scripts")
BOB = ToolSession(Principal("acme", "bob"), "scripts")


@pytest.fixture
def store() -> InMemoryProfileStore:
    return InMemoryProfileStore()


@pytest.fixture
def tools(store: InMemoryProfileStore) -> ProfileTools:
    return ProfileTools(store, lambda: 42.0)


def test_a_saved_profile_is_confirmed_and_kept_with_its_time(tools: ProfileTools, store: InMemoryProfileStore) -> None:
    said = tools.save_profile(ANN, " Character ", "  Lady \n Macbeth ", "\n Reads a letter.\nSleepwalks. ")
    assert said == "Saved the character profile “Lady Macbeth”."
    kept = store.get(ANN.principal, ProfileKind.CHARACTER, "lady macbeth")
    assert kept == Profile(ProfileKind.CHARACTER, "Lady Macbeth", "Reads a letter.\nSleepwalks.", 42.0)


def test_what_saving_replaced_is_told(tools: ProfileTools) -> None:
    tools.save_profile(ANN, "character", "Banquo", "A companion.")
    assert "replaced" not in tools.save_profile(ANN, "character", "Banquo", "A companion.")
    said = tools.save_profile(ANN, "character", "BANQUO", "A ghost.")
    assert said == "Saved the character profile “BANQUO”. It replaced this earlier description:\nA companion."


def test_a_profile_is_read_whole(tools: ProfileTools) -> None:
    tools.save_profile(ANN, "location", "Dunsinane", "Line one.\nLine two.")
    assert tools.get_profile(ANN, "location", "dunsinane") == (
        "The location profile “Dunsinane”:\nLine one.\nLine two."
    )


def test_a_missing_profile_is_answered_with_what_exists(tools: ProfileTools) -> None:
    assert tools.get_profile(ANN, "character", "Banquo") == (
        "There is no character profile “Banquo”.\nThe user has no profiles at all."
    )
    tools.save_profile(ANN, "group", "Witches", "Three.")
    tools.save_profile(ANN, "character", "Ross", "A thane.")
    expected = "There is no character profile “Banquo”.\nThe user's profiles are:\n- character Ross\n- group Witches"
    assert tools.get_profile(ANN, "character", "Banquo") == expected
    assert tools.delete_profile(ANN, "character", "Banquo") == expected


def test_a_list_shows_kind_name_and_beginning(tools: ProfileTools) -> None:
    assert tools.list_profiles(ANN) == "The user has no profiles."
    assert tools.list_profiles(ANN, "episode") == "The user has no episode profiles."
    tools.save_profile(ANN, "character", "Ross", "A thane.\nComes late.")
    tools.save_profile(ANN, "location", "Forres", "x" * 500)
    assert tools.list_profiles(ANN, "") == (
        f"The user has 2 profiles:\n- character Ross: A thane. Comes late.\n- location Forres: {'x' * 119}…"
    )
    assert tools.list_profiles(ANN, "CHARACTER").startswith("The user has 1 character profile:\n- character Ross")


def test_a_long_list_fits_and_says_what_it_leaves_out(tools: ProfileTools) -> None:
    for number in range(200):
        tools.save_profile(ANN, "character", f"name {number:03}", "夜" * 200)
    said = tools.list_profiles(ANN)
    shown = said.count("\n- character")
    assert len(said.encode()) < ANSWER_LIMIT_BYTES + 100
    assert said.startswith("The user has 200 profiles:")
    assert said.endswith(f"\n({200 - shown} more not shown here.)")


def test_a_deleted_profile_is_gone(tools: ProfileTools) -> None:
    tools.save_profile(ANN, "character", "Ross", "A thane.")
    assert tools.delete_profile(ANN, "character", " ross") == "Deleted the character profile “ross”."
    assert tools.list_profiles(ANN) == "The user has no profiles."


def test_each_user_has_their_own(tools: ProfileTools) -> None:
    tools.save_profile(ANN, "character", "Ross", "A thane.")
    assert tools.get_profile(BOB, "character", "Ross").startswith("There is no character profile “Ross”.")
    assert tools.list_profiles(BOB) == "The user has no profiles."


@pytest.mark.parametrize("kind", ["", "person", "characters", "character#x"])
def test_an_unknown_kind_is_answered_with_the_allowed_ones(tools: ProfileTools, kind: str) -> None:
    expected = "The kind must be one of: character, location, episode, group. Nothing was done."
    assert tools.get_profile(ANN, kind, "Ross") == expected
    assert tools.save_profile(ANN, kind, "Ross", "A thane.") == expected
    assert tools.delete_profile(ANN, kind, "Ross") == expected
    assert tools.list_profiles(ANN, kind or "person") == expected
    assert tools.list_profiles(ANN) == "The user has no profiles."


@pytest.mark.parametrize(
    ("name", "description", "expected"),
    [
        ("", "A thane.", "The name is missing. Nothing was done."),
        (" \n ", "A thane.", "The name is missing. Nothing was done."),
        ("Ross", "  ", "The description is missing. Nothing was done."),
        ("x" * 201, "…", "The name has 201 characters and may have 200; shorten it. Nothing was done."),
        ("Ross", "x" * 4001, "The description has 4001 characters and may have 4000; shorten it. Nothing was done."),
        ("\ufdfa" * 60, "…", "The name is too long; shorten it. Nothing was done."),
    ],
)
def test_what_is_missing_or_too_long_is_said_and_nothing_is_saved(
    tools: ProfileTools, name: str, description: str, expected: str
) -> None:
    assert tools.save_profile(ANN, "character", name, description) == expected
    assert tools.list_profiles(ANN) == "The user has no profiles."


def test_the_limits_themselves_are_allowed(tools: ProfileTools) -> None:
    assert tools.save_profile(ANN, "character", "x" * 200, "y" * 4000).startswith("Saved")


def test_half_a_character_pair_from_a_model_can_be_stored(tools: ProfileTools) -> None:
    tools.save_profile(ANN, "character", "Ross\ud83d", "A thane.\udc00")
    assert tools.list_profiles(ANN).encode()


def test_a_store_that_fails_is_not_an_empty_one() -> None:
    class BrokenStore(InMemoryProfileStore):
        def list(self, principal: Principal, kind: ProfileKind | None) -> list[Profile]:
            raise UnavailableError("The database could not be reached; try again.")

    with pytest.raises(UnavailableError):
        ProfileTools(BrokenStore(), lambda: 42.0).list_profiles(ANN)
