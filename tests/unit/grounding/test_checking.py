"""Sentences of answers against passages that carry them, or do not."""

import pytest

from cicada.grounding.checking import Reason, check, support

LEASE = "The lease of the Basel office ends on 31 March 2027. Notice must not be given before 1 June 2026."
RENT = "The rent is 12,500 EUR a month. Anna Keller signed it."
PASSAGES = {1: LEASE, 2: RENT}


def reasons(answer: str, passages: dict[int, str] | None = None, known: tuple[str, ...] = ()) -> list[Reason]:
    return [each.reason for each in check(answer, PASSAGES if passages is None else passages, known).unsupported]


@pytest.mark.parametrize(
    "sentence",
    [
        "The lease of the Basel office ends on 31 March 2027. [1]",
        "The lease ends on 2027-03-31 [1].",
        "The lease ends in March 2027 [1].",
        'It says: "Notice must not be given before 1 June 2026." — The lease [1]',
        "- The rent is twelve thousand five hundred EUR a month [2].".replace("twelve thousand five hundred", "12500"),
        "Anna Keller signed it.",
    ],
)
def test_what_a_passage_says_in_other_forms_is_supported(sentence: str) -> None:
    assert reasons(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("The lease of the Basel office ends on 31 May 2027 [1].", Reason.NUMBER),
        ("The rent is 12,600 EUR a month [2].", Reason.NUMBER),
        ("The rent is 12,500 EUR a month [1].", Reason.NUMBER),
        ("The lease of the Geneva office ends on 31 March 2027 [1].", Reason.NAME),
        ("Notice must be given before 1 June 2026 [1].", Reason.NEGATION),
        ("Pets were very welcome there, and everybody liked dancing on tables [1].", Reason.WORDS),
        ("The rent is 12,500 EUR a month [7].", Reason.NO_PASSAGE),
        ("Cats sleep through most of their quiet afternoons.", Reason.WORDS),
    ],
)
def test_the_reason_says_what_the_passages_have_not(sentence: str, reason: Reason) -> None:
    assert reasons(sentence) == [reason]


def test_a_mark_is_around_its_sentence_and_not_its_bullet() -> None:
    answer = "It says:\n- The rent is 12,500 EUR a month. [2]\n- The rent is 9 EUR a day 🏠. [2]"
    found = check(answer, PASSAGES)
    assert found.sentences == 2
    assert [answer[each.start : each.end] for each in found.unsupported] == ["The rent is 9 EUR a day 🏠. [2]"]


@pytest.mark.parametrize(
    "sentence",
    [
        "I can only quote:",
        "Hello there!",
        "Which of the two offices do you mean?",
        "The passages do not hold an answer to this question.",
        "The passages do not hold an answer to this question. Nearest is:",
        "Die Passagen enthalten dazu keine Angabe.",
        "…",
    ],
)
def test_what_claims_nothing_is_not_checked(sentence: str) -> None:
    assert check(sentence, PASSAGES).sentences == 0


@pytest.mark.parametrize("passages", [{}, {1: ""}, {1: "–"}])
def test_without_a_word_of_evidence_nothing_is_supported(passages: dict[int, str]) -> None:
    assert reasons("The rent is high.", passages) == [Reason.NO_PASSAGE]
    assert support("The rent is high.", tuple(passages.values())) == 0.0


def test_what_holds_for_all_passages_supports_too() -> None:
    sentence = "The status of the document is approved [2]."
    assert reasons(sentence, known=("Status of the document: approved",)) == [] != reasons(sentence)


def test_of_a_translation_the_numbers_alone_are_checked() -> None:
    german = "Der Mietvertrag für das Büro in Basel endet am {} und wird nicht verlängert [1]."
    assert reasons(german.format("31. 3. 2027")) == []
    assert reasons(german.format("31. 3. 2029")) == [Reason.NUMBER]


def test_german_nouns_are_no_names() -> None:
    passages = {1: "Der Mieter muss die Wohnung bis zum Ende der Frist räumen und die Schlüssel dem Verwalter geben."}
    assert reasons("Der Mieter muss die Wohnung bis zum Ende der Mietzeit räumen [1].", passages) == []
