"""Which function a message calls, with which arguments."""

from typing import Any

import pytest

from local.bedrock.embedder import HashEmbedder
from local.bedrock.toolchoice import Call, Done, Say, continued, next_step
from local.bedrock.tools import Tool

KIND = "What is described: character|location|episode|group"


def function(name: str, /, **parameters: tuple[str, bool]) -> Tool:
    described = {
        key: {"type": "string", "description": text, "required": need} for key, (text, need) in parameters.items()
    }
    return Tool.from_function({"name": name, "description": name, "parameters": described}, "group")


PROFILES = (
    function("list_profiles", kind=(KIND, False)),
    function("get_profile", kind=(KIND, True), name=("Its name", True)),
    function("save_profile", kind=(KIND, True), name=("Its name", True), description=("What to keep", True)),
    function("delete_profile", kind=(KIND, True), name=("Its name", True)),
)
THEORIES = (
    function("save_theory", title=("A short title", True), statement=("The claim", True)),
    function("list_theories"),
    function("get_theory", title=("Its title", True)),
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
            "Make a card for Dogberry with occupation constable",
            "save_profile",
            {"kind": "character", "name": "Dogberry", "description": "occupation constable"},
        ),
        (
            "In my profile of Jaques add that he leaves the court",
            "save_profile",
            {"kind": "character", "name": "Jaques", "description": "he leaves the court"},
        ),
        ("list my episode profiles", "list_profiles", {"kind": "episode"}),
        ("Which factions did I set up for the Greeks and Trojans?", "list_profiles", {"kind": "group"}),
        ("Show me my profiles", "list_profiles", {}),
        ("Show me the location Ephesus", "get_profile", {"kind": "location", "name": "Ephesus"}),
        ("Pull the character Rosalind up, please", "get_profile", {"kind": "character", "name": "Rosalind"}),
        ("Delete the character “Old Man”", "delete_profile", {"kind": "character", "name": "Old Man"}),
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
            "Show me the holes in my argument that Titus was never sane",
            "search_evidence",
            {"query": "Titus was never sane"},
        ),
        (
            "Would the lines support reading Portia's trick as cruelty?",
            "search_evidence",
            {"query": "Portia's trick as cruelty"},
        ),
        (
            "save my theory that the ghost lies",
            "save_theory",
            {"title": "the ghost lies", "statement": "the ghost lies"},
        ),
        ("Which parts weaken the hypothesis that Armado is a spy?", "search_evidence", {"query": "Armado is a spy"}),
        ("list my theories", "list_theories", {}),
        ("show me my theory about the ghost", "get_theory", {"title": "the ghost"}),
    ],
)
def test_theory_messages_call_their_function(message: str, function: str, arguments: dict[str, str]) -> None:
    assert called(THEORIES, message) == (function, arguments)


def test_a_name_without_its_kind_is_looked_up_among_what_is_saved() -> None:
    message = "Show me what I have stored under Ephesus"
    assert called(PROFILES, message) == ("list_profiles", {})
    listed = Done("list_profiles", {}, "- character Dromio: a servant in Ephesus\n- location Ephesus: a harbour")
    assert called(PROFILES, message, listed) == ("get_profile", {"kind": "location", "name": "Ephesus"})
    got = Done("get_profile", {"kind": "location", "name": "Ephesus"}, "Ephesus: a harbour town.")
    assert step(PROFILES, message, listed, got) == Say("Ephesus: a harbour town.")


def test_a_name_that_is_not_saved_is_told_so() -> None:
    listed = Done("list_profiles", {}, "character: Paulina")
    said = step(PROFILES, "Discard the draft entry for Launce.", listed)
    assert said == Say("I found nothing saved under Launce.")


@pytest.mark.parametrize(
    ("message", "missing"),
    [("Create a character profile", "name"), ("Save a profile for Paulina", "description"), ("Show a profile", "kind")],
)
def test_a_missing_argument_is_asked_for(message: str, missing: str) -> None:
    said = step(PROFILES, message)
    assert isinstance(said, Say)
    assert said.asks
    assert missing in said.text


def test_an_answer_completes_the_message_before_and_an_instruction_does_not() -> None:
    assert (
        called(PROFILES, continued("Create a character profile", "Paulina, widow of Antigonus"))[1]["name"] == "Paulina"
    )
    assert continued("Create a character profile", "list my profiles") == "list my profiles"


def test_evidence_is_quoted_from_the_passages_of_the_result() -> None:
    result = (
        "[1] Episode: Hamlet · Chapter: 1.5\nGHOST: The serpent that did sting thy father's life now wears his crown.\n"
    )
    done = Done("search_evidence", {"query": "The serpent that stung the father wears his crown"}, result)
    said = step(THEORIES, "My theory: the serpent wears the crown. Does the text agree?", done)
    assert isinstance(said, Say)
    assert "— Hamlet, 1.5 [1]" in said.text


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


def test_json_results_are_told_in_lines() -> None:
    result = '[{"name": "Paulina", "kind": "character"}, {"name": "Ephesus", "kind": "location"}]'
    said = step(PROFILES, "list my profiles", Done("list_profiles", {}, result))
    assert said == Say("- name: Paulina; kind: character\n- name: Ephesus; kind: location")


def test_tools_of_other_names_are_chosen_by_their_description() -> None:
    weather = Tool("forecast", "The weather of a city", ())
    tides = Tool("tides", "High and low water of a harbour", ())
    assert called((weather, tides), "How high is the water in the harbour?")[0] == "tides"
    assert isinstance(step((weather, tides), "Hello"), Say)
