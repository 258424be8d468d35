"""What was deleted or changed by mistake comes back."""

from __future__ import annotations

import pytest

from cicada.agents.theories import TheoryTools
from tests.fakes.clock import Clock
from tests.fakes.entry_store import InMemoryEntryStore
from tests.unit.agents.keeping import ANN, DAY_SECONDS, SHELF, kept, profile_tools


@pytest.mark.parametrize("wanted", ["Owl", "", "my theory about the owl", "omen"])
def test_a_deleted_theory_comes_back(tools: TheoryTools, store: InMemoryEntryStore, clock: Clock, wanted: str) -> None:
    tools.save_theory(ANN, "Owl", "It is an omen.")
    tools.save_theory(ANN, "Bell", "b")
    tools.delete_theory(ANN, "Owl")
    clock.now += DAY_SECONDS
    assert tools.restore_theory(ANN, wanted) == (
        "Brought back the theory “Owl” as saved on 2026-11-01. It reads:\n| It is an omen."
    )
    assert kept(store) == {"Bell": "b", "Owl": "It is an omen."}


@pytest.mark.parametrize("wanted", ["Owl", ""])
def test_to_bring_back_twice_is_to_bring_back_once(tools: TheoryTools, store: InMemoryEntryStore, wanted: str) -> None:
    tools.save_theory(ANN, "Owl", "first")
    tools.amend_theory(ANN, "Owl", "second")
    tools.delete_theory(ANN, "Owl")
    tools.restore_theory(ANN, wanted)
    before = store.live(SHELF)
    assert tools.restore_theory(ANN, wanted) == (
        "The theory “Owl” was already brought back on 2026-11-01.\n"
        "To bring back another version, name its number:\n| - version 1 of 2026-11-01, “Owl”: first"
    )
    assert store.live(SHELF) == before


def test_a_change_is_taken_back(tools: TheoryTools, store: InMemoryEntryStore) -> None:
    tools.save_theory(ANN, "Owl", "first")
    tools.amend_theory(ANN, "Owl", "second")
    assert tools.restore_theory(ANN, "Owl").endswith("It reads:\n| first")
    assert kept(store) == {"Owl": "first"}
    assert tools.restore_theory(ANN, "Owl").startswith("The theory “Owl” was already brought back")
    assert tools.restore_theory(ANN, "Owl", "2").endswith("It reads:\n| second")
    tools.append_to_theory(ANN, "Owl", "third")
    assert tools.restore_theory(ANN, "Owl").endswith("It reads:\n| second")
    assert kept(store) == {"Owl": "second"}


@pytest.mark.parametrize("wanted", ["Owl", "Shriek"])
def test_a_new_title_is_taken_back_by_either_title(tools: TheoryTools, store: InMemoryEntryStore, wanted: str) -> None:
    tools.save_theory(ANN, "Owl", "It is an omen.")
    tools.rename_theory(ANN, "Owl", "Shriek")
    tools.restore_theory(ANN, wanted)
    assert kept(store) == {"Owl": "It is an omen."}


def test_any_version_that_is_kept_can_be_chosen(tools: TheoryTools, store: InMemoryEntryStore) -> None:
    tools.save_theory(ANN, "Owl", "text 1")
    for number in range(2, 13):
        tools.amend_theory(ANN, "Owl", f"text {number}")
    assert tools.restore_theory(ANN, "Owl", "version 4").endswith("\n| text 4")
    assert kept(store) == {"Owl": "text 4"}
    said = tools.restore_theory(ANN, "Owl", "1")
    assert said.startswith("There is no version 1 to bring back. Nothing was done. There are:\n| - version 12 of")
    assert said.count("\n| - version") == 10
    assert tools.restore_theory(ANN, "Owl", "old") == "The version must be a number, for example 2. Nothing was done."


def test_a_theory_that_was_never_changed_has_nothing_to_bring_back(tools: TheoryTools) -> None:
    tools.save_theory(ANN, "Owl", "It is an omen.")
    assert tools.restore_theory(ANN, "Owl") == "The theory “Owl” has no earlier version. Nothing was done."
    assert tools.restore_theory(ANN) == "No deleted theory can be brought back. Nothing was done."


def test_one_of_several_must_be_named(tools: TheoryTools, store: InMemoryEntryStore, clock: Clock) -> None:
    for title in ("Owl by night", "Owl by day", "Bell"):
        tools.save_theory(ANN, title, "…")
    tools.delete_theory(ANN, "Owl by night")
    clock.now += 1
    tools.delete_theory(ANN, "Owl by day")
    choice = "Several theories can be brought back. Nothing was done."
    for wanted in ("", "the owl"):
        said = tools.restore_theory(ANN, wanted)
        assert said.startswith(choice)
        assert "- Owl by night (deleted on 2026-11-01)" in said
        assert "- Owl by day (deleted on 2026-11-01)" in said
    assert list(kept(store)) == ["Bell"]
    assert tools.restore_theory(ANN, "Knife") == (
        "There is no theory “Knife”.\nYour theories are:\n| - Bell\nThese can be brought back:\n"
        "| - Owl by day (deleted on 2026-11-01)\n| - Owl by night (deleted on 2026-11-01)"
    )


def test_of_a_deleted_and_a_kept_theory_the_deleted_one_is_meant(tools: TheoryTools, store: InMemoryEntryStore) -> None:
    tools.save_theory(ANN, "Owl by night", "a")
    tools.save_theory(ANN, "Owl by day", "b")
    tools.append_to_theory(ANN, "Owl by day", "c")
    tools.delete_theory(ANN, "Owl by night")
    assert tools.restore_theory(ANN, "the owl").endswith("It reads:\n| a")


def test_the_last_deletion_is_meant(tools: TheoryTools, store: InMemoryEntryStore, clock: Clock) -> None:
    for text in ("first", "second"):
        tools.save_theory(ANN, "Owl", text)
        clock.now += 60
        tools.delete_theory(ANN, "Owl")
        clock.now += 60
    assert tools.restore_theory(ANN, "Owl").endswith("It reads:\n| second")
    tools.amend_theory(ANN, "Owl", "third")
    assert tools.restore_theory(ANN, "Owl").endswith("It reads:\n| second")


def test_a_deleted_theory_does_not_replace_another_of_its_title(tools: TheoryTools, store: InMemoryEntryStore) -> None:
    tools.save_theory(ANN, "Owl", "first")
    tools.delete_theory(ANN, "Owl")
    tools.save_theory(ANN, "OWL", "second")
    assert tools.restore_theory(ANN, "Owl") == (
        "There is another theory “OWL”; rename or delete that one first. Nothing was brought back."
    )
    assert kept(store) == {"OWL": "second"}


def test_after_thirty_days_a_deletion_is_final(tools: TheoryTools, clock: Clock) -> None:
    tools.save_theory(ANN, "Owl", "It is an omen.")
    tools.delete_theory(ANN, "Owl")
    clock.now += 30 * DAY_SECONDS
    assert tools.restore_theory(ANN) == "No deleted theory can be brought back. Nothing was done."
    assert tools.restore_theory(ANN, "Owl").startswith("There is no theory “Owl”.")


def test_a_profile_of_one_kind_comes_back() -> None:
    tools = profile_tools()
    for kind in ("location", "episode"):
        tools.save_profile(ANN, kind, "Dunsinane", f"of {kind}")
        tools.delete_profile(ANN, kind, "Dunsinane")
    assert tools.restore_profile(ANN, "location").endswith("It reads:\n| of location")
    assert tools.restore_profile(ANN, "location").startswith("The location profile “Dunsinane” was already")
    assert tools.list_profiles(ANN) == "You have 1 profile:\n| - location Dunsinane (2026-11-01): of location"
