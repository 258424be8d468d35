"""What the stand-in answers on a line that its last answer quoted."""

import pytest

from local.bedrock.beside import of_quoted
from local.bedrock.embedder import HashEmbedder
from local.bedrock.extractive import answer
from local.bedrock.prompt import parse

EARLIER = """Earlier turns of this conversation, oldest first. They are no evidence:

User:
| What does Bo say of the lamp?
You:
| I can only quote:
| Bo says: "The lamp is mine." — The Ferry, 2.1 [1]
| Old Ada says: "Who goes there?" — The Ferry, 2.1 [1]

"""
LINES = """Passages:

[1] Episode: The Ferry · Chapter: 2.1 The quay. Night. · Messages: 3–4
Speakers: Old Ada, Bo
OLD ADA: Who goes there?
BO: The lamp is mine.

[2] Episode: The Ferry · Chapter: 2.1 The quay. Night. · Messages: 5–7
Speakers: Harbour Master, Old Ada
HARBOUR MASTER: Put it out. [Enter CY]
OLD ADA: He only came for oil. So let him be.

[3] Episode: The Ferry · Chapter: 2.1 The quay. Night. · Messages: 9–10
Speakers: Cy
CY: We sail at dawn.

Question: """


def told(question: str, lines: str = LINES) -> str:
    return answer(parse(EARLIER + lines + question + " (What does Bo say of the lamp?)"), HashEmbedder())


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("who says that?", ['Bo says: "The lamp is mine."']),
        ("And what does he answer?", ['Harbour Master says: "Put it out."']),
        ("What does old Ada reply to that?", ['Old Ada says: "He only came for oil. So let him be."']),
        (
            "what comes next?",
            ['Harbour Master says: "Put it out."', 'Stage direction at the words of Harbour Master: "Enter CY"'],
        ),
        ("and before that?", ['Old Ada says: "Who goes there?"']),
        (
            "to whom?",
            [
                "Bo speaks there with Old Ada and Harbour Master.",
                'Old Ada says: "Who goes there?"',
                'Harbour Master says: "Put it out."',
            ],
        ),
        ("In which scene is that?", ["The Ferry, 2.1 (The quay. Night.)", 'Bo says: "The lamp is mine."']),
    ],
)
def test_a_quoted_line_is_told_by_itself_and_by_those_beside_it(question: str, lines: list[str]) -> None:
    assert [line.partition(" — ")[0] for line in told(question).split("\n")] == lines


def test_what_stands_behind_a_missing_passage_is_not_what_comes_next() -> None:
    first, _, third = LINES.split("\n\n[", 3)[1:]
    gap = f"Passages:\n\n[{first}\n\n[{third}"
    assert not told("what comes next?", gap).startswith("Cy says")


@pytest.mark.parametrize("question", ["by whom?", "who?", "where?", "where is it?", "why?", "how does it end?"])
def test_a_short_question_on_what_the_line_tells_is_not_one_on_the_line(question: str) -> None:
    asked = parse(EARLIER + LINES + question)
    assert of_quoted(question, asked.passages, asked.said) == ""


def test_another_question_is_answered_by_the_nearest_lines() -> None:
    assert "We sail at dawn." in told("who of them sail at dawn?")
    assert not told("what does the lamp oil cost next year?").startswith('Harbour Master says: "Put it out."')
