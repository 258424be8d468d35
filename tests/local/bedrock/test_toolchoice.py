"""Which function a message calls, with which arguments."""

from typing import Any

import pytest

from local.bedrock.agent_heads.earlier import Turn
from local.bedrock.agent_replies import ASKING
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
    function("list_theories"),
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
    function("list_profiles", kind=(KIND, False)),
    function("get_theory", title=("Its title", True)),
    function("append_to_theory", title=("Its title", True), addition=("What is new", True)),
    function("amend_theory", title=("Its title", True), statement=("The claim", True)),
    function("rename_theory", title=("Its title", True), new_title=("Its new title", True)),
    function("delete_theory", title=("Its title", True)),
    function("restore_theory", title=("Its title", False), version=("Its number", False)),
    function("search_evidence", query=("The claim", True)),
    function(
        "judge_theory",
        title=("Its title", False),
        verdict=("The verdict", True),
        supporting=("Numbers", False),
        contradicting=("Numbers", False),
        reason=("Why", True),
    ),
)


def step(tools: tuple[Tool, ...], message: str, *done: Done, before: tuple[Turn, ...] = ()) -> Call | Say:
    return next_step(tools, message, before, done, HashEmbedder())


def called(tools: tuple[Tool, ...], message: str, *done: Done, before: tuple[Turn, ...] = ()) -> tuple[str, Any]:
    made = step(tools, message, *done, before=before)
    assert isinstance(made, Call), made
    return made.tool.name, dict(made.arguments)


def said(tools: tuple[Tool, ...], message: str, *done: Done, before: tuple[Turn, ...] = ()) -> str:
    found = step(tools, message, *done, before=before)
    assert isinstance(found, Say), found
    return found.text


PAULINA = {"kind": "character", "name": "Paulina", "description": "widow of Antigonus"}
CALLS: list[tuple[tuple[Tool, ...], str, str, dict[str, str]]] = [
    (PROFILES, "create profile Paulina, widow of Antigonus", "save_profile", PAULINA),
    (PROFILES, "Delete the profile called Dogberry", "delete_profile", {"name": "Dogberry"}),
    (PROFILES, "Delete the character “Old Man”", "delete_profile", {"kind": "character", "name": "Old Man"}),
    (PROFILES, "list my episode profiles", "list_profiles", {"kind": "episode"}),
    (PROFILES, "Show my profiles", "list_profiles", {}),
    (PROFILES, "Show me my profiles", "list_profiles", {}),
    (PROFILES, "Show me the location Ephesus", "get_profile", {"kind": "location", "name": "Ephesus"}),
    (PROFILES, "Add to my profile of Ann: old", "append_to_profile", {"name": "Ann", "addition": "old"}),
    (PROFILES, "Bring back the profile I deleted", "restore_profile", {}),
    (PROFILES, "Restore version 2 of the profile of Ann", "restore_profile", {"name": "Ann", "version": "2"}),
    (THEORIES, "Claim: Achilles never fought. Verify.", "search_evidence", {"query": "Achilles never fought"}),
    (PROFILES, "tell me everything in the profile Marlow", "get_profile", {"name": "Marlow"}),
    (THEORIES, "analyze theory: A lies", "search_evidence", {"query": "A lies"}),
    (THEORIES, "Is Armado a spy?", "search_evidence", {"query": "Is Armado a spy"}),
    (THEORIES, "save my theory that A lies", "save_theory", {"title": "A lies", "statement": "A lies"}),
    (THEORIES, "list my theories", "list_theories", {}),
    (THEORIES, "show me my theory about the ghost", "get_theory", {"title": "the ghost"}),
    (THEORIES, "rename my theory lost child to Baby", "rename_theory", {"title": "lost child", "new_title": "Baby"}),
    (THEORIES, 'Add to my theory "A: b": c', "append_to_theory", {"title": "A: b", "addition": "c"}),
    (THEORIES, "Change my theory about A: it is true", "get_theory", {"title": "A"}),
    (THEORIES, 'get rid of "Banquo knew" - yes, sure', "delete_theory", {"title": "Banquo knew"}),
    (THEORIES, "Delete the theory about the ghost.", "delete_theory", {"title": "the ghost"}),
    (THEORIES, "bring back the theory that I deleted", "restore_theory", {}),
]


@pytest.mark.parametrize(("tools", "message", "function", "arguments"), CALLS, ids=[each[1] for each in CALLS])
def test_a_message_calls_its_function(tools: tuple[Tool, ...], message: str, function: str, arguments: object) -> None:
    assert called(tools, message) == (function, arguments)


@pytest.mark.parametrize(
    ("message", "missing"),
    [("Create a character profile", "name"), ("Save a profile for Paulina", "text"), ("Show a profile", "name")],
)
def test_a_missing_argument_is_asked_for_and_the_next_message_is_taken_as_it(message: str, missing: str) -> None:
    asked = said(PROFILES, message)
    assert asked.endswith(ASKING)
    assert f"{missing} of the profile" in asked
    reply = step(PROFILES, "Perdita", before=(Turn(message, asked),))
    assert isinstance(reply, Say) or "Perdita" in reply.arguments.values()


SAVED = Turn("note that Paulina is a widow", "Saved the character profile “Paulina”.")
RENAMED = Turn("rename it", "Renamed the character profile “Paulina” to “Lady Paulina”.")
TWO = Turn("my profiles", "You have 2:\n- character Ann (2026-11-01): old\n- location Ephesus (2026-11-01): a port")
CLAIM = Turn("my theory: the bear is real. Any evidence?", "Nothing was found.")


@pytest.mark.parametrize(
    ("message", "before", "function", "name"),
    [
        ("delete it", SAVED, "delete_profile", "Paulina"),
        ("undo", RENAMED, "restore_profile", "Lady Paulina"),
        ("delete the second one", TWO, "delete_profile", "Ephesus"),
        ("rename the first one to Anna", TWO, "rename_profile", "Ann"),
    ],
)
def test_what_is_not_named_stands_in_the_turns_before(message: str, before: Turn, function: str, name: str) -> None:
    tool, arguments = called(PROFILES, message, before=(before,))
    assert (tool, arguments["name"]) == (function, name)


@pytest.mark.parametrize(
    ("message", "name"),
    [("throw away “Ann first”, definitely", "Ann first"), ("pls remove old mill again, without asking", "old mill")],
)
def test_a_name_that_an_answer_gave_or_a_quotation_is_no_ordinal_and_no_it(message: str, name: str) -> None:
    shown = Turn("list", "You have 2:\n- location Old Mill (2026-11-01): a\n- topic Ann first (2026-11-01): b")
    assert called(PROFILES, message, before=(shown, SAVED))[1]["name"] == name


def test_a_correction_changes_its_part_of_the_entry_and_anything_else_all_of_it() -> None:
    read = Done("get_profile", {}, "The character profile “Ann”, saved on 2026-11-01:\n| She is forty and limps.")
    for message, text in (
        ("Correct Ann's profile: she is forty-two, not forty", "She is forty-two and limps."),
        ("Change Ann's profile to: a doctor", "a doctor"),
    ):
        tool, arguments = called(PROFILES, message, read)
        assert (tool, arguments["description"]) == ("amend_profile", text)


@pytest.mark.parametrize(
    "said", ["There is no profile “Osric”.", "The topic profile “Osric” was deleted on 2026-11-26."]
)
def test_a_new_entry_that_seemed_more_on_an_old_one_is_saved(said: str) -> None:
    message = "and one more profile called Osric, text: a silly courtier"
    assert called(PROFILES, message, Done("append_to_profile", {}, said))[0] == "save_profile"


def test_one_entry_is_shown_and_no_list() -> None:
    assert called(PROFILES, "Show the character profile of Oswald") == (
        "get_profile",
        {"name": "Oswald", "kind": "character"},
    )
    assert called(PROFILES, "list every note you keep for me")[0] == "list_profiles"


def test_an_addition_without_an_entry_that_it_could_be_added_to_is_a_new_one() -> None:
    missing = Done("append_to_profile", {}, "There is no profile “Osric”.")
    assert called(PROFILES, "and one for Osric: a silly courtier", missing)[0] == "save_profile"
    assert said(PROFILES, "add to Osric that he is a silly courtier", missing).startswith("There is no profile")


@pytest.mark.parametrize(
    "message",
    [
        "can you extend the profile of Duncan with: trusts the wrong thanes",
        "Please expand Duncan's profile: trusts the wrong thanes",
        "Kannst du das Profil von Duncan erweitern mit: trusts the wrong thanes",
        "Amplía el perfil de Duncan con: trusts the wrong thanes",
        "Complète le profil de Duncan avec : trusts the wrong thanes",
    ],
)
def test_what_extends_an_entry_replaces_nothing(message: str) -> None:
    assert called(PROFILES, message) == (
        "append_to_profile",
        {"name": "Duncan", "addition": "trusts the wrong thanes"},
    )


@pytest.mark.parametrize(
    "message",
    ["the word spy is too strong, make it servant sent to watch Laertes", "Change Ann's profile to: a doctor"],
)
def test_what_corrects_an_entry_is_no_addition(message: str) -> None:
    assert called(PROFILES, message, before=(SAVED,))[0] == "get_profile"


def test_a_name_that_is_to_come_later_is_none() -> None:
    message = "Theory for the drawer: the bear is real. Save it, I'll name it later."
    assert called(THEORIES, message)[1]["title"] != "later"


SISTERS = Turn("a group: the sisters", "Saved the group profile “Weird Sisters”.")


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("put down as well that Hecate is their mistress", "Hecate is their mistress"),
        ("note too that Banquo fears them", "Banquo fears them"),
        ("schreib auch noch rein, dass Hekate ihre Herrin ist", "Hekate ihre Herrin ist"),
    ],
)
def test_more_on_the_entry_that_was_spoken_of_makes_no_entry_of_the_one_it_names(message: str, text: str) -> None:
    assert called(PROFILES, message, before=(SISTERS,)) == (
        "append_to_profile",
        {"name": "Weird Sisters", "addition": text},
    )


def test_a_note_on_another_is_still_a_new_one() -> None:
    assert called(PROFILES, "Note about Ross: he brings the news", before=(SISTERS,))[1]["name"] == "Ross"


@pytest.mark.parametrize(
    ("message", "title", "statement"),
    [
        ("Theory: the madness is real from act 4 on. Name it Real Madness.", "Real Madness", "the madness is real"),
        ("Theory: Fleance became king. Call it Fleance Rex", "Fleance Rex", "Fleance became king"),
        ("My theory is that she faints on purpose, title: Faint", "Faint", "she faints on purpose"),
        (
            "I think Banquo knew all along. Keep it under the name Silent Banquo",
            "Silent Banquo",
            "Banquo knew all along",
        ),
        ("Theorie: Macduff wusste alles. Nenn sie Stiller Macduff.", "Stiller Macduff", "Macduff wusste alles"),
    ],
)
def test_a_theory_that_is_given_a_name_is_saved(message: str, title: str, statement: str) -> None:
    name, arguments = called(THEORIES, message)
    assert (name, arguments["title"]) == ("save_theory", title)
    assert arguments["statement"].startswith(statement)


def test_a_theory_without_a_name_is_weighed_and_a_new_name_alone_renames() -> None:
    assert called(THEORIES, "Theory: Ross is a spy")[0] == "search_evidence"
    assert called(THEORIES, "Rename the theory Owl. Call it Night Bird.") == (
        "rename_theory",
        {"title": "Owl", "new_title": "Night Bird"},
    )


NO_FORTINBRAS = Turn(
    "what do I have on Fortinbras?", "There is no profile “Fortinbras”.\nYour profiles are:\n- topic Owl"
)


@pytest.mark.parametrize(
    "message",
    [
        "ok then make one: Prince of Norway, takes the crown at the end",
        "alors crée-en une : Prince of Norway, takes the crown at the end",
        "please create one for him: Prince of Norway, takes the crown at the end",
        "dann leg eins an: Prince of Norway, takes the crown at the end",
    ],
)
def test_one_that_is_made_after_it_was_missed_has_the_name_that_was_asked_for(message: str) -> None:
    tool, arguments = called(PROFILES, message, before=(NO_FORTINBRAS,))
    assert tool == "save_profile"
    assert (arguments["name"], arguments["description"]) == (
        "Fortinbras",
        "Prince of Norway, takes the crown at the end",
    )


def test_one_that_is_made_for_another_has_its_own_name() -> None:
    for message in ("make a profile of Osric: a courtier", "crée une fiche pour Osric : un courtisan"):
        assert called(PROFILES, message, before=(NO_FORTINBRAS,))[1]["name"] == "Osric"


@pytest.mark.parametrize("message", ["what's in it?", "how does it read now?", "was steht da drin?", "show it to me"])
def test_what_is_in_it_shows_the_entry_that_was_just_saved(message: str) -> None:
    assert called(PROFILES, message, before=(SISTERS,)) == ("get_profile", {"name": "Weird Sisters"})


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("Create a profile of Banquo from what the play says about him", "Banquo"),
        ("make a profile of Seyton based on the script", "Seyton"),
        ("profile of Greta from the play please", "Greta"),
        ("Erstelle ein Profil von Hedda aus dem, was im Stück steht", "Hedda"),
    ],
)
def test_a_profile_out_of_the_texts_is_refused_with_what_can_be_done(message: str, name: str) -> None:
    assert said(PROFILES, message) == (
        "Nothing was saved: a profile holds what you write, and I write none out of the texts. "
        f"Ask about {name} first, then keep what you want in your own words. Say: create a profile of {name}: …"
    )


def test_words_of_the_user_that_speak_of_the_play_are_kept() -> None:
    assert called(PROFILES, "Create a profile of Ross: a thane from the play")[0] == "save_profile"


def test_a_kind_before_a_name_is_no_part_of_it() -> None:
    message = "Start a profile about the group Weird Sisters: three witches"
    assert called(PROFILES, message)[1]["name"] == "Weird Sisters"


def test_an_addition_to_what_the_other_agent_keeps_says_how_to_ask_for_it() -> None:
    beside = Done("append_to_profile", {}, "There is no profile “osric”, but a theory. Nothing was done.")
    assert said(PROFILES, "add to my note on osric: he is vain", beside) == (
        "There is no profile “osric”, but a theory.\n"
        "Nothing was added. If you mean a theory, say: add to the theory osric: he is vain"
    )


def test_an_entry_that_is_not_there_may_be_of_the_other_agent() -> None:
    unknown = Done("delete_profile", {}, "There is no profile “Spy”.")
    assert said(PROFILES, "delete the profile Spy", unknown).endswith(
        "If you mean a theory, say: delete the theory Spy"
    )


def test_a_remark_is_of_the_entry_that_is_spoken_of() -> None:
    assert called(PROFILES, "Correction: no widow, they should be two", before=(SAVED,)) == (
        "get_profile",
        {"name": "Paulina"},
    )
    supper = Turn("keep an episode card for the Banquet: the supper", "Saved the episode profile “Banquet”.")
    remark = "put in my own remark: long table, candles only, nobody in the chair but we see it move"
    tool, arguments = called(PROFILES, remark, before=(supper,))
    assert (tool, arguments["name"]) == ("append_to_profile", "Banquet")


@pytest.mark.parametrize("message", ["the lucky one", "the first one", "Fortinbras just got lucky"])
def test_an_entry_is_picked_of_several_that_fit(message: str) -> None:
    several = "Several theories match “fortinbras”. Nothing was done."
    asked = "- Fortinbras just got lucky (2026-11-28)\n- Fortinbras planned it (2026-11-28)\nWhich one do you mean?"
    before = (Turn("delete the fortinbras theory", f"{several}\n{asked}"),)
    assert called(THEORIES, message, before=before) == ("delete_theory", {"title": "Fortinbras just got lucky"})
    assert called(THEORIES, "show my theories", before=before)[0] == "list_theories"


def test_a_claim_that_is_no_theory_of_the_user_is_searched_for() -> None:
    asked = '"the lady doth protest too much" - who actually speaks that line in the text? i bet it isnt hamlet'
    missing = Done("get_theory", {}, "There is no theory “the lady doth protest too much”.")
    assert called(THEORIES, asked, missing)[0] == "search_evidence"


def test_a_claim_of_the_turn_before_is_saved_under_the_title_of_this_one() -> None:
    arguments = {"title": "Exit", "statement": "the bear is real"}
    assert called(THEORIES, "save that as a theory called Exit", before=(CLAIM,)) == ("save_theory", arguments)


def test_what_was_newly_saved_is_undone_by_a_deletion_that_the_user_asks_for() -> None:
    assert said(PROFILES, "undo", before=(SAVED,)).endswith("Say: delete the profile of Paulina")


def test_a_theory_that_was_newly_saved_is_undone_as_a_theory() -> None:
    saved = Turn("save the theory that the bear is real", "Saved the theory “The bear is real”.")
    assert said(THEORIES, "undo", before=(saved,)).endswith("Say: delete the theory The bear is real")


def test_more_on_an_entry_that_is_there_is_added_to_it() -> None:
    taken = Done("save_profile", {}, "There is already a character profile “Paulina”. Nothing was saved. It says:\n| a")
    tool, arguments = called(PROFILES, "note that Paulina is bold", taken)
    assert (tool, arguments["name"]) == ("append_to_profile", "Paulina")
    created = said(PROFILES, "Create a profile of Paulina: bold", taken)
    assert created.endswith("Say: add to the profile of Paulina: bold")


def test_a_message_for_both_lists_both() -> None:
    message = "show all my profiles and theories"
    assert called(THEORIES, message) == ("list_profiles", {})
    profiles = Done("list_profiles", {}, "You have no profiles.")
    assert called(THEORIES, message, profiles) == ("list_theories", {})
    theories = Done("list_theories", {}, "You have no theories.")
    assert said(THEORIES, message, profiles, theories) == "You have no profiles.\n\nYou have no theories."


def test_the_evidence_for_a_saved_theory_is_searched_by_its_statement() -> None:
    message = "Is there evidence for my theory Exit?"
    assert called(THEORIES, message) == ("get_theory", {"title": "Exit"})
    read = Done("get_theory", {"title": "Exit"}, "The theory “Exit”, saved on 2026-11-01:\n| the bear is real\n")
    assert called(THEORIES, message, read) == ("search_evidence", {"query": "the bear is real"})


READ = Done("get_theory", {"title": "Exit"}, "The theory “Exit”, saved on 2026-11-01:\n| the bear is real\n\nVerdict …")
FOUND = "Passages\n\n[4]\nDocument:\n| Tales\nSection:\n| Woods\nText:\n| The bear is not real. A wolf is."


def test_a_saved_theory_is_searched_for_and_against_then_judged_then_told() -> None:
    message = "Is there evidence for my theory Exit?"
    first = Done("search_evidence", {"query": "the bear is real"}, FOUND)
    assert called(THEORIES, message, READ, first) == ("search_evidence", {"query": "the bear is not real"})
    second = Done("search_evidence", {"query": "the bear is not real"}, FOUND)
    name, arguments = called(THEORIES, message, READ, first, second)
    assert name == "judge_theory"
    assert arguments.pop("reason").endswith("0 speak for it and 1 against it.")
    assert arguments == {"title": "Exit", "verdict": "contradicted", "contradicting": "4"}
    judged = Done("judge_theory", arguments, "The theory “Exit” was judged contradicted.\nAnswer with the verdict.")
    assert said(THEORIES, message, READ, first, second, judged) == (
        'On “the bear is real”:\n\nAgainst:\n"The bear is not real." — Tales, Woods [4]\n\nVerdict: contradicted.\n\n'
        "The theory “Exit” was judged contradicted."
    )
    refused = Done("judge_theory", arguments, "Refused: no search found passages that are near enough.")
    assert called(THEORIES, message, READ, first, second, refused)[1]["verdict"] == "open"


def test_a_refusal_and_another_agents_request_say_that_nothing_was_done_with_a_sentence_to_copy() -> None:
    refused = Done("save_profile", {}, "Refused: the user's message does not ask to save anything, so nothing …")
    assert said(PROFILES, "Create a profile of Paulina: a widow", refused) == (
        "Nothing was saved, because your message does not clearly ask for it. Say: create a profile of Paulina: a widow"
    )
    assert said(PROFILES, "Save as a theory called Exit: the bear is real") == (
        "Nothing was saved. Say: create a theory called Exit: the bear is real"
    )


def test_passages_without_numbers_are_quoted_by_their_places_alone() -> None:
    result = (
        "Passages from the documents.\n\n"
        "Passage: Episode: Hamlet · Chapter: 1.4 The platform.\nSpeakers: Horatio\n| HORATIO: Look, it comes!\n\n"
        "Passage: Episode: Hamlet · Chapter: 1.5 Another part.\nSpeakers: Ghost\n"
        "| GHOST: The serpent that did sting thy father's life\n| now wears his crown.\n\n(4 more not shown here.)"
    )
    done = Done("search_evidence", {"query": "The serpent that did sting thy father's life"}, result)
    text = said(THEORIES, "My theory: the serpent did sting thy father's life. Does the text agree?", done, done)
    assert 'For:\nGhost says: "The serpent that did sting thy father\'s life" — Hamlet, 1.5\n' in text
    assert "[" not in text
    assert "|" not in text
    assert "more not shown" not in text


def test_a_result_without_passages_is_told_as_it_is() -> None:
    listed = Done("list_profiles", {}, "- character Paulina: a widow\n")
    assert step(PROFILES, "list my profiles", listed) == Say("- character Paulina: a widow")
