"""The pattern language of the rules file."""

import pytest

from cicada.planning.pattern_language import PatternError, inflections, parse_pattern, parse_words
from cicada.planning.tokenizer import tokenise

LISTS = {"entry": parse_words("profile+, index card+, note"), "verb": parse_words("set up, set")}


def found(pattern: str, text: str) -> bool:
    return parse_pattern(pattern, LISTS).find(tokenise(text)) is not None


def test_a_word_is_matched_as_a_whole() -> None:
    assert found("list", "please list them")
    assert not any(found("list", text) for text in ("listen", "it glistens", "enlist", "a listing"))


def test_plus_adds_the_regular_inflections() -> None:
    assert all(found("save+", text) for text in ("save", "saves", "saved it", "saving"))
    assert {"tags", "tagged", "tagging"} <= inflections("tag")
    assert {"copies", "copied", "copying"} <= inflections("copy")
    assert {"plays", "played"} <= inflections("play")
    assert "searches" in inflections("search")


def test_a_list_holds_words_and_phrases() -> None:
    assert found("my {entry}", "all my index cards")
    assert not found("my {entry}", "all my index")


def test_a_longer_phrase_is_tried_before_its_beginning_and_given_up_when_the_rest_fails() -> None:
    assert found("{verb} it", "set up it")
    assert found("{verb} up", "set up")


def test_an_optional_item_may_be_absent() -> None:
    assert found("a new? {entry}", "a profile")
    assert found("a new? {entry}", "a new profile")
    assert not found("a new? {entry}", "a nice profile")


def test_a_gap_skips_words_of_one_sentence_only() -> None:
    assert found("save ... note", "save all that in the note")
    assert not found("save ... note", "save it. Take note")


def test_a_numbered_gap_is_that_long() -> None:
    assert found("save ..2 note", "save the new note")
    assert not found("save ..2 note", "save the very new note")


def test_the_edges_are_the_start_of_a_sentence_and_the_end_of_the_message() -> None:
    assert found("^ prove it", "She lies. Prove it now")
    assert not found("^ prove it", "to prove it")
    assert found("prove it $", "Prove it!")
    assert not found("prove it $", "Prove it now")
    assert found("agree|fair $", "Is it fair?")


def test_kinds_of_token_are_told_apart() -> None:
    assert found("ask {name}", "Ask Anne") and not found("ask {name}", "ask anne")
    assert found("{number} times {number}", "is 12 times 3") and not found("{number} times", "many times")
    assert found("tag {quote}", "the tag 'villain'")
    assert found("he {any} it", "he took it") and not found("he {any} it", "he. it")


def test_the_cue_holds_the_words_that_the_pattern_names() -> None:
    message = tokenise("please update the whole profile")

    assert parse_pattern("update ... {entry}", LISTS).find(message) == (0, 3)


@pytest.mark.parametrize(
    ("pattern", "advice"),
    [
        ("my {entries}", "there is no word list 'entries'; add it under"),
        ("my {entry", "'{entry' is not a word or a list; write word, word+ or"),
        ("my a||b", "'' is not a word or a list"),
        ("^ ... $", "names no word; add a word"),
        ("my ¤¤", "'¤¤' is not a word or a list"),
    ],
)
def test_a_malformed_pattern_says_what_to_write(pattern: str, advice: str) -> None:
    with pytest.raises(PatternError) as caught:
        parse_pattern(pattern, LISTS)

    assert advice in str(caught.value)
