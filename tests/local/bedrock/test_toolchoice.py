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


@pytest.mark.parametrize(
    ("message", "function", "arguments"),
    [
        (
            "create profile Paulina, widow of Antigonus",
            "save_profile",
            {"kind": "character", "name": "Paulina", "description": "widow of Antigonus"},
        ),
        (
            "create profile paulina, widow of antigonus",
            "save_profile",
            {"kind": "character", "name": "paulina", "description": "widow of antigonus"},
        ),
        (
            "Save the location Forest of Arden: where the Duke lives",
            "save_profile",
            {"kind": "location", "name": "Forest of Arden", "description": "where the Duke lives"},
        ),
        (
            "Create a profile of Dogberry: a constable, and proud of it.",
            "save_profile",
            {"kind": "character", "name": "Dogberry", "description": "a constable, and proud of it"},
        ),
        (
            "Make a profile named Dogberry: a constable",
            "save_profile",
            {"kind": "character", "name": "Dogberry", "description": "a constable"},
        ),
        ("Delete the profile called Dogberry", "delete_profile", {"name": "Dogberry"}),
        ("list my episode profiles", "list_profiles", {"kind": "episode"}),
        ("Show me my profiles", "list_profiles", {}),
        ("Show me the location Ephesus", "get_profile", {"kind": "location", "name": "Ephesus"}),
        ("Show the character profile of Rosalind", "get_profile", {"kind": "character", "name": "Rosalind"}),
        ("Delete the character “Old Man”", "delete_profile", {"kind": "character", "name": "Old Man"}),
        (
            "Save the topic Notice periods: three months",
            "save_profile",
            {"kind": "topic", "name": "Notice periods", "description": "three months"},
        ),
        (
            "Add to my profile of Paulina: she keeps the statue",
            "append_to_profile",
            {"name": "Paulina", "addition": "she keeps the statue"},
        ),
        (
            "Change the character profile of Paulina: a widow",
            "amend_profile",
            {"kind": "character", "name": "Paulina", "description": "a widow"},
        ),
        (
            "Rename the location Forest of Arden to Arden",
            "rename_profile",
            {"kind": "location", "name": "Forest of Arden", "new_name": "Arden"},
        ),
        ("Bring back the profile I deleted", "restore_profile", {}),
        ("bring back my profile of Dogberry", "restore_profile", {"name": "Dogberry"}),
        ("Restore the character profile I just deleted", "restore_profile", {"kind": "character"}),
        ("Restore version 2 of the profile of Dogberry", "restore_profile", {"name": "Dogberry", "version": "2"}),
    ],
)
def test_profile_messages_call_their_function(message: str, function: str, arguments: dict[str, str]) -> None:
    assert called(PROFILES, message) == (function, arguments)


@pytest.mark.parametrize(
    ("message", "function", "arguments"),
    [
        (
            "My theory: Rosalind is recognised by her father from the start. Does the text agree?",
            "search_evidence",
            {"query": "Rosalind is recognised by her father from the start"},
        ),
        (
            "Claim: Achilles never meant to fight fairly. Verify.",
            "search_evidence",
            {"query": "Achilles never meant to fight fairly"},
        ),
        (
            "save my theory that the ghost lies",
            "save_theory",
            {"title": "the ghost lies", "statement": "the ghost lies"},
        ),
        (
            "Save this theory: Portia's trick is cruelty to Bassanio and to herself",
            "save_theory",
            {
                "title": "Portia's trick is cruelty to Bassanio",
                "statement": "Portia's trick is cruelty to Bassanio and to herself",
            },
        ),
        ("Is Armado a spy?", "search_evidence", {"query": "Is Armado a spy"}),
        ("list my theories", "list_theories", {}),
        ("Show me all my saved theories", "list_theories", {}),
        (
            'Rename my theory "Lost child" to "Fleance: a king"',
            "rename_theory",
            {"title": "Lost child", "new_title": "Fleance: a king"},
        ),
        ("rename my theory lost child to Baby", "rename_theory", {"title": "lost child", "new_title": "Baby"}),
        (
            'Add to my theory "Ghost: a liar": he says so himself',
            "append_to_theory",
            {"title": "Ghost: a liar", "addition": "he says so himself"},
        ),
        (
            "Add to my theory about Lady Macbeth: she was never mad",
            "append_to_theory",
            {"title": "Lady Macbeth", "addition": "she was never mad"},
        ),
        (
            "Change my theory about the ghost: it tells the truth",
            "amend_theory",
            {"title": "the ghost", "statement": "it tells the truth"},
        ),
        ("Delete the theory about the ghost.", "delete_theory", {"title": "the ghost"}),
        ("Bring back the theory I deleted", "restore_theory", {}),
        ("bring back the theory that I deleted", "restore_theory", {}),
        ("Restore my theory about the ghost", "restore_theory", {"title": "the ghost"}),
        ("Restore version 3 of my theory about the ghost", "restore_theory", {"title": "the ghost", "version": "3"}),
        ("show me my theory about the ghost", "get_theory", {"title": "the ghost"}),
    ],
)
def test_theory_messages_call_their_function(message: str, function: str, arguments: dict[str, str]) -> None:
    assert called(THEORIES, message) == (function, arguments)


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
