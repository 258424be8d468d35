"""How a message becomes tokens."""

from cicada.planning.pattern_language import parse_words
from cicada.planning.patterns import without_openers
from cicada.planning.tokenizer import ASKED, QUOTE, tokenise


def test_contractions_are_split_and_informal_ones_spelled_out() -> None:
    assert tokenise("Who's there? I can\u2019t say").words == (
        "who",
        "'s",
        "there",
        "?",
        "i",
        "can",
        "n't",
        "say",
    )
    assert tokenise("whats that, dont u know").words == (
        "what",
        "'s",
        "that",
        ",",
        "do",
        "n't",
        "you",
        "know",
    )


def test_a_word_of_politeness_is_left_out() -> None:
    assert tokenise("please list them, pls").words == ("list", "them", ",")


def test_a_quotation_is_one_token_in_any_quotation_marks() -> None:
    assert tokenise('Who says "my theory"?').words == ("who", "says", QUOTE, "?")
    assert tokenise("Who says \u201cmy theory\u201d?").words == ("who", "says", QUOTE, "?")
    assert tokenise("the tag 'my theory', again").words == ("the", "tag", QUOTE, ",", "again")


def test_an_apostrophe_is_no_quotation_mark() -> None:
    assert tokenise("the lords' and the king's men").words == (
        "the",
        "lords",
        "and",
        "the",
        "king",
        "'s",
        "men",
    )


def test_a_message_that_is_all_quotation_is_read() -> None:
    assert tokenise('"list my profiles"').words == ("list", "my", "profiles")


def test_a_hyphen_parts_words_and_a_dash_parts_clauses() -> None:
    assert tokenise("far-fetched - or not").words == ("far", "fetched", "-", "or", "not")
    assert tokenise("mad \u2013 list why").starts == {0, 2}


def test_capitals_inside_a_sentence_are_names() -> None:
    message = tokenise("Why does Lady Anne weep? Tell me. I know")

    assert [message.words[at] for at in sorted(message.names)] == ["lady", "anne"]


def test_a_message_in_capitals_holds_no_names() -> None:
    assert not tokenise("WHO IS THE DUKE OF YORK").names


def test_openers_are_set_aside_at_the_start_of_sentences() -> None:
    openers = parse_words("hey, can you, tell me")

    message = without_openers(tokenise("Hey, can you list them? Can you?"), openers)

    assert message.words == (ASKED, "list", "them", "?", ASKED, "?")
    assert message.starts == {0, 1, 4, 5}


def test_of_two_openers_the_longer_is_set_aside() -> None:
    openers = parse_words("would you, would you be so kind as to")

    assert without_openers(tokenise("Would you be so kind as to list them"), openers).words == (ASKED, "list", "them")


def test_openers_leave_names_where_they_are() -> None:
    message = without_openers(tokenise("Tell me about Anne"), parse_words("tell me"))

    assert [message.words[at] for at in message.names] == ["anne"]


def test_a_message_of_openers_alone_keeps_its_words() -> None:
    assert without_openers(tokenise("hey, can you?"), parse_words("hey, can you")).words[0] == "hey"
