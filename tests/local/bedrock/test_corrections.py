"""Which part of an entry a correction replaces."""

import pytest

from local.bedrock.agent_heads.correction import corrected, corrected_words, replaces_part


@pytest.mark.parametrize(
    ("entry", "message", "text", "expected"),
    [
        ("had three wives", "he had two wives, not three. Correct that.", "two wives", "had two wives"),
        ("Born in Galway in 1950", "she comes from Cork rather than Galway", "Cork", "Born in Cork in 1950"),
        ("Arzt in Kiel", "er ist nicht Arzt, sondern Apotheker", "Apotheker", "Apotheker in Kiel"),
        ("keeps it in the study", "it is in the library, not in the study", "the library", "keeps it in the library"),
        ("sober nine months", "Wendell: sober nine months → sober six weeks", "sober six weeks", "sober six weeks"),
        ("closes at 6, since 1961", "it was built in 1963, fix it", "built in 1963", "closes at 6, since 1963"),
        ("owes Tom ten pounds, sings", 'in it change "ten pounds" to "a horse"', "a horse", "owes Tom a horse, sings"),
        ("left her the mill", "write farm instead of mill", "farm", "left her the farm"),
        ("keeps a parrot, sings", "swap the parrot for a raven", "a raven", "keeps a raven, sings"),
        ("keeps a grey bird", "make that a green bird rather than a grey one", "a green bird", "keeps a green bird"),
        ("two maps on a desk, a lamp", "not two maps, they should be letters", "letters", "letters on a desk, a lamp"),
        ("drinks from a jug", "it should be a cup, not a jug", "a cup", "drinks from a cup"),
        ("burns the blue curtain", "make that the kitchen curtain", "", "burns the kitchen curtain"),
        ("a limp, a beard, sings", "lose the beard, keep the rest", "", "a limp, sings"),
        ("He lies. He owes Tom a horse.", "take out the sentence about the horse", "", "He lies."),
        ("fat and merry, pays late", "delete merry from her profile", "", "fat, pays late"),
        ("sings, short hair", "please take the short hair out of Ann's profile", "", "sings"),
        ("asks for a kitten", "sorry, it's a cat he asks for, not a kitten", "a cat", "asks for a cat"),
        ("tall, merry", "cross out merry and keep everything else", "", "tall"),
        ("only a limp", "scrap the limp, keep the rest", "", ""),
        ("runs lights", "she runs sound now not lights", "she runs sound now", ""),
        ("the only cook", "she is a housekeeper, not the gardener", "a housekeeper", ""),
        ("1912 and 1913", "it was 1914", "1914", ""),
        ("a thane", "Change the profile to: a general since 1040", "a general since 1040", ""),
    ],
)
def test_the_part_is_replaced_only_if_it_is_clear(entry: str, message: str, text: str, expected: str) -> None:
    assert corrected(entry, message, text) == expected


def test_the_name_of_the_entry_is_no_part_of_the_new_words() -> None:
    assert corrected("free on Mondays", "change Mondays to Tuesdays for Ann", "Tuesdays", "Ann") == "free on Tuesdays"


@pytest.mark.parametrize("message", ["a cup, not a jug", "“jug” should read “cup”", "drop the jug, leave the rest"])
def test_what_names_the_corrected_words_replaces_no_whole_entry(message: str) -> None:
    assert replaces_part(message, "")
    assert any("jug" in each for each in corrected_words(message))


@pytest.mark.parametrize("message", ["Change the note to: a cook, not a maid", "she meant to marry him, she never did"])
def test_a_whole_new_text_is_no_part(message: str) -> None:
    assert not replaces_part(message, "a cook, not a maid")
