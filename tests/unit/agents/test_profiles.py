from __future__ import annotations

import pytest

from cicada.agents.model import AgentKind, Entry, EntryScope, ProfileKind
from cicada.agents.theories import ProfileTools, TheoryTools
from cicada.errors import UnavailableError
from tests.fakes.agent_search import FixedAgentSearch
from tests.fakes.entry_store import InMemoryEntryStore
from tests.unit.agents.keeping import ANN, BOB, NOON, profile_tools

SHELF = EntryScope(ANN.principal, ANN.knowledge_base, AgentKind.PROFILES)


@pytest.fixture
def store() -> InMemoryEntryStore:
    return InMemoryEntryStore()


@pytest.fixture
def tools(store: InMemoryEntryStore) -> ProfileTools:
    return profile_tools(store)


def test_a_saved_profile_is_confirmed_and_kept_with_its_time(tools: ProfileTools, store: InMemoryEntryStore) -> None:
    said = tools.save_profile(ANN, " Character ", "  Lady \n Macbeth ", "\n Reads a letter.\nSleepwalks. ")
    assert said == "Saved the character profile “Lady Macbeth”."
    expected = Entry("id-1", ProfileKind.CHARACTER, "Lady Macbeth", "Reads a letter.\nSleepwalks.", 1, NOON)
    assert store.live(SHELF) == [expected]


def test_every_change_of_a_profile_says_what_it_did(tools: ProfileTools) -> None:
    tools.save_profile(ANN, "character", "Banquo", "A companion.")
    assert tools.append_to_profile(ANN, "", "Banquo", "A ghost.") == (
        "Added to the character profile “Banquo”. It now reads:\n| A companion.\n| A ghost."
    )
    assert tools.amend_profile(ANN, "", "banquo", "A thane.") == (
        "Amended the character profile “Banquo”. Its earlier description can be brought back:\n"
        "| A companion.\n| A ghost."
    )
    assert tools.rename_profile(ANN, "", "Banquo", "Fleance's father") == (
        "Renamed the character profile “Banquo” to “Fleance's father”."
    )
    assert tools.delete_profile(ANN, "", "the profile of Fleance's father") == (
        "Deleted the character profile “Fleance's father”. It can be brought back until 2026-12-01."
    )
    assert tools.restore_profile(ANN) == (
        "Brought back the character profile “Fleance's father” as saved on 2026-11-01. It reads:\n| A thane."
    )


def test_a_missing_profile_is_answered_with_what_exists(tools: ProfileTools) -> None:
    assert tools.get_profile(ANN, "character", "Banquo") == (
        "There is no character profile “Banquo”. You have no saved profiles at all."
    )
    tools.save_profile(ANN, "group", "Witches", "Three.")
    tools.save_profile(ANN, "character", "Ross", "A thane.")
    expected = "There is no character profile “Banquo”.\nYour profiles are:\n| - character Ross\n| - group Witches"
    assert tools.get_profile(ANN, "character", "Banquo") == expected
    assert tools.delete_profile(ANN, "character", "Banquo") == expected


def test_a_profile_that_only_mentions_a_name_is_named_and_not_taken_for_the_one_of_that_name(
    tools: ProfileTools, store: InMemoryEntryStore
) -> None:
    tools.save_profile(ANN, "character", "Malcolm", "Son of Duncan.")
    expected = "There is no profile “Duncan”. These mention it:\n| - character Malcolm"
    assert tools.get_profile(ANN, "", "the profile of Duncan") == expected.replace(
        "“Duncan”", "“the profile of Duncan”"
    )
    for change in (
        tools.delete_profile(ANN, "", "Duncan"),
        tools.append_to_profile(ANN, "", "Duncan", "Dead."),
        tools.amend_profile(ANN, "", "Duncan", "Dead."),
        tools.rename_profile(ANN, "", "Duncan", "The king"),
    ):
        assert change == expected
    assert [each.text for each in store.live(SHELF)] == ["Son of Duncan."]


def test_what_is_kept_as_a_theory_is_shown_where_no_profile_has_the_name(tools: ProfileTools) -> None:
    theories = TheoryTools(tools.keeping, FixedAgentSearch("Passage: …"))
    theories.save_theory(ANN, "Osric", "He is a fop.")
    assert tools.get_profile(ANN, "", "osric") == (
        "There is no profile “osric”, but a theory:\n\nThe theory “Osric”, saved on 2026-11-01:\n| He is a fop."
    )
    assert tools.append_to_profile(ANN, "", "osric", "Vain.") == (
        "There is no profile “osric”, but a theory. Nothing was done."
    )
    assert tools.get_profile(ANN, "character", "osric").startswith("There is no character profile “osric”. You have no")
    assert tools.get_profile(BOB, "", "osric") == "There is no profile “osric”. You have no saved profiles at all."
    tools.save_profile(ANN, "character", "Seyton", "An officer.")
    assert theories.get_theory(ANN, "Seyton").endswith(
        "but a profile:\n\nThe character profile “Seyton”, saved on 2026-11-01:\n| An officer."
    )


def test_a_kind_that_is_said_has_to_fit(tools: ProfileTools, store: InMemoryEntryStore) -> None:
    tools.save_profile(ANN, "location", "Dunsinane", "A castle.")
    tools.save_profile(ANN, "episode", "Dunsinane", "The last act.")
    assert tools.delete_profile(ANN, "", "Dunsinane") == (
        "Several profiles match “Dunsinane”. Nothing was done.\n"
        "| - episode Dunsinane (2026-11-01)\n| - location Dunsinane (2026-11-01)\nWhich one do you mean?"
    )
    assert tools.append_to_profile(ANN, "group", "Dunsinane", "x").startswith("There is no group profile “Dunsinane”.")
    assert tools.rename_profile(ANN, "location", "Dunsinane", "The castle").startswith("Renamed the location profile")
    assert tools.amend_profile(ANN, "episode", "Dunsinane", "Act 5.").startswith("Amended the episode profile")
    assert [(each.kind, each.name) for each in store.live(SHELF)] == [
        ("episode", "Dunsinane"),
        ("location", "The castle"),
    ]


def test_a_list_shows_kind_name_date_and_beginning(tools: ProfileTools) -> None:
    assert tools.list_profiles(ANN) == "You have no profiles."
    assert tools.list_profiles(ANN, "episode") == "You have no episode profiles."
    tools.save_profile(ANN, "character", "Ross", "A thane.\nComes late.")
    tools.save_profile(ANN, "location", "Forres", "x" * 500)
    assert tools.list_profiles(ANN, "") == (
        "You have 2 profiles:\n| - character Ross (2026-11-01): A thane. Comes late.\n"
        f"| - location Forres (2026-11-01): {'x' * 119}…"
    )
    assert tools.list_profiles(ANN, "CHARACTER") == (
        "You have 1 character profile:\n| - character Ross (2026-11-01): A thane. Comes late."
    )


@pytest.mark.parametrize("kind", ["person", "characters", "character#x"])
def test_an_unknown_kind_is_answered_with_the_allowed_ones(tools: ProfileTools, kind: str) -> None:
    expected = "The kind must be one of: character, location, episode, group, topic. Nothing was done."
    assert tools.save_profile(ANN, kind, "Ross", "A thane.") == expected
    assert tools.save_profile(ANN, "", "Ross", "A thane.") == expected
    assert tools.list_profiles(ANN, kind) == expected
    assert tools.get_profile(ANN, kind, "Ross") == expected
    assert tools.append_to_profile(ANN, kind, "Ross", "A thane.") == expected
    assert tools.amend_profile(ANN, kind, "Ross", "A thane.") == expected
    assert tools.rename_profile(ANN, kind, "Ross", "Rosse") == expected
    assert tools.delete_profile(ANN, kind, "Ross") == expected
    assert tools.restore_profile(ANN, kind, "Ross") == expected
    assert tools.list_profiles(ANN) == "You have no profiles."


@pytest.mark.parametrize(
    ("name", "description", "expected"),
    [
        (" \n ", "A thane.", "The name is missing. Nothing was done."),
        ("Ross", "  ", "The description is missing. Nothing was done."),
        ("x" * 201, "…", "The name has 201 characters and may have 200; shorten it. Nothing was done."),
        ("Ross", "x" * 4001, "The description has 4001 characters and may have 4000; shorten it. Nothing was done."),
        ("\ufdfa" * 60, "…", "The name is too long; shorten it. Nothing was done."),
    ],
)
def test_nothing_missing_or_too_long_is_saved(tools: ProfileTools, name: str, description: str, expected: str) -> None:
    assert tools.save_profile(ANN, "character", name, description) == expected
    assert tools.list_profiles(ANN) == "You have no profiles."


def test_the_limits_themselves_are_allowed(tools: ProfileTools) -> None:
    assert tools.save_profile(ANN, "character", "x" * 200, "y" * 4000).startswith("Saved")


def test_half_a_character_pair_from_a_model_can_be_stored(tools: ProfileTools) -> None:
    tools.save_profile(ANN, "character", "Ross\ud83d", "A thane.\udc00")
    assert tools.list_profiles(ANN).encode()


def test_a_store_that_fails_is_not_an_empty_one() -> None:
    class BrokenStore(InMemoryEntryStore):
        def live(self, scope: EntryScope) -> list[Entry]:
            raise UnavailableError("The database could not be reached; try again.")

    tools = profile_tools(BrokenStore())
    for tool in (tools.list_profiles, tools.restore_profile):
        with pytest.raises(UnavailableError):
            tool(ANN)
