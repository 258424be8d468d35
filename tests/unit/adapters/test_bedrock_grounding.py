"""Bedrock's contextual grounding check as the judge of sentences."""

from __future__ import annotations

import pytest

from cicada.adapters.bedrock.grounding import BedrockGroundingJudge
from cicada.errors import CicadaError
from cicada.grounding.checking import Checked, Reason, check
from tests.fakes.bedrock_wire import DENIED, THROTTLED, Answered, Reply, ScriptedBedrock, scripted_bedrock

PASSAGES = {1: "The tank is cleaned by night.", 2: "Alice owns the pump."}
SAID = "Cleaning the tank happens at night. [1]"


def judged(action: str) -> Answered:
    found = {"type": "GROUNDING", "threshold": 0.7, "score": 0.4, "action": action}
    return Answered({"assessments": [{"contextualGroundingPolicy": {"filters": [found]}}]})


def checked(bedrock: ScriptedBedrock, answer: str, failures: list[CicadaError]) -> Checked:
    judge = BedrockGroundingJudge(bedrock.client("bedrock-runtime"), "gr1abc:3", failures.append)
    return check(answer, PASSAGES, question="When is the tank cleaned?", judge=judge)


@pytest.mark.parametrize(("action", "reasons"), [("NONE", []), ("BLOCKED", [Reason.WORDS])])
def test_the_guardrail_decides_on_a_sentence_with_the_passages_that_it_cites(
    action: str, reasons: list[Reason]
) -> None:
    failures: list[CicadaError] = []
    with scripted_bedrock(judged(action)) as bedrock:
        found = checked(bedrock, SAID, failures)
    assert ([each.reason for each in found.unsupported], failures) == (reasons, [])
    [request] = bedrock.requests
    assert request.path == "/guardrail/gr1abc/version/3/apply"
    assert {block["text"]["qualifiers"][0]: block["text"]["text"] for block in request.body["content"]} == {
        "grounding_source": PASSAGES[1],
        "query": "When is the tank cleaned?",
        "guard_content": "Cleaning the tank happens at night.",
    }


def test_a_number_that_the_passages_lack_is_no_question_for_it() -> None:
    with scripted_bedrock() as bedrock:
        found = checked(bedrock, "The tank is cleaned 7 times. [1]", [])
    assert [each.reason for each in found.unsupported] == [Reason.NUMBER]


@pytest.mark.parametrize("reply", [THROTTLED, DENIED, Answered({"assessments": []}), Answered({})])
def test_where_it_fails_words_are_counted_and_the_first_failure_is_reported(reply: Reply) -> None:
    failures: list[CicadaError] = []
    answer = "The tank is cleaned by night. [1]\nEvery whale sings loudly of freedom and mathematics. [1]"
    with scripted_bedrock(reply, reply) as bedrock:
        found = checked(bedrock, answer, failures)
    assert found == check(answer, PASSAGES)
    assert (len(found.unsupported), len(failures)) == (1, 1)


def test_after_a_failure_the_sentences_that_wait_are_not_asked_about() -> None:
    """Each would wait as long for nothing, and the answer's end with it."""
    answer = "The tank is cleaned by night. [1]\n" * 40
    with scripted_bedrock(*[THROTTLED] * 40) as bedrock:
        assert checked(bedrock, answer, []) == check(answer, PASSAGES)
        assert len(bedrock.requests) <= 4
