"""Prompts are read, and answers quoted from them or withheld."""

import pytest

from local.bedrock.embedder import Embedder, HashEmbedder
from local.bedrock.extractive import NOT_HELD, answer, evidence
from local.bedrock.nearest import nearest
from local.bedrock.prompt import parse
from local.bedrock.spans import spans_of
from tests.local.bedrock.conftest import PROMPT

PROSE = """Passages:

[1] Document: Cleaning of vessels · Section: 4.2 Rinsing
The vessel is rinsed three times with purified water.
Note: the last rinse is sampled.
The sample must show less than
10 ppm of detergent before the vessel is released.

Question: How often is the vessel rinsed?
"""


def test_passages_have_number_locator_and_lines_with_their_speakers() -> None:
    prompt = parse(PROMPT + "Who is dead?")
    first = prompt.passages[0]
    assert [passage.number for passage in prompt.passages] == [1, 2]
    assert first.locator == "Macbeth, 5.5"
    assert (first.lines[0].text, first.lines[0].is_stage) == ("A cry of women within", True)
    assert (first.lines[4].speaker, first.lines[4].text) == ("Seyton", "The queen, my lord, is dead.")
    assert prompt.question == "Who is dead?"


def test_speakers_may_be_written_in_any_case_and_without_a_list_of_them() -> None:
    (passage,) = parse("[3] Episode: X\nLady Macbeth: Out!\nFIRST WITCH: Hail!\n\nQuestion: Who?").passages
    assert [line.speaker for line in passage.lines] == ["Lady Macbeth", "First Witch"]


def test_a_colon_in_prose_does_not_make_a_speaker() -> None:
    (passage,) = parse(PROSE).passages
    assert {line.speaker for line in passage.lines} == {""}
    assert passage.locator == "Cleaning of vessels, 4.2"


def test_a_text_without_speakers_says_what_stands_in_it(minilm: Embedder) -> None:
    asked = PROSE.replace("How often is the vessel rinsed?", "What does it say about rinsing?")
    assert "rinsed three times" in answer(parse(asked), minilm)


def test_labels_in_a_document_are_no_speakers() -> None:
    text = "[1] Document: Filters · Section: When\nProduct filters: before filling.\nVent filters: every 6 months."
    (passage,) = parse(f"{text}\n\nQuestion: When?").passages
    assert {line.speaker for line in passage.lines} == {""}


def barred(prompt: str) -> str:
    """The prompt with a quotation bar before the text of its passages, as a quoting application writes it."""
    asked = prompt.rindex("\n\nQuestion:")
    plain = ("", "Passages:", "[", "Speakers:")
    before = [line if not line or line.startswith(plain[1:]) else f"| {line}" for line in prompt[:asked].split("\n")]
    return "\n".join(before) + prompt[asked:]


@pytest.mark.parametrize("prompt", [PROMPT + "Who tells Macbeth that the queen is dead?", PROSE])
def test_quotation_bars_change_no_answer(minilm: Embedder, prompt: str) -> None:
    assert parse(barred(prompt)) == parse(prompt)
    assert barred(prompt) != prompt
    assert answer(parse(barred(prompt)), minilm) == answer(parse(prompt), minilm) != NOT_HELD
    assert "|" not in answer(parse(barred(prompt)), minilm)


CONDITIONS = "Each passage is of a document that meets these conditions:\n| Status: approved\n| Type: SOP\n\n"


def test_what_the_documents_meet_is_not_asked_of_their_passages(minilm: Embedder) -> None:
    asked = PROSE.replace("How often is the vessel", "How often do approved SOPs have the vessel")
    assert parse(CONDITIONS + asked).conditions == "Status: approved Type: SOP"
    assert parse(CONDITIONS + asked).passages == parse(asked).passages
    near = [
        nearest(parse(text).question, parse(text).passages, minilm, parse(text).conditions).nearness
        for text in (CONDITIONS + asked, asked)
    ]
    assert near[0] > near[1]


def test_a_line_with_a_bar_is_no_heading_no_list_of_speakers_and_no_question() -> None:
    text = "[1] Document: Notes\n| Speakers: Ann, Ben\n|\n| [2] Document: Limits\n| Question: How much?\n| | a | b |"
    (notes,) = parse(f"{text}\n\nQuestion: Who?").passages
    assert parse(f"{text}\n\nQuestion: Who?").question == "Who?"
    assert parse(text).question == ""
    assert notes.heading == "Document: Notes"
    assert [line.text for line in notes.lines] == [
        "Speakers: Ann, Ben",
        "[2] Document: Limits",
        "Question: How much?",
        "| a | b |",
    ]


def test_a_prompt_without_passages_is_all_question() -> None:
    assert parse("Good day,\nwho are you?").question == "Good day,\nwho are you?"
    assert parse("Good day").passages == ()


def test_a_line_in_two_overlapping_passages_is_quoted_once_and_without_its_stage_directions() -> None:
    body = "\nSpeakers: Seyton\nSEYTON: It is the cry of women, my good lord. [Exit]\n\n"
    spans = spans_of(parse(f"[1] Episode: A{body}[2] Episode: A{body}Question: ?").passages)
    assert [(span.passage.number, span.text) for span in spans] == [(1, "It is the cry of women, my good lord.")]


def test_long_speeches_are_quoted_in_parts() -> None:
    speech = " ".join(f"This is sentence number {number} of the speech." for number in range(40))
    spans = spans_of(parse(f"[1] Episode: A\nKING: {speech}\n\nQuestion: ?").passages)
    assert len(spans) > 4
    assert " ".join(span.text for span in spans) == speech
    assert all(len(span.text.split()) <= 60 for span in spans)


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("Who tells Macbeth that the queen is dead?", 'Seyton says: "The queen, my lord, is dead." — Macbeth, 5.5 [1]'),
        ("What noise does Macbeth hear?", "It is the cry of women"),
        ("What does the doctor say keeps her from her rest?", "thick-coming fancies"),
        ("What does Macbeth say when he hears that the queen is dead?", "She should have died hereafter"),
    ],
)
def test_the_line_that_answers_is_quoted(minilm: Embedder, question: str, quoted: str) -> None:
    assert quoted in answer(parse(PROMPT + question), minilm)


@pytest.mark.parametrize(
    "question", ["Who wins the world cup?", "What is the doctor's phone number?", "Which airline flies to Denmark?"]
)
def test_a_question_that_the_passages_do_not_answer_is_told_so(minilm: Embedder, question: str) -> None:
    assert answer(parse(PROMPT + question), minilm) == NOT_HELD


def test_prose_is_quoted_by_the_sentence_with_its_section(minilm: Embedder) -> None:
    said = answer(parse(PROSE), minilm)
    assert '"The vessel is rinsed three times with purified water.' in said
    assert said.splitlines()[0].endswith("— Cleaning of vessels, 4.2 [1]")


def test_passages_without_lines_hold_no_answer() -> None:
    assert answer(parse("[1] Episode: A\n\nQuestion: Who is it?"), HashEmbedder()) == NOT_HELD


def test_evidence_is_told_as_lines_on_the_statement_or_as_missing(minilm: Embedder) -> None:
    text = "[1] Episode: A · Chapter: 1.1\nANNE: The king is guilty of the murder.\nBEN: Bring more bread.\n"
    passages = parse(text).passages
    on_statement, *lines = evidence("The king is guilty of murder", passages, minilm).splitlines()
    assert "“The king is guilty of murder”" in on_statement
    assert lines[0] == 'Anne says: "The king is guilty of the murder." — A, 1.1 [1]'
    assert evidence("Ships sail to Norway", passages, minilm).startswith("I found no lines")


def test_meaning_decides_where_no_word_is_shared(minilm: Embedder) -> None:
    lines = ("CID: Bring more bread.", "BEN: A sword cut his arm and he bleeds.")
    text = "\n\n".join(f"[{number}] Episode: A\n{line}" for number, line in enumerate(lines, 1))
    found = nearest("Was anybody wounded?", parse(text).passages, minilm)
    assert found.spans[found.ranked[0][0]].speaker == "Ben"


@pytest.mark.parametrize(
    ("question", "speaker"),
    [
        ("What does Cid tell Ben of a deep wound in the left arm?", "Cid"),
        ("Who tells Cid of a deep wound in the left arm?", "Ben"),
    ],
)
def test_the_lines_of_the_speaker_named_first_come_first_unless_it_is_asked_who(question: str, speaker: str) -> None:
    line = "Tis a deep wound in the left arm."
    found = nearest(question, parse(f"[1] Episode: A\nBEN: {line}\nCID: {line}\n").passages, HashEmbedder())
    assert found.spans[found.ranked[0][0]].speaker == speaker


def test_a_quoted_question_brings_its_reply_along(minilm: Embedder) -> None:
    text = "[1] Episode: A\nCID: Who comes here with the lantern at midnight?\nBEN: Tis I.\n"
    lines = "".join(f"DOT: The lantern hangs in street number {number}.\n" for number in range(3))
    said = answer(parse(f"{text}{lines}\nQuestion: Who comes with the lantern at midnight?"), minilm)
    assert [line.partition(" says")[0] for line in said.splitlines()][:2] == ["Cid", "Ben"]


ALL = "Passages, all of them in the order of the text:\n\n"
SOME = "Passages, 12 of 40 from the whole text in its order:\n\n"


@pytest.mark.parametrize("heading", [ALL, SOME])
def test_a_whole_text_is_outlined_from_its_beginning_to_its_end(heading: str) -> None:
    body = "\n\n".join(f"[{number}] Document: A\n| Sentence {number}. More." for number in range(1, 13))
    said = answer(parse(f"{heading}{body}\n\nQuestion: Summarise A"), HashEmbedder())
    assert [line.rpartition(" ")[2] for line in said.splitlines()] == ["[1]", "[3]", "[5]", "[7]", "[9]", "[11]"]
    assert said.startswith('"Sentence 1. More." — A [1]')


def test_what_was_found_is_no_whole_text_whatever_the_question_says() -> None:
    assert not parse("Passages:\n\n[1] Document: A\n| One.\n\nQuestion: Summarise A in the order of the text").is_whole
    assert answer(parse(f"{ALL}[1] Document: A\n\nQuestion: ?"), HashEmbedder()) == NOT_HELD
