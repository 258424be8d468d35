"""Which profile or theory is meant where a message does not give its name."""

from typing import Any

import pytest

from local.bedrock.agent_heads.earlier import Turn
from local.bedrock.agent_heads.which import changed_last, described, entry_meant, known, names_nothing, only_points
from local.bedrock.embedder import HashEmbedder
from local.bedrock.toolchoice import Call, Done, Say, next_step
from local.bedrock.tools import Tool
from tests.local.bedrock.test_toolchoice import PROFILES, THEORIES

LOCKED = Turn("save the theory Locked Door: Cyril heard all of it", "Saved the theory “Locked Door”.")
MOOR = Turn("and a theory called Moor: Ada was never ill", "Saved the theory “Moor”.")
COOK = Turn("note on Marta: the cook, limps", "Saved the character profile “Marta”.")
GARDENER = Turn("a profile of Piet: the gardener", "Saved the character profile “Piet”.")


def asked(tools: tuple[Tool, ...], message: str, *before: Turn, done: tuple[Done, ...] = ()) -> tuple[str, Any]:
    made = next_step(tools, message, before, done, HashEmbedder())
    return (made.tool.name, dict(made.arguments)) if isinstance(made, Call) else ("", made.text)


def test_known_are_the_entries_that_are_there_under_their_present_names() -> None:
    renamed = Turn("call it Attic", "Renamed the theory “Moor” to “Attic”.")
    gone = Turn("delete Locked Door", "Deleted the theory “Locked Door”. It can be brought back until 2026-12-01.")
    assert [each.entry.name for each in known((LOCKED, MOOR, COOK, renamed), "theory")] == ["Locked Door", "Attic"]
    assert [each.entry.name for each in known((LOCKED, MOOR, gone), "theory")] == ["Moor"]


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("show the one about Ada", "Moor"),
        ("what does the cyril one say?", "Locked Door"),
        ("delete the one with the illness", None),
        ("and the one where she is ill", "Moor"),
        ("who is the one?", None),
    ],
)
def test_an_entry_is_told_by_words_of_its_own(message: str, name: str | None) -> None:
    found = described(message, known((LOCKED, MOOR), "theory"))[1]
    assert (found and found.name) == name


@pytest.mark.parametrize(
    ("message", "name"),
    [("the other one", "Locked Door"), ("the first one", "Locked Door"), ("the second one", "Moor")],
)
def test_the_other_one_and_a_place_need_no_list(message: str, name: str) -> None:
    found = entry_meant(message, (LOCKED, MOOR), "theory")
    assert found is not None
    assert found.name == name


@pytest.mark.parametrize("name", ["him so far", "that theory", "it", "the profile"])
def test_words_that_only_refer_are_no_name(name: str) -> None:
    assert names_nothing(name)
    assert not names_nothing(name.title())


def test_only_what_says_nothing_else_points() -> None:
    assert only_points("and now for the other one?")
    assert not only_points("delete the other one")


def test_undo_takes_what_was_changed_last_of_either_kind() -> None:
    read = Turn("show Marta", "The character profile “Marta”, saved on 2026-11-01:\nthe cook")
    added = Turn("add that he lied", "Added to the theory “Locked Door”. It now reads:\nall of it\nhe lied")
    assert changed_last((LOCKED, COOK, added, read)) is not None
    assert asked(THEORIES, "undo that", COOK, LOCKED, added, read) == ("restore_theory", {"title": "Locked Door"})
    assert asked(PROFILES, "undo that", COOK, LOCKED, added, read) == (
        "",
        "Nothing was brought back. Say: restore the theory Locked Door",
    )


def test_a_new_name_without_an_old_one_is_of_the_entry_that_was_spoken_of_last() -> None:
    assert asked(PROFILES, "call it Shut Door", COOK, LOCKED)[1].endswith(
        "Say: rename the theory Locked Door to Shut Door"
    )
    assert asked(THEORIES, "rename the theory to Shut Door", LOCKED, COOK) == (
        "rename_theory",
        {"title": "Locked Door", "new_title": "Shut Door"},
    )


@pytest.mark.parametrize(
    "message", ["throw one of those two theories out", "delete one of my theories", "drop either of them"]
)
def test_which_of_several_is_asked(message: str) -> None:
    assert asked(THEORIES, message, LOCKED, MOOR) == ("list_theories", {})
    listed = Done(
        "list_theories", {}, "You have 2 theories:\n| - Locked Door (2026-11-01): a\n| - Moor (2026-11-01): b"
    )
    said = asked(THEORIES, message, LOCKED, MOOR, done=(listed,))[1]
    assert said.startswith("Several theories can be meant. Nothing was deleted.\n- Locked Door (2026-11-01): a\n")
    assert said.endswith("?")


def test_what_is_asked_of_one_entry_is_asked_of_the_other() -> None:
    shown = Turn("show Moor", "The theory “Moor”, saved on 2026-11-01:\nAda was never ill")
    assert asked(THEORIES, "and the other one?", LOCKED, MOOR, shown) == ("get_theory", {"title": "Locked Door"})


@pytest.mark.parametrize(
    "message", ["and what speaks against it?", "now the other way round", "does anything support that?"]
)
def test_the_evidence_for_it_is_that_for_the_theory_that_was_spoken_of(message: str) -> None:
    assert asked(THEORIES, message, LOCKED, MOOR) == ("get_theory", {"title": "Moor"})


def test_the_evidence_for_one_of_several_is_that_for_the_theory_that_the_words_fit() -> None:
    message = "what is there in the play in favour of the locking one?"
    assert asked(THEORIES, message, LOCKED, MOOR) == ("get_theory", {"title": "Locked Door"})
    assert asked(THEORIES, "is Cyril a spy?", LOCKED, MOOR) == ("search_evidence", {"query": "is Cyril a spy"})


def test_the_evidence_for_a_claim_that_is_not_saved_goes_on() -> None:
    tested = Turn("is Ada a spy?", "On “Ada is a spy”:\n\nVerdict: open.")
    assert asked(THEORIES, "what speaks against it?", MOOR, tested) == ("search_evidence", {"query": "Ada is a spy"})


def test_a_note_of_ones_own_is_found_by_its_words() -> None:
    message = "remind me who I said limps"
    assert asked(PROFILES, message, COOK, GARDENER) == ("list_profiles", {})
    text = "You have 2 profiles:\n| - character Marta (2026-11-01): the cook, limps\n| - character Piet (2026-11-01): b"
    listed = Done("list_profiles", {}, text)
    assert asked(PROFILES, message, COOK, GARDENER, done=(listed,)) == ("get_profile", {"name": "Marta"})
    assert asked(PROFILES, "what did I write about trains?", done=(listed,))[1].startswith("You have 2 profiles")


@pytest.mark.parametrize(
    "answer",
    [
        "Put in there: she runs the ferry",
        "please write in it that she runs the ferry",
        "note on her: she runs the ferry",
        "she runs the ferry",
    ],
)
def test_the_text_that_was_asked_for_is_kept_without_what_leads_to_it(answer: str) -> None:
    missing = Turn("a profile for Greet please", "The text of the character profile “Greet” is missing. What is it?")
    assert asked(PROFILES, answer, missing)[1]["description"] == "she runs the ferry"


@pytest.mark.parametrize(
    ("message", "text"),
    [("second remark: she sings", "she sings"), ("put my verdict into the profile: not guilty", "not guilty")],
)
def test_a_remark_is_added_to_the_entry_that_is_spoken_of(message: str, text: str) -> None:
    assert asked(PROFILES, message, COOK) == ("append_to_profile", {"name": "Marta", "addition": text})


@pytest.mark.parametrize(
    ("message", "title", "statement"),
    [
        ("keep as theory Silent Ada: she knew it", "Silent Ada", "she knew it"),
        ("Theory Second-Hand Leg: he lost it on land. Please keep it.", "Second-Hand Leg", "he lost it on land"),
        ("theory called Put-on Grief: he only pretends", "Put-on Grief", "he only pretends"),
    ],
)
def test_a_theory_under_its_title_is_saved_as_a_whole(message: str, title: str, statement: str) -> None:
    assert asked(THEORIES, message) == ("save_theory", {"title": title, "statement": statement})


def test_a_theory_is_read_by_its_title() -> None:
    assert asked(THEORIES, "what does Put-on Grief say?") == ("get_theory", {"title": "Put-on Grief"})


READ = Done("get_profile", {}, "The character profile “Marta”, saved on 2026-11-01:\n| the cook, limps")


def test_a_part_that_goes_leaves_the_rest_of_the_entry() -> None:
    message = "scrap the limps, keep the rest"
    assert asked(PROFILES, message, COOK) == ("get_profile", {"name": "Marta"})
    assert asked(PROFILES, "delete the bit about the limps from it", COOK) == ("get_profile", {"name": "Marta"})
    assert asked(PROFILES, message, COOK, done=(READ,)) == (
        "amend_profile",
        {"name": "Marta", "description": "the cook"},
    )
    refused = Done("amend_profile", {"description": "the cook"}, "Refused: the user's message does not ask to …")
    said = asked(PROFILES, message, COOK, done=(READ, refused))[1]
    assert said.endswith("Say: change the profile of Marta to: the cook")


def test_a_correction_of_words_that_the_entry_does_not_have_changes_nothing() -> None:
    made = next_step(PROFILES, "change it: a poet, not a baker", (COOK,), (READ,), HashEmbedder())
    assert isinstance(made, Say)
    assert made.text.startswith("Nothing was changed: I cannot tell which words of the profile “Marta”")
    assert "the cook, limps" in made.text


def test_what_no_tool_does_is_said_in_one_sentence() -> None:
    assert asked(PROFILES, "please email this profile to Marta", COOK)[1].startswith(
        "I cannot do that: I keep profiles"
    )


NAMELESS = Turn("put the coast on file: it has no winter", "The name of the profile is missing. What is it?")


def test_a_request_of_its_own_is_no_name_that_was_asked_for() -> None:
    assert asked(PROFILES, "rename it Low Coast", MARTA_RENAMED, NAMELESS)[0] == "rename_profile"
    assert asked(PROFILES, "add to Marta that she fears bees", COOK, NAMELESS)[1] == {
        "name": "Marta",
        "addition": "she fears bees",
    }
    assert "Low Coast" in asked(PROFILES, "Low Coast", NAMELESS)[1].values()
    assert asked(PROFILES, "what is kept of Marta?", COOK, NAMELESS) == ("get_profile", {"name": "Marta"})


MARTA_RENAMED = Turn("call her Martha", "Renamed the character profile “Marta” to “Martha”.")


def test_a_change_that_is_to_go_deletes_no_entry() -> None:
    added = Turn("add that she sings", "Added to the character profile “Marta”. It now reads:\nthe cook\nshe sings")
    assert asked(PROFILES, "scratch that last change", COOK, added) == ("restore_profile", {"name": "Marta"})


def test_a_correction_without_new_words_asks_for_them() -> None:
    assert asked(PROFILES, "correct it please", COOK)[1].endswith("What is it?")


def test_a_new_profile_with_nothing_but_a_name_is_asked_for_its_text() -> None:
    said = asked(PROFILES, "set up a place profile: Thornfield")[1]
    assert "The text of the profile “Thornfield” is missing" in said
    assert said.endswith("What is it?")


def test_the_right_words_are_no_name_of_an_entry() -> None:
    assert asked(PROFILES, "swap soup for Eintopf in her profile", COOK) == ("get_profile", {"name": "Marta"})
