"""What the tools of both agents do with entries, shown with theories."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from cicada.agents import entries
from cicada.agents.model import ANSWER_LIMIT_BYTES, THEORY, Change, Entry, EntryScope
from cicada.agents.theories import TheoryTools
from cicada.errors import ThrottledError
from tests.fakes.clock import Clock
from tests.fakes.entry_store import InMemoryEntryStore
from tests.unit.agents.keeping import ANN, BOB, DAY_SECONDS, NOON, SHELF, kept, theory_tools


def test_a_saved_theory_is_kept_with_its_time(tools: TheoryTools, store: InMemoryEntryStore) -> None:
    assert tools.save_theory(ANN, "Third  murderer", " It is Ross. ") == "Saved the theory “Third murderer”."
    assert store.live(SHELF) == [Entry("id-1", THEORY, "Third murderer", "It is Ross.", 1, NOON)]


def test_saving_never_replaces_what_is_there(tools: TheoryTools, store: InMemoryEntryStore) -> None:
    tools.save_theory(ANN, "Owl", "It is an omen.")
    assert tools.save_theory(ANN, "OWL", "It is a bird.") == (
        "There is already a theory “Owl”. Nothing was saved. Add to it, amend it, or save under another title. "
        "It says:\n| It is an omen."
    )
    assert kept(store) == {"Owl": "It is an omen."}


def test_saving_the_same_twice_is_saving_it_once(tools: TheoryTools, store: InMemoryEntryStore) -> None:
    tools.save_theory(ANN, "Owl", "It is an omen.")
    assert tools.save_theory(ANN, "owl", "It is an omen.") == "Saved the theory “Owl”."
    assert [each.version for each in store.live(SHELF)] == [1]


def test_there_is_a_limit_to_how_many_can_be_saved(tools: TheoryTools, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "ENTRIES_LIMIT", 2)
    tools.save_theory(ANN, "Owl", "…")
    tools.save_theory(ANN, "Bell", "…")
    assert tools.save_theory(ANN, "Knife", "…") == (
        "There are 2 theories and no more can be saved; delete one first. Nothing was saved."
    )
    assert tools.save_theory(ANN, "Owl", "…") == "Saved the theory “Owl”."


def test_a_list_has_titles_dates_and_beginnings(tools: TheoryTools, clock: Clock) -> None:
    assert tools.list_theories(ANN) == "You have no theories."
    tools.save_theory(ANN, "Owl", "It foretells\ndeath.")
    assert tools.list_theories(ANN) == "You have 1 theory:\n| - Owl (2026-11-01): It foretells death."
    clock.now += DAY_SECONDS
    tools.save_theory(ANN, "Bell", "x" * 500)
    assert tools.list_theories(ANN) == (
        f"You have 2 theories:\n| - Bell (2026-11-02): {'x' * 119}…\n| - Owl (2026-11-01): It foretells death."
    )


def test_a_long_list_fits_and_says_what_it_leaves_out(tools: TheoryTools) -> None:
    for number in range(200):
        tools.save_theory(ANN, f"title {number:03}", "夜" * 200)
    said = tools.list_theories(ANN)
    shown = said.count("\n| - title")
    assert len(said.encode()) < ANSWER_LIMIT_BYTES + 100
    assert said.startswith("You have 200 theories:")
    assert said.endswith(f"\n({200 - shown} more not shown here.)")


def test_a_theory_is_read_whole_by_the_words_that_name_it(tools: TheoryTools) -> None:
    tools.save_theory(ANN, "Sleep", "Lady Macbeth knows.\nShe washes her hands.")
    assert tools.get_theory(ANN, "the theory about Lady Macbeth") == (
        "The theory “Sleep”, saved on 2026-11-01:\n| Lady Macbeth knows.\n| She washes her hands."
    )


def test_earlier_versions_are_shown_with_a_theory(tools: TheoryTools, clock: Clock) -> None:
    tools.save_theory(ANN, "Owl", "It is an omen.")
    clock.now += DAY_SECONDS
    tools.append_to_theory(ANN, "Owl", "It shrieked.")
    tools.rename_theory(ANN, "Owl", "Shriek")
    assert tools.get_theory(ANN, "Shriek") == (
        "The theory “Shriek”, saved on 2026-11-02:\n| It is an omen.\n| It shrieked.\n\n"
        "This is version 3. Earlier versions can be brought back:\n"
        "| - version 2 of 2026-11-02, “Owl”: It is an omen. It shrieked.\n"
        "| - version 1 of 2026-11-01, “Owl”: It is an omen."
    )


def test_what_is_appended_stands_after_what_was_there(tools: TheoryTools, store: InMemoryEntryStore) -> None:
    tools.save_theory(ANN, "Owl", "It is an omen.")
    assert tools.append_to_theory(ANN, "the owl", " It shrieked. ") == (
        "Added to the theory “Owl”. It now reads:\n| It is an omen.\n| It shrieked."
    )
    assert kept(store) == {"Owl": "It is an omen.\nIt shrieked."}


def test_what_is_there_is_not_appended_again(tools: TheoryTools, store: InMemoryEntryStore) -> None:
    tools.save_theory(ANN, "Owl", "It is an omen.")
    tools.append_to_theory(ANN, "Owl", "It shrieked.\nTwice.")
    tools.append_to_theory(ANN, "Owl", "Nobody else heard it.")
    before = store.live(SHELF)
    for addition in ("It is an omen.", "It shrieked.\nTwice.", "Nobody else heard it."):
        assert tools.append_to_theory(ANN, "Owl", addition).startswith("The theory “Owl” already says this. It reads:")
    assert store.live(SHELF) == before
    assert tools.append_to_theory(ANN, "Owl", "It is an omen").startswith("Added")


def test_a_theory_may_grow_to_its_limit_and_no_further(tools: TheoryTools, store: InMemoryEntryStore) -> None:
    tools.save_theory(ANN, "Owl", "x" * 3_990)
    assert tools.append_to_theory(ANN, "Owl", "y" * 10) == (
        "With this addition the theory “Owl” would have 4001 characters and may have 4000; shorten it, or save another "
        "theory. Nothing was added."
    )
    assert kept(store) == {"Owl": "x" * 3_990}
    assert tools.append_to_theory(ANN, "Owl", "y" * 9).startswith("Added to the theory “Owl”.")


def test_amending_replaces_the_statement_and_tells_the_old_one(tools: TheoryTools, store: InMemoryEntryStore) -> None:
    tools.save_theory(ANN, "Murderer", "It is Ross.")
    said = tools.amend_theory(ANN, "murderer", "It is Macbeth.")
    assert said == "Amended the theory “Murderer”. Its earlier statement can be brought back:\n| It is Ross."
    assert kept(store) == {"Murderer": "It is Macbeth."}
    assert tools.amend_theory(ANN, "Murderer", "It is Macbeth.") == ("The theory “Murderer” already says exactly this.")
    assert [each.version for each in store.live(SHELF)] == [2]


def test_a_renamed_theory_keeps_its_statement(tools: TheoryTools, store: InMemoryEntryStore) -> None:
    tools.save_theory(ANN, "Lost child", "Lady Macbeth has nursed.")
    said = tools.rename_theory(ANN, "my theory about the lost child", "The Macbeths' child")
    assert said == "Renamed the theory “Lost child” to “The Macbeths' child”."
    assert kept(store) == {"The Macbeths' child": "Lady Macbeth has nursed."}
    assert tools.rename_theory(ANN, "The Macbeths' child", "THE MACBETHS' CHILD").startswith("Renamed")
    assert list(kept(store)) == ["THE MACBETHS' CHILD"]


def test_a_renamed_theory_is_still_found_by_its_earlier_title(tools: TheoryTools, store: InMemoryEntryStore) -> None:
    tools.save_theory(ANN, "Lost child", "…")
    tools.rename_theory(ANN, "Lost child", "Baby")
    assert tools.rename_theory(ANN, "Lost child", "Baby") == "The theory “Baby” already has this title."
    assert tools.append_to_theory(ANN, "Lost child", "More.").startswith("Added to the theory “Baby”")
    tools.save_theory(ANN, "Lost child", "Another.")
    tools.append_to_theory(ANN, "Lost child", "Of another.")
    assert kept(store) == {"Baby": "…\nMore.", "Lost child": "Another.\nOf another."}


def test_words_that_only_an_earlier_version_had_do_not_name_a_theory(tools: TheoryTools) -> None:
    tools.save_theory(ANN, "Owl", "It is Duncan's omen.")
    tools.rename_theory(ANN, "Owl", "Shriek")
    tools.amend_theory(ANN, "Shriek", "It is a bird.")
    assert tools.get_theory(ANN, "Duncan").startswith("There is no theory “Duncan”.")


def test_a_title_that_is_taken_is_refused(tools: TheoryTools, store: InMemoryEntryStore) -> None:
    tools.save_theory(ANN, "Owl", "a")
    tools.save_theory(ANN, "Bell", "b")
    assert tools.rename_theory(ANN, "Owl", "BELL") == (
        "There is another theory “Bell”; rename or delete that one first. Nothing was renamed."
    )
    assert kept(store) == {"Bell": "b", "Owl": "a"}


def test_a_deleted_theory_is_gone_until_it_is_brought_back(tools: TheoryTools, store: InMemoryEntryStore) -> None:
    tools.save_theory(ANN, "Owl", "It is an omen.")
    assert tools.delete_theory(ANN, "the owl") == "Deleted the theory “Owl”. It can be brought back until 2026-12-01."
    assert kept(store) == {}
    assert tools.list_theories(ANN) == "You have no theories."


def test_a_repeated_deletion_does_not_take_the_next_best_theory(tools: TheoryTools, store: InMemoryEntryStore) -> None:
    tools.save_theory(ANN, "Owl", "It is an omen.")
    tools.save_theory(ANN, "The owl and the bell", "Both are omens.")
    for wanted in ("Owl", "Owl", "the theory about the owl"):
        said = tools.delete_theory(ANN, wanted)
    assert said == "The theory “Owl” was deleted on 2026-11-01. It can be brought back until 2026-12-01."
    assert list(kept(store)) == ["The owl and the bell"]


def test_once_a_deletion_is_final_its_title_means_what_is_left(tools: TheoryTools, clock: Clock) -> None:
    tools.save_theory(ANN, "Owl", "It is an omen.")
    tools.save_theory(ANN, "The owl and the bell", "Both are omens.")
    tools.delete_theory(ANN, "Owl")
    clock.now += 30 * DAY_SECONDS
    assert tools.get_theory(ANN, "Owl").startswith("The theory “The owl and the bell”")


NAMING: dict[str, Callable[[TheoryTools, str], str]] = {
    "read": lambda tools, title: tools.get_theory(ANN, title),
    "append": lambda tools, title: tools.append_to_theory(ANN, title, "More."),
    "amend": lambda tools, title: tools.amend_theory(ANN, title, "Other."),
    "rename": lambda tools, title: tools.rename_theory(ANN, title, "Knife"),
    "delete": lambda tools, title: tools.delete_theory(ANN, title),
    "restore": lambda tools, title: tools.restore_theory(ANN, title),
}


@pytest.mark.parametrize("tool", NAMING.values(), ids=NAMING)
def test_words_that_name_nothing_get_what_there_is(tools: TheoryTools, tool: Callable[[TheoryTools, str], str]) -> None:
    assert tool(tools, "Owl") == "There is no theory “Owl”. You have no saved theories at all."
    tools.save_theory(ANN, "Bell", "…")
    assert tool(tools, "Owl") == "There is no theory “Owl”.\nYour theories are:\n| - Bell"


@pytest.mark.parametrize("tool", NAMING.values(), ids=NAMING)
def test_words_that_name_several_are_answered_with_the_choice(
    tools: TheoryTools, store: InMemoryEntryStore, tool: Callable[[TheoryTools, str], str]
) -> None:
    tools.save_theory(ANN, "Owl by night", "a")
    tools.save_theory(ANN, "Owl by day", "b")
    before = store.live(SHELF)
    assert tool(tools, "the owl") == (
        "Several theories match “the owl”. Nothing was done.\n"
        "| - Owl by day (2026-11-01)\n| - Owl by night (2026-11-01)\nWhich one do you mean?"
    )
    assert store.live(SHELF) == before


@pytest.mark.parametrize("tool", NAMING.values(), ids=NAMING)
def test_users_and_bases_are_apart(
    tools: TheoryTools, store: InMemoryEntryStore, tool: Callable[[TheoryTools, str], str]
) -> None:
    for stranger in (BOB, replace(ANN, knowledge_base="contracts")):
        tools.save_theory(stranger, "Owl", "It is an omen.")
    assert tool(tools, "Owl").startswith("There is no theory “Owl”.")
    for stranger in (BOB, replace(ANN, knowledge_base="contracts")):
        assert tools.list_theories(stranger).endswith("- Owl (2026-11-01): It is an omen.")


MISSING = "is missing. Nothing was done."


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (lambda tools: tools.save_theory(ANN, "", "…"), f"The title {MISSING}"),
        (lambda tools: tools.save_theory(ANN, "Owl", "\n"), f"The statement {MISSING}"),
        (lambda tools: tools.get_theory(ANN), f"The title {MISSING}"),
        (lambda tools: tools.append_to_theory(ANN, "Bell", " "), f"The addition {MISSING}"),
        (lambda tools: tools.append_to_theory(ANN, "", "…"), f"The title {MISSING}"),
        (lambda tools: tools.amend_theory(ANN, "", "…"), f"The title {MISSING}"),
        (lambda tools: tools.amend_theory(ANN, "Bell", ""), f"The statement {MISSING}"),
        (lambda tools: tools.rename_theory(ANN, "Bell", " "), f"The new title {MISSING}"),
        (lambda tools: tools.rename_theory(ANN, " ", "Owl"), f"The title {MISSING}"),
        (lambda tools: tools.delete_theory(ANN), f"The title {MISSING}"),
        (
            lambda tools: tools.save_theory(ANN, "x" * 201, "…"),
            "The title has 201 characters and may have 200; shorten it. Nothing was done.",
        ),
        (
            lambda tools: tools.rename_theory(ANN, "Bell", "x" * 201),
            "The new title has 201 characters and may have 200; shorten it. Nothing was done.",
        ),
        (
            lambda tools: tools.amend_theory(ANN, "Bell", "y" * 4001),
            "The statement has 4001 characters and may have 4000; shorten it. Nothing was done.",
        ),
        (
            lambda tools: tools.append_to_theory(ANN, "Bell", "y" * 4001),
            "The addition has 4001 characters and may have 4000; shorten it. Nothing was done.",
        ),
    ],
)
def test_missing_or_too_long(
    tools: TheoryTools, store: InMemoryEntryStore, said: Callable[[TheoryTools], str], expected: str
) -> None:
    tools.save_theory(ANN, "Bell", "…")
    before = store.live(SHELF)
    assert said(tools) == expected
    assert store.live(SHELF) == before


class BusyStore(InMemoryEntryStore):
    """Before the tool's write, another one comes: `others` are run in turn."""

    def __init__(self, *others: Callable[[], str]) -> None:
        super().__init__()
        self.others = list(others)

    def write(self, scope: EntryScope, change: Change) -> None:
        if self.others:
            self.others.pop(0)()
        super().write(scope, change)


def test_of_two_additions_at_the_same_time_none_is_lost() -> None:
    store = BusyStore()
    tools = theory_tools(store)
    tools.save_theory(ANN, "Owl", "a")
    store.others = [lambda: tools.append_to_theory(ANN, "Owl", "b")]
    assert tools.append_to_theory(ANN, "Owl", "c").endswith("\n| a\n| b\n| c")
    assert kept(store) == {"Owl": "a\nb\nc"}


def test_a_title_that_is_taken_at_the_same_time_is_not_replaced() -> None:
    store = BusyStore()
    tools = theory_tools(store)
    store.others = [lambda: tools.save_theory(ANN, "Owl", "theirs")]
    assert tools.save_theory(ANN, "Owl", "mine").startswith("There is already a theory “Owl”.")
    assert kept(store) == {"Owl": "theirs"}


def test_what_a_change_adds_before_a_deletion_can_be_brought_back() -> None:
    store = BusyStore()
    tools = theory_tools(store)
    tools.save_theory(ANN, "Owl", "a")
    store.others = [lambda: tools.append_to_theory(ANN, "Owl", "b")]
    assert tools.delete_theory(ANN, "Owl").startswith("Deleted")
    assert tools.restore_theory(ANN, "Owl").endswith("\n| a\n| b")


def test_a_shelf_that_is_always_being_changed_is_given_up() -> None:
    store = BusyStore()
    tools = theory_tools(store)
    tools.save_theory(ANN, "Owl", "a")
    store.others = [lambda: plain_write(store) for _ in range(1000)]
    with pytest.raises(ThrottledError, match="theories are being changed from elsewhere"):
        tools.append_to_theory(ANN, "Owl", "b")


def plain_write(store: InMemoryEntryStore) -> str:
    (before,) = store.live(SHELF)
    InMemoryEntryStore.write(store, SHELF, Change(before, replace(before, version=before.version + 1), NOON))
    return ""


def test_a_misspelt_name_is_read_but_changes_nothing(tools: TheoryTools, store: InMemoryEntryStore) -> None:
    tools.save_theory(ANN, "Sleepwalking", "She knows.")
    assert tools.get_theory(ANN, "sleepwaking").startswith("The theory “Sleepwalking”, saved on 2026-11-01:")
    refused = tools.delete_theory(ANN, "sleepwaking")
    assert refused.startswith("There is no theory “sleepwaking”; did you mean “Sleepwalking”?\nYour theories are:")
    tools.save_theory(ANN, "Sleeptalking", "She knows.")
    assert tools.get_theory(ANN, "sleepwaking").startswith("There is no theory “sleepwaking”; did you mean")
    assert [*kept(store)] == ["Sleeptalking", "Sleepwalking"]
