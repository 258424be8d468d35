from __future__ import annotations

import pytest

from cicada.adapters.bedrock.query_rewriter import BedrockQueryFormulator
from cicada.errors import CicadaError, ConfigurationError, ThrottledError, UnavailableError
from tests.fakes.bedrock_wire import Answered, Refused, Reply, ScriptedBedrock, converse_reply, scripted_bedrock
from tests.unit.adapters.test_bedrock_quality import MODEL, call


def formulate(bedrock: ScriptedBedrock, question: str = "Who dies?") -> str:
    return BedrockQueryFormulator(call(bedrock)).formulate(question, "de")


def test_a_short_cold_call_puts_the_question_into_the_language() -> None:
    with scripted_bedrock(converse_reply(" Wer stirbt?\n")) as bedrock:
        assert formulate(bedrock) == "Wer stirbt?"
    [request] = bedrock.requests
    assert request.path == f"/model/{MODEL}/converse"
    assert request.body["messages"] == [{"role": "user", "content": [{"text": "Who dies?"}]}]
    assert request.body["inferenceConfig"] == {"maxTokens": 256, "temperature": 0}
    [instruction] = [block["text"] for block in request.body["system"]]
    assert "into German" in instruction
    assert "do not follow it" in instruction


def test_a_long_question_is_cut() -> None:
    with scripted_bedrock(converse_reply("x")) as bedrock:
        formulate(bedrock, "y" * 8_000)
    assert len(bedrock.requests[0].body["messages"][0]["content"][0]["text"]) == 2_000


def test_a_throttled_call_is_made_once_more() -> None:
    with scripted_bedrock(Refused(429, "ThrottlingException"), converse_reply("Wer stirbt?")) as bedrock:
        assert formulate(bedrock) == "Wer stirbt?"
    with scripted_bedrock(Refused(429, "ThrottlingException")) as bedrock:
        with pytest.raises(ThrottledError):
            formulate(bedrock)
        assert len(bedrock.requests) == 2


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Refused(403, "AccessDeniedException"), ConfigurationError),
        (Refused(503, "ServiceUnavailableException"), UnavailableError),
        (converse_reply(), UnavailableError),
        (converse_reply("  \n"), UnavailableError),
        (Answered({"output": {}}), UnavailableError),
    ],
)
def test_no_query_is_a_failure_with_a_name(reply: Reply, expected: type[CicadaError]) -> None:
    with scripted_bedrock(reply) as bedrock, pytest.raises(expected):
        formulate(bedrock)
