"""Lines that a question quotes from memory."""

import pytest

from local.bedrock.embedder import HashEmbedder
from local.bedrock.extractive import NOT_SURE, answer
from local.bedrock.prompt import parse
from local.bedrock.quotation import quoted_words

LINES = """Passages:

[1] Episode: The Ferry · Chapter: 2.1 The quay. · Messages: 1–4
Speakers: Old Ada, Bo, Cy
OLD ADA: The captain talks too much of the lady, methinks.
BO: What says the captain of protest? The lady protests too much, I say, and the line breaks.
CY: Who says the line was mine? I speak the words as they are in the book, and too much of them.

Question: """


def told(question: str) -> str:
    return answer(parse(LINES + question), HashEmbedder())


@pytest.mark.parametrize(
    "question",
    [
        'Who says "the lady doth protest too much"?',
        "“lady protests much too much” - who actually speaks that line? not Ada I think",
        'where do they say "the lady protested too much"',
    ],
)
def test_the_line_that_is_likest_to_the_quoted_words_is_quoted_first(question: str) -> None:
    assert told(question).startswith('Bo says: "What says the captain of protest? The lady protests too much')


def test_words_that_no_line_has_are_said_not_to_be_found() -> None:
    assert told('who says "a kingdom for a horse of wood"?').startswith(NOT_SURE)


def test_only_a_question_for_words_looks_for_them() -> None:
    assert quoted_words('What does "the lady protests too much" mean to Bo?') == []
    assert quoted_words('Who says "too much"?') == []
