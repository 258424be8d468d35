"""Answers from passages, with the sentences that these do not carry."""

from collections.abc import Sequence

import pytest

from cicada.answering.citations import checked
from cicada.answering.events import complete
from cicada.answering.parts import AnswerPart, Cited, Finished, Text
from cicada.conversation.protocol import UnsupportedSentence
from cicada.grounding.checking import Checked, Claim, Reason, Unsupported
from cicada.retrieval.model import RankedPassage
from tests.fakes.access import permitted
from tests.unit.answering.situation import end_of, passage

CITED = Cited(permitted([RankedPassage(passage("The queen, my lord, is dead."), 0.9)]))
SAID = Text("The queen is "), Text("dead. [1]\nThe king is 40. [1]")
WRITTEN = Finished(("retrieve", "generate"), 0.9)


def last_of(*parts: AnswerPart) -> Finished:
    return end_of(list(checked(parts)))


def test_a_text_is_checked_as_one_when_it_is_whole() -> None:
    end = last_of(CITED, *SAID, WRITTEN)
    assert end.checked == Checked(2, (Unsupported(23, 42, Reason.NUMBER),))
    event = complete(end, {})
    assert (event.checked, event.unsupported) == (2, (UnsupportedSentence(start=23, end=42, reason="number"),))


def test_where_a_passage_stands_supports_too() -> None:
    """The title, the chapter and the speakers are shown to the model with the text."""
    assert last_of(CITED, Text("Seyton says so in Macbeth, 5.5 [1]."), WRITTEN).checked == Checked(1)


def test_of_what_an_agent_says_after_a_search_the_sentences_with_citations_are_checked() -> None:
    by_agent = Finished(("agent:theories", "retrieve", "verdict:open"), 0.9)
    end = last_of(CITED, *SAID, Text("\nYou have 7 theories."), by_agent)
    assert end.checked == Checked(2, (Unsupported(23, 42, Reason.NUMBER),))


def test_a_judge_is_told_what_was_asked() -> None:
    asked: list[str] = []

    def judge(question: str, claims: Sequence[Claim]) -> Sequence[bool]:
        asked.append(question)
        return [False] * len(claims)

    end = end_of([*checked([CITED, Text("The queen is dead. [1]"), WRITTEN], "Who is dead?", judge)])
    assert end.checked == Checked(1, (Unsupported(0, 22, Reason.WORDS),))
    assert asked == ["Who is dead?"]


@pytest.mark.parametrize(
    "parts",
    [(*SAID, WRITTEN), (CITED, *SAID, Finished(("agent:theories",), None)), (CITED, Finished(("refused",), 0.1))],
)
def test_what_no_model_wrote_from_passages_is_not_checked(parts: tuple[AnswerPart, ...]) -> None:
    end = last_of(*parts)
    assert end.checked is None
    assert (complete(end, {}).checked, complete(end, {}).unsupported) == (None, None)
