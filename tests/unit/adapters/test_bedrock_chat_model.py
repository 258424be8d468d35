from __future__ import annotations

import pytest
from botocore.eventstream import ChecksumMismatch
from botocore.exceptions import EventStreamError
from urllib3.exceptions import ProtocolError, ReadTimeoutError

from cicada.adapters.aws_errors import IncompleteStreamError, Retry
from cicada.adapters.bedrock.chat_model import BedrockChatModel, ConverseModel, ModelChain, Patience
from cicada.answering.parts import Prompt
from cicada.errors import CicadaError, ConfigurationError, StreamBrokenError, ThrottledError, UnavailableError
from cicada.generation import ModelUsage, Stop
from tests.fakes.bedrock_wire import (
    DROP,
    FLOOD,
    STALL,
    Refused,
    Reply,
    ScriptedBedrock,
    Streamed,
    bad_checksum,
    event,
    exception,
    reply_end,
    scripted_bedrock,
    text_delta,
    until_failure,
)
from tests.patience import PATIENCE_SECONDS

START = event("messageStart", {"role": "assistant"})
HELLO = Streamed((START, text_delta("Hel"), text_delta("lo"), *reply_end(read=7, written=3)))
PROMPT = Prompt(system="Be brief.", user="Greet me.")
MODEL = ConverseModel("us.amazon.nova-lite-v1:0", max_tokens=200, temperature=0.1)

PATIENT = Patience(PATIENCE_SECONDS, PATIENCE_SECONDS)

Failure = tuple[object, type[Exception]]
IN_MID_STREAM: dict[str, Failure] = {
    "an exception event": (exception("throttlingException"), EventStreamError),
    "a dropped connection": (DROP, ProtocolError),
    "a stall": (STALL, ReadTimeoutError),
    "a bad checksum": (bad_checksum(text_delta("lo")), ChecksumMismatch),
}
FAILURES = pytest.mark.parametrize("failure", IN_MID_STREAM.values(), ids=IN_MID_STREAM)
LOUD_FAILURES = pytest.mark.parametrize(
    "failure", [each for each in IN_MID_STREAM.values() if each[0] is not STALL], ids=lambda each: each[1].__name__
)


def chat_model(bedrock: ScriptedBedrock, slept: list[float] | None = None) -> BedrockChatModel:
    """A model; the seconds that it would have waited are added to `slept`."""
    waits: list[float] = [] if slept is None else slept
    models = ModelChain([MODEL], Retry(waits.append, lambda: 0.5))
    return BedrockChatModel(bedrock.client("bedrock-runtime"), models, PATIENT)


def all_of(*replies: Reply, slept: list[float] | None = None) -> list[str | ModelUsage]:
    with scripted_bedrock(*replies) as bedrock:
        return list(chat_model(bedrock, slept).stream(PROMPT))


def test_pieces_come_as_they_are_generated_and_then_the_usage() -> None:
    with scripted_bedrock(HELLO) as bedrock:
        assert list(chat_model(bedrock).stream(PROMPT)) == ["Hel", "lo", ModelUsage(7, 3)]
    (request,) = bedrock.requests
    assert request.path == "/model/us.amazon.nova-lite-v1:0/converse-stream"
    assert request.body == {
        "system": [{"text": "Be brief."}],
        "messages": [{"role": "user", "content": [{"text": "Greet me."}]}],
        "inferenceConfig": {"maxTokens": 200, "temperature": 0.1},
    }


@FAILURES
def test_a_failure_after_the_first_piece_breaks_the_stream_and_is_not_tried_again(failure: Failure) -> None:
    disturbance, cause = failure
    with scripted_bedrock(Streamed((START, text_delta("Hel"), disturbance)), HELLO) as bedrock:
        received, error = until_failure(chat_model(bedrock).stream(PROMPT))
    assert received == ["Hel"]
    assert type(error) is StreamBrokenError
    assert isinstance(error.__cause__, cause)
    assert len(bedrock.requests) == 1


@LOUD_FAILURES
def test_a_failure_before_the_first_piece_is_tried_again(failure: Failure) -> None:
    slept: list[float] = []
    assert all_of(Streamed((START, failure[0])), HELLO, slept=slept) == ["Hel", "lo", ModelUsage(7, 3)]
    assert slept == [0.25]


@LOUD_FAILURES
def test_a_failure_before_the_first_piece_that_lasts_is_named_after_three_tries(failure: Failure) -> None:
    disturbance, cause = failure
    slept: list[float] = []
    with scripted_bedrock(Streamed((START, disturbance))) as bedrock:
        received, error = until_failure(chat_model(bedrock, slept).stream(PROMPT))
    assert (received, len(bedrock.requests), slept) == ([], 3, [0.25, 0.5])
    assert type(error) is (ThrottledError if cause is EventStreamError else UnavailableError)
    assert isinstance(error.__cause__, cause)


def test_a_stream_that_ends_in_order_but_without_its_last_event_is_broken() -> None:
    with scripted_bedrock(Streamed((START, text_delta("Hel")))) as bedrock:
        received, error = until_failure(chat_model(bedrock).stream(PROMPT))
    assert received == ["Hel"]
    assert type(error) is StreamBrokenError
    assert isinstance(error.__cause__, IncompleteStreamError)


@pytest.mark.parametrize(
    ("status", "code", "expected", "calls"),
    [
        (429, "ThrottlingException", ThrottledError, 3),
        (429, "ModelNotReadyException", ThrottledError, 3),
        (503, "ServiceUnavailableException", UnavailableError, 3),
        (500, "InternalServerException", UnavailableError, 3),
        (403, "AccessDeniedException", ConfigurationError, 1),
        (404, "ResourceNotFoundException", ConfigurationError, 1),
        (400, "ValidationException", ConfigurationError, 1),
    ],
)
def test_a_refusal_is_retried_where_that_can_help(
    status: int, code: str, expected: type[CicadaError], calls: int
) -> None:
    with scripted_bedrock(Refused(status, code)) as bedrock:
        received, error = until_failure(chat_model(bedrock).stream(PROMPT))
    assert received == []
    assert type(error) is expected
    assert "as the script says" not in str(error)
    assert len(bedrock.requests) == calls


def test_a_server_that_is_not_there_is_unavailable() -> None:
    with scripted_bedrock(HELLO) as bedrock:
        model = chat_model(bedrock)
    _, error = until_failure(model.stream(PROMPT))
    assert type(error) is UnavailableError


def test_closing_the_iterator_closes_the_connection() -> None:
    with scripted_bedrock(Streamed((START, text_delta("on and on "), FLOOD))) as bedrock:
        pieces = chat_model(bedrock).stream(PROMPT)
        assert next(pieces) == "on and on "
        pieces.close()
        assert bedrock.reader_left.wait(PATIENCE_SECONDS)


def test_a_reply_without_text_has_only_its_usage() -> None:
    assert all_of(Streamed((START, *reply_end("end_turn", 9, 0)))) == [ModelUsage(9, 0)]


@pytest.mark.parametrize(
    ("reason", "stopped"),
    [
        ("end_turn", None),
        ("stop_sequence", None),
        ("max_tokens", Stop.CUT),
        ("model_context_window_exceeded", Stop.CUT),
        ("content_filtered", Stop.FILTERED),
        ("guardrail_intervened", Stop.REFUSED),
        ("malformed_model_output", Stop.MALFORMED),
        ("malformed_tool_use", Stop.MALFORMED),
    ],
)
def test_the_usage_says_why_the_model_stopped_early(reason: str, stopped: Stop | None) -> None:
    assert all_of(Streamed((START, text_delta("Hel"), *reply_end(reason)))) == ["Hel", ModelUsage(7, 3, stopped)]


def test_a_guardrail_reads_every_piece_before_it_is_sent() -> None:
    request = ConverseModel("m", 10, 0.0, "gr1:7").request("", [])
    assert request["guardrailConfig"] == {
        "guardrailIdentifier": "gr1",
        "guardrailVersion": "7",
        "streamProcessingMode": "sync",
    }


def test_what_is_not_given_is_left_out_of_the_request() -> None:
    request = ConverseModel("m", max_tokens=5, temperature=0.0).request("", [])
    assert request == {"modelId": "m", "messages": [], "inferenceConfig": {"maxTokens": 5, "temperature": 0.0}}
