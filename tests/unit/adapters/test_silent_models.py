"""A model that writes nothing costs the time of its first text, and no more."""

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest

from cicada.adapters.bedrock.chat_model import BedrockChatModel, ConverseModel, ModelChain, Patience
from cicada.answering.parts import Prompt
from cicada.bootstrap.aws import client
from cicada.errors import CicadaError, SilentModelError, StreamBrokenError
from cicada.observability.telemetry import Telemetry, recording
from tests.fakes.bedrock_wire import (
    AT_ONCE,
    DENIED,
    SILENCE,
    STALL,
    THROTTLED,
    Reply,
    ScriptedBedrock,
    Streamed,
    event,
    reply_end,
    scripted_bedrock,
    text_delta,
    until_failure,
)
from tests.patience import PATIENCE_SECONDS

START = event("messageStart", {"role": "assistant"})
HELLO = Streamed((START, text_delta("Hello"), *reply_end()))
STALLS = Streamed((START, STALL))
PROMPT = Prompt(system="", user="Greet me.")
PATIENT = Patience(PATIENCE_SECONDS, PATIENCE_SECONDS)


def models(*names: str) -> list[ConverseModel]:
    return [ConverseModel(name, max_tokens=200, temperature=0.1) for name in names]


def chat(bedrock: ScriptedBedrock, *names: str) -> BedrockChatModel:
    return BedrockChatModel(bedrock.client("bedrock-runtime"), ModelChain(models(*names), AT_ONCE), PATIENT)


def asked(names: Sequence[str], *replies: Reply, answers: int = 1) -> tuple[list[str], tuple[str, ...], list[str]]:
    """The texts, the steps that the path says, and which models were asked, in order; for the last of the answers."""
    reported: list[CicadaError] = []
    with scripted_bedrock(*replies) as bedrock:
        chain = ModelChain(models(*names), AT_ONCE, reported.append)
        model = BedrockChatModel(bedrock.client("bedrock-runtime"), chain, PATIENT)
        for _ in range(answers):
            telemetry, before = Telemetry(), len(bedrock.requests)
            with recording(telemetry):
                texts = [piece for piece in model.stream(PROMPT) if isinstance(piece, str)]
    assert bool(reported) == bool(telemetry.steps)
    return texts, telemetry.steps, [each.path.split("/")[2] for each in bedrock.requests[before:]]


def test_the_next_model_answers_for_a_silent_one_and_a_single_one_is_asked_once_more() -> None:
    assert asked(["a", "b"], STALLS, HELLO) == (["Hello"], ("model:2:after_silence",), ["a", "b"])
    assert asked(["a"], STALLS, HELLO) == (["Hello"], ("model:1:after_silence",), ["a", "a"])


@pytest.mark.parametrize(("reply", "calls"), [(THROTTLED, 3), (DENIED, 1)])
def test_the_next_model_answers_for_one_that_is_refused(reply: Reply, calls: int) -> None:
    found = asked(["a", "b"], *[reply] * calls, HELLO)
    assert found == (["Hello"], ("model:2:after_failure",), [*["a"] * calls, "b"])


def test_a_model_that_keeps_silent_is_left_out_for_a_while() -> None:
    found = asked(["a", "b"], *[STALLS, HELLO] * 3, HELLO, answers=4)
    assert found == (["Hello"], ("model:2:skipped_open_circuit",), ["b"])


def test_a_model_that_keeps_breaking_off_in_the_middle_is_left_out_for_a_while() -> None:
    breaks = Streamed((START, text_delta("Hel"), STALL))
    with scripted_bedrock(breaks, breaks, breaks, HELLO) as bedrock:
        model = chat(bedrock, "a", "b")
        for _ in range(3):
            said, error = until_failure(model.stream(PROMPT))
            assert (said, type(error)) == (["Hel"], StreamBrokenError)
        assert next(model.stream(PROMPT)) == "Hello"
    assert [each.path.split("/")[2] for each in bedrock.requests] == ["a", "a", "a", "b"]


@pytest.mark.parametrize("names", [["a"], ["a", "b"]])
def test_where_all_are_silent_the_answer_fails_after_two_calls(names: list[str]) -> None:
    with scripted_bedrock(STALLS) as bedrock:
        said, error = until_failure(chat(bedrock, *names).stream(PROMPT))
    assert (said, type(error), error.code) == ([], SilentModelError, "dependency_unavailable")
    assert len(bedrock.requests) == 2


@pytest.mark.parametrize(
    ("frames", "patience", "expected"),
    [
        ((), Patience(0.1, PATIENCE_SECONDS), SilentModelError),
        ((START,), Patience(0.1, PATIENCE_SECONDS), SilentModelError),
        ((START, text_delta("Hel")), Patience(PATIENCE_SECONDS, 0.1), StreamBrokenError),
    ],
    ids=["no event", "a beginning without text", "in the middle"],
)
def test_the_wait_is_that_of_the_first_or_the_next_text(
    frames: tuple[bytes, ...], patience: Patience, expected: type[CicadaError], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the processor's client is made: the SDK repeats no call."""
    for name in ("AWS_DEFAULT_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "us-east-1")
    with scripted_bedrock(Streamed((*frames, SILENCE))) as bedrock:
        runtime = client(
            "bedrock-runtime",
            read_timeout_seconds=patience.first_text_seconds,
            attempts=1,
            endpoint_url=bedrock.url,
        )
        began = time.monotonic()
        _, error = until_failure(BedrockChatModel(runtime, ModelChain(models("a", "b")), patience).stream(PROMPT))
        assert time.monotonic() - began < PATIENCE_SECONDS
    assert type(error) is expected
