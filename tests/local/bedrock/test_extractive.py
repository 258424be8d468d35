"""Prompts are read, and answers quoted from them or withheld."""

import pytest

from local.bedrock.embedder import Embedder, HashEmbedder
from local.bedrock.extractive import ENGLISH_ONLY, GENERAL, NEAREST, NOT_HELD, NOT_SURE, ONLY_QUOTED, answer, evidence
from local.bedrock.nearest import nearest
from local.bedrock.prompt import parse
from local.bedrock.spans import joined, spans_of
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


def test_a_colon_in_prose_does_not_make_a_speaker() -> None:
    (passage,) = parse(PROSE).passages
    assert {line.speaker for line in passage.lines} == {""}
    assert passage.locator == "Cleaning of vessels, 4.2"


VERSIONS = """Passages:

[1]
Document:
| Cleaning of vessels
Section:
| Rinsing
State: approved (in force)
Text:
| The vessel is rinsed with water for injections.

[2]
Document:
| Cleaning of vessels
Section:
| Rinsing
State: retired (no longer in force)
Text:
| The vessel is rinsed three times with purified water.

Question: How often is the vessel rinsed with purified water?
"""


def test_a_quotation_of_a_document_that_is_not_in_force_says_so_and_comes_last(minilm: Embedder) -> None:
    assert answer(parse(VERSIONS), minilm).splitlines() == [
        '"The vessel is rinsed with water for injections." — Cleaning of vessels, Rinsing [1]',
        '"The vessel is rinsed three times with purified water." — Cleaning of vessels (retired), Rinsing [2]',
    ]


def test_a_section_that_is_not_in_force_is_not_quoted_without_the_one_that_is(minilm: Embedder) -> None:
    far = VERSIONS.replace("The vessel is rinsed with water for injections.", "Nothing is to be left behind.")
    assert [line[-3:] for line in answer(parse(far), minilm).splitlines()] == ["[1]", "[2]"]


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
    said = answer(parse(PROMPT + question), minilm).splitlines()
    assert said[0] == f"{NOT_SURE} {NEAREST}"
    assert 2 <= len(said) <= 5 and all(each.endswith("]") for each in said[1:])


def test_prose_is_quoted_by_the_sentence_with_its_section(minilm: Embedder) -> None:
    said = answer(parse(PROSE), minilm)
    assert '"The vessel is rinsed three times with purified water.' in said
    assert said.splitlines()[0].endswith("— Cleaning of vessels, 4.2 [1]")


def test_evidence_is_told_as_lines_on_the_statement_or_as_missing(minilm: Embedder) -> None:
    text = "[1] Episode: A · Chapter: 1.1\nANNE: The king is guilty of the murder.\nBEN: Bring more bread.\n"
    passages = parse(text).passages
    on_statement, *lines = evidence("The king is guilty of murder", passages, minilm).splitlines()
    assert "“The king is guilty of murder”" in on_statement
    assert lines[0] == 'Anne says: "The king is guilty of the murder." — A, 1.1 [1]'
    assert evidence("Ships sail to Norway", passages, minilm).startswith("I found no lines")


ALL = "Passages, all of them in the order of the text:\n\n"
SOME = "Passages, 12 of 40 from the whole text in its order:\n\n"


@pytest.mark.parametrize("heading", [ALL, SOME])
def test_a_whole_text_is_outlined_from_its_beginning_to_its_end(heading: str) -> None:
    body = "\n\n".join(f"[{number}] Document: A\n| Sentence {number}. More." for number in range(1, 13))
    said = answer(parse(f"{heading}{body}\n\nQuestion: Summarise A"), HashEmbedder())
    assert [line.rpartition(" ")[2] for line in said.splitlines()] == ["[1]", "[3]", "[5]", "[7]", "[9]", "[11]"]
    assert said.startswith('"Sentence 1. More." — A [1]')


def test_a_shorter_answer_is_the_first_half_of_the_quotes() -> None:
    body = "\n\n".join(f"[{number}] Document: A\n| Sentence {number}. More." for number in range(1, 7))
    asked = f"Passages:\n\n{body}\n\nQuestion: "
    said = answer(parse(f"{asked}shorter please (Summarise A)"), HashEmbedder())
    assert [line.rpartition(" ")[2] for line in said.splitlines()] == ["[1]", "[2]", "[3]"]
    whole = answer(parse(f"{asked}What is in sentence 4?"), HashEmbedder()).splitlines()
    assert answer(parse(f"{asked}in short? (What is in sentence 4?)"), HashEmbedder()).splitlines() == whole[:2]


def test_a_message_that_asks_something_of_a_whole_text_is_answered_by_what_it_asks(minilm: Embedder) -> None:
    prompt = f"""{ALL}[1] Document: Leave
| Ask for leave in the portal.

[2] Document: Leave
| Up to 8 days may be carried over to the next year.

Question: """
    said = answer(parse(f"{prompt}policy-hr-002: how many days can I carry over?"), minilm)
    assert "Up to 8 days may be carried over" in said
    assert "portal" in answer(parse(f"{prompt}policy-hr-002"), minilm)


HANDBOOK = f"""Passages:

[1] Document: Handbook · Section: Recall
| Class | Start
| I | within 24 hours
| II | within 48 hours
| Bring to the meeting:
| - the list of customers
| - the stock report
| May I take notes? Mr. Holt keeps them.
| May I speak? {"Yes, " * 60}yes. Keep it short.

Question: """


@pytest.mark.parametrize(
    "quoted",
    [
        "Class | Start || II | within 48 hours",
        "Bring to the meeting: - the list of customers - the stock report",
        "Bring to the meeting: […] - the stock report",
        "May I take notes? Mr. Holt keeps them.",
        "May I speak? […] Keep it short.",
    ],
)
def test_a_span_is_quoted_with_what_it_needs_to_be_understood(quoted: str) -> None:
    assert quoted in [joined([span]) for span in spans_of(parse(HANDBOOK).passages)]


def test_rows_that_follow_each_other_are_quoted_behind_one_header(minilm: Embedder) -> None:
    said = answer(parse(f"{HANDBOOK}When does a class I or class II recall start?"), minilm)
    assert '"Class | Start || I | within 24 hours || II | within 48 hours" — Handbook, Recall [1]' in said.splitlines()


def test_a_short_section_that_is_asked_for_is_quoted_whole(minilm: Embedder) -> None:
    said = answer(parse(PROSE.replace("How often is the vessel rinsed?", "Rinsing of vessels")), minilm)
    assert said.count("\n") == 0
    assert said.startswith('"The vessel is rinsed three times')
    assert "10 ppm" in said


def test_text_on_a_subject_is_quoted_although_it_may_not_answer(minilm: Embedder) -> None:
    asked, wanted = "Which water tanks are sampled?", "Tell me about sampling water tanks"
    assert answer(parse(PROSE.replace("How often is the vessel rinsed?", asked)), minilm).startswith(NOT_SURE)
    said = answer(parse(PROSE.replace("How often is the vessel rinsed?", wanted)), minilm)
    assert said.startswith(f"{ONLY_QUOTED}\n")


def test_a_question_in_another_language_is_told_that_only_english_is_known(minilm: Embedder) -> None:
    assert answer(parse(f"{PROMPT}Wie viele Urlaubstage habe ich?"), minilm) == ENGLISH_ONLY
    assert answer(parse("Was kannst du für mich tun?"), minilm) == ENGLISH_ONLY
    assert answer(parse("What can you do?"), minilm) == GENERAL
    assert answer(parse(f"{PROMPT}heaviest dog"), minilm) != ENGLISH_ONLY


def test_a_greeting_is_returned_and_thanks_are_taken() -> None:
    assert answer(parse("good morning!"), HashEmbedder()) == f"Hello! {GENERAL}"
    assert answer(parse("Thanks a lot"), HashEmbedder()) == "You are welcome."
    assert answer(parse("great, thanks a lot!"), HashEmbedder()) == "You are welcome."
    assert answer(parse("ok, great"), HashEmbedder()) == GENERAL


def test_a_passage_of_other_years_than_the_one_that_is_asked_for_does_not_surely_answer(minilm: Embedder) -> None:
    prize = "Passages:\n\n[1] Document: Release\n| A story of his won the Marlowe Prize in 2023.\n\n"
    assert answer(parse(f"{prize}Question: Who won the Marlowe Prize in 2024?"), minilm).startswith(NOT_SURE)
    assert not answer(parse(f"{prize}Question: Who won the Marlowe Prize in 2023?"), minilm).startswith(NOT_SURE)


def test_the_line_with_the_number_comes_first_where_an_amount_is_asked_for(minilm: Embedder) -> None:
    prompt = """Passages:

[1] Episode: A · Chapter: 1.1
BEN: England lends soldiers to Malcolm for the war.
CARL: England lends Malcolm good Siward and ten thousand men.

Question: """
    said = answer(parse(f"{prompt}How many soldiers does England lend to Malcolm?"), minilm)
    assert said.startswith('Carl says: "England lends Malcolm good Siward and ten thousand men."')
    assert not answer(parse(f"{prompt}Who lends soldiers to Malcolm?"), minilm).startswith("Carl says")


def test_a_passage_without_an_amount_does_not_surely_answer_how_much(minilm: Embedder) -> None:
    handbook = "Passages:\n\n[1] Document: Handbook\n| The paid keepers earn their thanks every day.\n\n"
    assert answer(parse(f"{handbook}Question: How much do the paid keepers earn?"), minilm).startswith(NOT_SURE)
    assert not answer(parse(f"{handbook}Question: What do the paid keepers earn?"), minilm).startswith(NOT_SURE)


def test_a_passage_of_another_name_than_the_one_that_is_asked_for_does_not_surely_answer(minilm: Embedder) -> None:
    drops = "Passages:\n\n[1] Document: Stability of Velmorin\n| Shelf life of 36 months is confirmed.\n\n"
    assert answer(parse(f"{drops}Question: What is the shelf life of Ophelix?"), minilm).startswith(NOT_SURE)
    assert not answer(parse(f"{drops}Question: What is the shelf life of Velmorin?"), minilm).startswith(NOT_SURE)


def test_what_columns_a_table_has_is_quoted_only_to_who_asks_for_them() -> None:
    table = "Passages:\n\n[1] Document: fees\n| 2 rows with the columns Course and Fee.\n| Fees are due in May.\n\n"
    assert "2 rows" not in answer(parse(f"{table}Question: What is the fee of a course?"), HashEmbedder())
    assert "2 rows" in answer(parse(f"{table}Question: Which columns are there, course and fee?"), HashEmbedder())


BANQUET = """Passages:

[1]
Episode:
| A Play
Chapter:
| 3.4 A hall
Messages: 1–3
Speakers:
| Marta, Otto
Text:
| Otto: Please sit down, all of you. [The GHOST OF LENA enters, and sits in the chair]
| Marta: Why do you stare? [Aside]
| Otto: Nobody is there.

Question: """


def test_a_direction_in_a_speech_is_quoted_as_one() -> None:
    said = answer(parse(BANQUET + "Where does the ghost of Lena sit when it enters?"), HashEmbedder())
    direction = '"The GHOST OF LENA enters, and sits in the chair"'
    assert said.split("\n")[0] == f"Stage direction at the words of Otto: {direction} — A Play, 3.4 [1]"


def test_a_direction_that_the_passage_cuts_is_no_part_of_the_speech() -> None:
    cut = BANQUET.replace("Nobody is there.", "Nobody. [They dance: the GHOST OF LENA")
    spans = spans_of(parse(f"{cut}?").passages)
    assert [(span.text, span.is_stage) for span in spans[3:]] == [
        ("Nobody.", False),
        ("They dance: the GHOST OF LENA", True),
    ]


def test_a_question_in_a_speech_is_answered_by_the_next_speech_and_not_by_a_direction() -> None:
    spans = spans_of(parse(BANQUET + "?").passages)
    assert [(span.speaker, span.is_stage) for span in spans] == [
        ("Otto", False),
        ("Otto", True),
        ("Marta", False),
        ("Otto", False),
    ]
    found = nearest("Who stares?", parse(BANQUET + "?").passages, HashEmbedder())
    assert [found.reply_to(at) for at in range(4)] == [2, 2, 3, None]


APPARITION = """Passages:

[1] Episode: The Ferry · Chapter: 3.1 The deck. · Messages: 1–4
Speakers: Bo, Old Ada, Cy
BO: What is it that the sea gives up? [Enter OLD ADA]
OLD ADA: It is Rolf. [The ghost of ROLF rises, with a lantern]
CY: What does the ghost of Rolf look like to you? Pale he is, and his hair drips as he comes on deck with the tide.

Question: """


def test_how_somebody_looks_is_told_by_a_stage_direction_first() -> None:
    for question in ("What does the ghost of Rolf hold?", "what does the ghost of Rolf look like?"):
        said = answer(parse(APPARITION + question), HashEmbedder())
        assert said.startswith('Stage direction at the words of Old Ada: "The ghost of ROLF rises, with a lantern"')
    assert answer(parse(f"{APPARITION}Is the ghost of Rolf pale?"), HashEmbedder()).startswith("Cy says:")


PROCEDURE = """Passages:

[1]
Document:
| Fire
Section:
| What to do
Text:
| 1. Press the nearest alarm button.
| 2. Call the fire brigade on 112.
| 3. Leave the building and meet at the oak.

[2]
Document:
| Minutes
Section:
| Grant
Text:
| The port has answered our letter. It can pay 40 percent, but not before 2026. The flag was torn.

Question: """


def test_who_asks_for_steps_gets_the_whole_list(minilm: Embedder) -> None:
    told = answer(parse(f"{PROCEDURE}What do I do if there is a fire?"), minilm)
    assert "1. Press the nearest alarm button. 2. Call the fire brigade on 112. 3. Leave the building" in told


@pytest.mark.parametrize(
    ("asked", "step"),
    [
        ("What do I do if there is a fire? First step", "1. Press the nearest alarm button."),
        ("There is a fire, what do I do first?", "1. Press the nearest alarm button."),
        ("What do I do if there is a fire? Step 2", "2. Call the fire brigade on 112."),
    ],
)
def test_one_step_that_is_asked_for_is_quoted_alone(minilm: Embedder, asked: str, step: str) -> None:
    assert answer(parse(PROCEDURE + asked), minilm) == f'"{step}" — Fire, What to do [1]'


def test_a_sentence_is_quoted_with_the_one_that_refers_to_it(minilm: Embedder) -> None:
    told = answer(parse(f"{PROCEDURE}What did the port answer?"), minilm)
    assert '"The port has answered our letter. It can pay 40 percent, but not before 2026." — Minutes' in told
    assert "flag" not in told.splitlines()[0]


SAID = """Earlier turns of this conversation, oldest first:

User:
| What is the deposit?
You:
| "The deposit is 40 pounds." — Hire, Deposit [1]

Passages:

[1]
Document:
| Hire
Section:
| Deposit
Text:
| The deposit is 40 pounds.
| After that we keep 25 pounds of it.
| Members pay no deposit.

Question: """


def test_what_was_said_gives_way_to_what_a_follow_up_asks(minilm: Embedder) -> None:
    asked = "And for members? (What is the deposit?)"
    assert answer(parse(SAID + asked), minilm).startswith('"Members pay no deposit."')
    assert answer(parse(SAID + "What is the deposit?"), minilm).startswith('"The deposit is 40 pounds.')


@pytest.mark.parametrize("asked", ["and after that?", "and then", "what's the next step?"])
def test_what_follows_is_the_next_sentences_of_the_section(asked: str) -> None:
    told = answer(parse(f"{SAID}{asked} (What is the deposit?)"), HashEmbedder())
    lines = ["After that we keep 25 pounds of it.", "Members pay no deposit."]
    assert told.splitlines() == [f'"{line}" — Hire, Deposit [1]' for line in lines]


def test_a_sentence_with_a_name_comes_first_where_it_is_asked_who(minilm: Embedder) -> None:
    parts = ("The list of the work duty is kept at the office.", "Dora Lund keeps a list of the duty.")
    shown = [f"[{at}]\nDocument:\n| Lists\nSection:\n| Part {at}\nText:\n| {each}" for at, each in enumerate(parts, 1)]
    prompt = parse("\n\n".join(["Passages:", *shown, "Question: Who keeps the list of the work duty?"]))
    best = nearest(prompt.question, prompt.passages, minilm)
    assert best.spans[best.ranked[0][0]].text == parts[0]
    assert answer(prompt, minilm).startswith(f'"{parts[1]}"')
