"""Which spans of its passages an answer rests on."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from cicada.answering.citations import resting, spans_used
from cicada.answering.parts import AnswerPart, Cited, Finished, Text, Unanswered, Used
from cicada.retrieval.model import RankedPassage
from tests.fakes.access import permitted
from tests.unit.answering.situation import passage

SCENE = (
    "Macbeth: Wherefore was that cry?\n"
    "Seyton: The queen, my lord, is dead.\n"
    "Macbeth: She should have died hereafter; [Aside] there would have been a time -- for such a word. To-morrow, and"
    " to-morrow, Creeps in this petty pace. Out, out, brief candle!"
)
LEASE = 'Rent is due on the first day. The tenant may say "stop" once. Either party gives notice of three months.'


def used(text: str, *passages: str) -> dict[int, list[str]]:
    """The marked texts by the passage's number."""
    found = spans_used(text, {number: passage(each) for number, each in enumerate(passages, start=1)})
    return {number: [passages[number - 1][slice(*span)] for span in spans] for number, spans in found.items()}


@pytest.mark.parametrize(
    ("said", "marked"),
    [
        ('Seyton says: "The queen, my lord, is dead." — Macbeth, 5.5 [1]', ["The queen, my lord, is dead."]),
        ("He says “the  queen, my lord, is dead,” and leaves. [1]", ["The queen, my lord, is dead"]),
        ("“Dead” [1]", ["dead"]),
        ('"there would have been a time — for such a word" [1]', ["there would have been a time -- for such a word"]),
        (
            '"She should have died hereafter; there would have been a time" [1]',
            ["She should have died hereafter; [Aside] there would have been a time"],
        ),
        (
            '"She should have died hereafter; […] Out, out, brief candle!" [1]',
            ["She should have died hereafter;", "Out, out, brief candle!"],
        ),
        ("“petty pace” and „brief candle“ [1]", ["petty pace", "brief candle"]),
        ("“brief candle!” [1] and “Out, out, brief” [1]", ["Out, out, brief candle!"]),
    ],
)
def test_a_quotation_is_marked_from_its_first_to_its_last_letter(said: str, marked: list[str]) -> None:
    assert used(said, SCENE) == {1: marked}


def test_a_quotation_may_have_quotation_marks_in_it() -> None:
    assert used('It says: "The tenant may say "stop" once." [1]', LEASE) == {1: ['The tenant may say "stop" once.']}


def test_the_signs_of_a_lists_items_belong_to_a_quotation() -> None:
    text = "Take:\n- a team of two.\n- a chart. (Always.)"
    assert used('"- a team of two. - a chart. (Always.)" [1]', text) == {1: ["- a team of two.\n- a chart. (Always.)"]}


def test_a_statement_without_a_quotation_rests_on_the_nearest_sentence() -> None:
    said = "The lease is for five years. To end it, give three months of notice. [1]"
    assert used(said, LEASE) == {1: ["Either party gives notice of three months."]}


def test_words_that_are_not_the_passages_own_are_no_quotation() -> None:
    assert used("“Each party gives notice, of 3 months”, it says. [1]", LEASE) == {
        1: ["Either party gives notice of three months."]
    }


def test_each_passage_that_is_cited_is_marked_and_no_other_one() -> None:
    other = "The queen is ill. The king is well."
    said = "“The queen, my lord, is dead.” [1, 2]\n\nThe king is well. [2]"
    assert used(said, SCENE, other, "Rent is due. The queen is dead.") == {
        1: ["The queen, my lord, is dead."],
        2: ["The queen is ill.", "The king is well."],
    }


def test_a_quotation_without_a_citation_is_looked_up_everywhere_if_it_is_more_than_a_name() -> None:
    assert used("“The queen, my lord, is dead”, he says of the “queen”.", LEASE, SCENE) == {
        2: ["The queen, my lord, is dead"]
    }
    assert used("“The queen, my lord, is dead” [1]", LEASE, SCENE) == {2: ["The queen, my lord, is dead"]}


@pytest.mark.parametrize("said", ["[1]", "Nobody knows. [1]", "“Bananas” [1]", "Rent is due.", "[7]", ""])
def test_what_shares_no_word_or_cites_nothing_marks_nothing(said: str) -> None:
    assert used(said, LEASE, "") == {}


def test_many_words_in_brackets_are_looked_up_and_what_has_no_word_marks_nothing() -> None:
    assert list(used(f'It says "{"[x] " * 40}y" [1].', "[x] " * 80)) == [1]
    assert used('It says "a [x] b" [1].', "So a [x] b is.") == {1: ["a [x] b"]}
    assert used('It says "\x1c " [1].', "Rent is due.") == {}


def test_an_empty_passage_has_no_spans() -> None:
    assert used("“Rent is due” [1] [2]", "", " \n") == {}


def test_a_text_without_spaces_is_marked_too() -> None:
    text = "王妃は亡くなりました。家賃は毎月支払います。"
    assert used("「家賃は毎月」と書いてあります。[1]", text) == {1: ["家賃は毎月"]}
    assert used("家賃は毎月です。[1]", text) == {1: ["家賃は毎月支払います。"]}


def answer(*parts: AnswerPart) -> list[AnswerPart]:
    found = [RankedPassage(passage(text), 0.5) for text in (SCENE, LEASE)]
    return list(resting([Cited(permitted(found)), *parts, Finished(("generate",), 0.5)]))


def texts(parts: Sequence[str]) -> list[Text]:
    return [Text(part) for part in parts]


def test_what_the_whole_text_rests_on_comes_before_the_end() -> None:
    *_, rests, end = answer(*texts(["“The queen, my", " lord, is dead” [", "1]."]))
    assert isinstance(rests, Used)
    assert [SCENE[slice(*span)] for span in rests.spans[1]] == ["The queen, my lord, is dead"]
    assert [each.passage.text for each in rests.passages.values()] == [SCENE]
    assert end == Finished(("generate",), 0.5)


def test_citations_of_nothing_are_dropped_and_counted() -> None:
    *_, before, end = answer(*texts(["Rent is due. [2, 9] Nobody. [7] Nobody. [9]"]))
    assert isinstance(before, Used)
    assert list(before.spans) == [2]
    assert end == Finished(("generate", "unknown_citations:2"), 0.5)


def test_what_says_that_there_is_no_answer_rests_on_nothing() -> None:
    parts = answer(
        Unanswered(), Text("I do not answer when rent is due. Nearest were:\n\n[1] Macbeth\n[2] Rent is due")
    )
    assert not any(isinstance(part, Used) for part in parts)
