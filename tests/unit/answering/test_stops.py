"""Answers whose model ended before they were whole."""

import pytest
from msgspec.structs import replace

from cicada.answering.events import complete
from cicada.answering.pump import STOP_SENTENCES, Repetition
from cicada.generation import ModelUsage, Stop
from cicada.understanding.plan import Intent
from tests.fakes.agent import ScriptedAgent
from tests.fakes.chat_model import ScriptedModel
from tests.unit.answering.situation import QUESTION, Situation, end_of, text_of

SAME = "The queen of Scotland is dead now [1]. "


def asked(*said: str | ModelUsage) -> Situation:
    return Situation(model=ScriptedModel(said))


@pytest.mark.parametrize("stop", Stop)
def test_a_text_that_ended_early_says_so_in_its_last_paragraph_and_in_complete(stop: Stop) -> None:
    parts = asked("The queen is dead [1].", ModelUsage(90, 4, stop)).parts()
    end = end_of(parts)
    assert text_of(parts) == f"The queen is dead [1].\n\n{STOP_SENTENCES[stop]}"
    assert complete(end, {}).stopped == stop.value
    assert (end.input_tokens, end.output_tokens) == (90, 4)
    assert end.checked is not None and end.checked.sentences == 1, "The sentence of ours is not checked."


@pytest.mark.parametrize("stop", Stop)
def test_without_an_answer_there_is_no_confidence(stop: Stop) -> None:
    parts = asked(ModelUsage(90, 0, stop)).parts()
    assert text_of(parts) == STOP_SENTENCES[stop]
    assert complete(end_of(parts), {}).confidence is None


def test_a_text_that_was_cut_or_filtered_has_the_confidence_of_its_evidence_and_one_of_a_guardrail_none() -> None:
    confident = {
        stop: complete(end_of(asked("Dead [1].", ModelUsage(9, 4, stop)).parts()), {}).confidence for stop in Stop
    }
    assert confident == {**dict.fromkeys(Stop, 1.0), Stop.REFUSED: None}


def test_a_normal_end_adds_nothing() -> None:
    parts = asked("Dead [1].", ModelUsage(9, 4)).parts()
    assert (text_of(parts), complete(end_of(parts), {}).stopped) == ("Dead [1].", None)


def test_an_answer_without_a_search_says_it_too() -> None:
    said = ("It is", ModelUsage(9, 4, Stop.CUT))
    assert end_of(asked(*said).routed(Intent.GENERAL).parts(replace(QUESTION, message="Hello!"))).stopped is Stop.CUT


@pytest.mark.parametrize("stop", Stop)
def test_an_agents_answer_says_it_too(stop: Stop) -> None:
    here = Situation(agent=ScriptedAgent("You have", ModelUsage(0, 0, stop))).routed(Intent.PROFILE_REQUEST)
    parts = here.parts()
    assert text_of(parts) == f"You have\n\n{STOP_SENTENCES[stop]}"
    assert complete(end_of(parts), {}).stopped == stop.value


def test_an_agent_that_repeats_itself_is_stopped() -> None:
    here = Situation(agent=ScriptedAgent(*[SAME] * 9)).routed(Intent.THEORY_REQUEST)
    assert end_of(here.parts()).stopped is Stop.REPEATING
    assert here.agent.closed


def test_a_model_that_writes_a_sentence_for_the_third_time_is_stopped() -> None:
    here = asked(*[SAME] * 9, ModelUsage(9, 4))
    parts = here.parts()
    assert end_of(parts).stopped is Stop.REPEATING
    assert text_of(parts).count(SAME) == 4, "The fourth shows that the third has ended."
    assert text_of(parts).endswith(STOP_SENTENCES[Stop.REPEATING])
    assert here.model.closed.is_set()


def repeats(text: str, size: int = 3) -> bool:
    repetition = Repetition()
    return any(repetition.found(text[at : at + size]) for at in range(0, len(text), size))


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    "text",
    [f"{3 * SAME}And", f"- {SAME}\n* {SAME.upper()}\n1. {SAME}\nAnd", 3 * "The queen, of Scotland, is dead!\n" + "x"],
)
def test_case_marks_bullets_and_the_size_of_pieces_make_no_difference(text: str, size: int) -> None:
    assert repeats(text, size)


@pytest.mark.parametrize(
    "text",
    [
        f"{2 * SAME}And so on.",
        9 * "The queen is dead. ",
        "".join(SAME.replace("1", str(number)) for number in range(9)),
        "".join(f"The queen of Scotland, {number}, is dead. " for number in range(9)),
    ],
    ids=["twice", "short", "of other passages", "alike"],
)
def test_what_is_said_twice_short_or_of_other_passages_is_no_repetition(text: str) -> None:
    assert not repeats(text, 1)
