"""How the stand-in weighs a statement."""

import pytest

from local.bedrock.prompt import parse
from local.bedrock.weighing import numbers_of, opposite, weighed

PASSAGES = parse(
    """[1]
Document:
| Supplier Contract
Section:
| Notice
Text:
| The notice period is 30 days. It does not renew automatically.

[2]
Episode:
| Macbeth
Chapter:
| 5.5 Dunsinane
Messages: 1–2
Speakers:
| SEYTON
Text:
| SEYTON: The queen, my lord, is dead.
"""
).passages


@pytest.mark.parametrize(
    ("statement", "verdict", "supporting", "contradicting"),
    [
        ("The queen is dead", "supported", "2", ""),
        ("In Macbeth the queen is dead", "supported", "2", ""),
        ("The queen is not dead", "contradicted", "", "2"),
        ("The queen of Scotland is dead", "open", "", ""),
        ("Macbeth kills the queen", "open", "", ""),
        ("The notice period is 30 days", "supported", "1", ""),
        ("The notice period is 60 days", "contradicted", "", "1"),
    ],
)
def test_names_words_negations_and_numbers_count(
    statement: str, verdict: str, supporting: str, contradicting: str
) -> None:
    found = weighed(statement, PASSAGES)
    assert (found.verdict, numbers_of(found.supporting), numbers_of(found.contradicting)) == (
        verdict,
        supporting,
        contradicting,
    )


def test_what_speaks_for_and_against_leaves_a_statement_open() -> None:
    both = parse("[1]\nDocument:\n| A\nText:\n| The owl sleeps. The owl never sleeps.\n").passages
    found = weighed("The owl sleeps", both)
    assert (found.verdict, len(found.supporting), len(found.contradicting)) == ("open", 1, 1)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("The porter is drunk", "The porter is not drunk"),
        ("Lady Macbeth never slept again", "Lady Macbeth slept again"),
        ("Banquo knew", "not Banquo knew"),
    ],
)
def test_the_opposite_has_other_words(statement: str, said: str) -> None:
    assert opposite(statement) == said
