"""Which function a message calls, with which arguments."""

from typing import Any

import pytest

from local.bedrock.embedder import HashEmbedder
from local.bedrock.toolchoice import Call, Done, Say, next_step
from local.bedrock.tools import Tool

KIND = "What is described: character|location|episode|group|topic"


def function(name: str, /, **parameters: tuple[str, bool]) -> Tool:
    described = {
        key: {"type": "string", "description": text, "required": need} for key, (text, need) in parameters.items()
    }
    return Tool.from_function({"name": name, "description": name, "parameters": described}, "group")


PROFILES = (
    function("list_profiles", kind=(KIND, False)),
    function("get_profile", kind=(KIND, False), name=("Its name", True)),
    function("save_profile", kind=(KIND, True), name=("Its name", True), description=("What to keep", True)),
    function("append_to_profile", kind=(KIND, False), name=("Its name", True), addition=("What is new", True)),
    function("amend_profile", kind=(KIND, False), name=("Its name", True), description=("What to keep", True)),
    function("rename_profile", kind=(KIND, False), name=("Its name", True), new_name=("Its new name", True)),
    function("delete_profile", kind=(KIND, False), name=("Its name", True)),
    function("restore_profile", kind=(KIND, False), name=("Its name", False), version=("Its number", False)),
)
THEORIES = (
    function("save_theory", title=("A short title", True), statement=("The claim", True)),
    function("list_theories"),
    function("get_theory", title=("Its title", True)),
    function("append_to_theory", title=("Its title", True), addition=("What is new", True)),
    function("amend_theory", title=("Its title", True), statement=("The claim", True)),
    function("rename_theory", title=("Its title", True), new_title=("Its new title", True)),
    function("delete_theory", title=("Its title", True)),
    function("restore_theory", title=("Its title", False), version=("Its number", False)),
    function("search_evidence", query=("The claim", True)),
)


def step(tools: tuple[Tool, ...], message: str, *done: Done) -> Call | Say:
    return next_step(tools, message, done, HashEmbedder())


def called(tools: tuple[Tool, ...], message: str, *done: Done) -> tuple[str, dict[str, Any]]:
    made = step(tools, message, *done)
    assert isinstance(made, Call), made
    return made.tool.name, dict(made.arguments)


PAULINA = {"kind": "character", "name": "Paulina", "description": "widow of Antigonus"}
CALLS: list[tuple[tuple[Tool, ...], str, str, dict[str, str]]] = [
    (PROFILES, "create profile Paulina, widow of Antigonus", "save_profile", PAULINA),
    (PROFILES, "Delete the profile called Dogberry", "delete_profile", {"name": "Dogberry"}),
    (PROFILES, "Delete the character “Old Man”", "delete_profile", {"kind": "character", "name": "Old Man"}),
    (PROFILES, "list my episode profiles", "list_profiles", {"kind": "episode"}),
    (PROFILES, "Show me my profiles", "list_profiles", {}),
    (PROFILES, "Show me the location Ephesus", "get_profile", {"kind": "location", "name": "Ephesus"}),
    (PROFILES, "Add to my profile of Ann: old", "append_to_profile", {"name": "Ann", "addition": "old"}),
    (PROFILES, "Bring back the profile I deleted", "restore_profile", {}),
    (PROFILES, "Restore version 2 of the profile of Ann", "restore_profile", {"name": "Ann", "version": "2"}),
    (THEORIES, "Claim: Achilles never fought. Verify.", "search_evidence", {"query": "Achilles never fought"}),
    (THEORIES, "Is Armado a spy?", "search_evidence", {"query": "Is Armado a spy"}),
    (THEORIES, "save my theory that A lies", "save_theory", {"title": "A lies", "statement": "A lies"}),
    (THEORIES, "list my theories", "list_theories", {}),
    (THEORIES, "show me my theory about the ghost", "get_theory", {"title": "the ghost"}),
    (THEORIES, "rename my theory lost child to Baby", "rename_theory", {"title": "lost child", "new_title": "Baby"}),
    (THEORIES, 'Add to my theory "A: b": c', "append_to_theory", {"title": "A: b", "addition": "c"}),
    (THEORIES, "Change my theory about A: it is true", "amend_theory", {"title": "A", "statement": "it is true"}),
    (THEORIES, "Delete the theory about the ghost.", "delete_theory", {"title": "the ghost"}),
    (THEORIES, "bring back the theory that I deleted", "restore_theory", {}),
]


@pytest.mark.parametrize(("tools", "message", "function", "arguments"), CALLS, ids=[each[1] for each in CALLS])
def test_a_message_calls_its_function(tools: tuple[Tool, ...], message: str, function: str, arguments: object) -> None:
    assert called(tools, message) == (function, arguments)


@pytest.mark.parametrize(
    ("message", "missing"),
    [
        ("Create a character profile", "name"),
        ("Save a profile for Paulina", "description"),
        ("Show a profile", "name"),
        ("Add to my profile of Paulina", "addition"),
    ],
)
def test_a_missing_argument_is_asked_for(message: str, missing: str) -> None:
    said = step(PROFILES, message)
    assert isinstance(said, Say)
    assert said.asks
    assert missing in said.text


def test_passages_without_numbers_are_quoted_by_their_places_alone() -> None:
    result = (
        "Passages from the documents.\n\n"
        "Passage: Episode: Hamlet · Chapter: 1.4 The platform.\nSpeakers: Horatio\n| HORATIO: Look, it comes!\n\n"
        "Passage: Episode: Hamlet · Chapter: 1.5 Another part.\nSpeakers: Ghost\n"
        "| GHOST: The serpent that did sting thy father's life\n| now wears his crown.\n\n(4 more not shown here.)"
    )
    done = Done("search_evidence", {"query": "The serpent that did sting thy father's life"}, result)
    said = step(THEORIES, "My theory: the serpent wears the crown. Does the text agree?", done)
    assert isinstance(said, Say)
    assert 'Ghost says: "The serpent that did sting thy father\'s life" — Hamlet, 1.5\n' in f"{said.text}\n"
    assert "[" not in said.text
    assert "|" not in said.text
    assert "more not shown" not in said.text


def test_a_result_without_passages_is_told_as_it_is() -> None:
    listed = Done("list_profiles", {}, "- character Paulina: a widow\n")
    assert step(PROFILES, "list my profiles", listed) == Say("- character Paulina: a widow")


@pytest.mark.parametrize("message", ["Hello", "Make a card for Dogberry", "Save my theory: The porter is drunk"])
def test_a_message_that_calls_no_tool_on_offer_is_told_what_can_be_done(message: str) -> None:
    said = step(PROFILES, message)
    assert said == Say(
        "I can do this here: list profiles, get profile, save profile, append to profile, amend profile, "
        "rename profile, delete profile, restore profile."
    )
