"""What the stand-in's heads read in a message, and what they take from the turns before."""

import pytest

from local.bedrock.agent_heads.earlier import Mentioned, Turn, chosen, claim, last_change, meant, turns_of
from local.bedrock.agent_heads.line import line_of, tokens_of
from local.bedrock.agent_heads.request import PACKAGED, cleaned, load_agent_heads, packaged
from tools.agents.examples import digest, load
from tools.agents.training import span_of, varied
from tools.agents.unseen import finds, like


def test_the_heads_have_learnt_from_the_examples_as_they_are() -> None:
    assert load_agent_heads(PACKAGED.read_bytes()).digest == digest(load())


def test_every_example_has_its_arguments_in_itself_or_in_the_messages_before() -> None:
    for each in load():
        said = "\n".join((each.message, *each.earlier)).lower()
        assert all(value.lower() in said for value in (each.name, each.new_name) if not each.earlier), each


def test_words_of_all_scripts_are_tokens_with_their_places() -> None:
    message = "Add l'eau to Ann's card: 「水」 3.5 l"
    tokens = tokens_of(message)
    assert [each.text for each in tokens] == [
        *("add", "l'", "eau", "to", "ann", "'s", "card", ":", '"', "水", '"', "3.5", "l"),
    ]
    assert all(message[each.start : each.end] == each.raw for each in tokens)


def test_a_text_of_thousands_of_words_is_read_to_its_end() -> None:
    message = "Create a profile of Ann: " + "she limps and " * 1500 + "sings"
    assert packaged().read(message).text.endswith("sings")


@pytest.mark.parametrize(("text", "bare"), [(" “Ann”, ", "Ann"), ("Faustus (old)", "Faustus (old)"), ("(old)", "old")])
def test_marks_around_an_argument_are_left_out(text: str, bare: str) -> None:
    assert cleaned(text) == bare


def test_turns_are_read_from_their_quotation() -> None:
    assert turns_of("Earlier turns:\n\nUser:\n| a\n| b\nYou:\n| Saved.\n\nUser:\n| c") == (
        Turn("a\nb", "Saved."),
        Turn("c", ""),
    )


RENAMED = Turn("call him Lord Ross", "Renamed the character profile “Ross” to “Lord Ross”.")
LISTED = Turn("my theories", "You have 2 theories:\n- Owl (2026-11-01): an omen\n- Bear (2026-11-02): real")


def test_it_is_what_was_named_last_under_its_present_name() -> None:
    assert meant((RENAMED,), "profile", packaged()) == Mentioned("Lord Ross", "character")
    assert meant((RENAMED, Turn("theories?", LISTED.answer)), "profile", packaged()) is not None
    assert meant((), "profile", packaged()) is None


@pytest.mark.parametrize(("message", "name"), [("the second one", "Bear"), ("drop the last", "Bear"), ("1st", "Owl")])
def test_a_place_is_one_of_the_last_list(message: str, name: str) -> None:
    assert chosen(message, (LISTED, RENAMED)) == Mentioned(name)


def test_a_place_that_the_list_does_not_have_is_none() -> None:
    assert chosen("the third one", (LISTED,)) is None
    assert chosen("the second one", (RENAMED,)) is None


def test_the_last_change_of_an_entry_is_told_by_its_answer() -> None:
    assert last_change((RENAMED, LISTED), "profile", "Ross") == "Renamed"
    assert last_change((RENAMED,), "theory", "Ross") == ""


def test_a_claim_is_what_was_said_and_not_what_was_shown() -> None:
    said = Turn("my theory: the bear is real", "I found no lines.")
    assert claim((said, Turn("show my theories", "You have no theories.")), packaged()) == "the bear is real"


def test_a_variant_has_its_arguments_in_its_message() -> None:
    for each in list(varied(load()[:60])):
        line = line_of(each.message, frozenset(), packaged().lexicon)
        if each.new_name:
            assert span_of(line, each.new_name, "new_name") is not None


def test_arguments_are_alike_if_most_words_are_and_names_if_the_tools_find_them() -> None:
    assert like("the bear is real", "bear is real")
    assert not like("the bear", "the bear is real indeed")
    assert finds("Keep", "the siege of Karrow Keep")
    assert not finds("Keep tower", "the siege of Karrow Keep")
