from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from cicada.adapters.bedrock.agent import BedrockAgent, BedrockAgentId, session_id
from cicada.agents.model import AgentKind, AgentTurn
from cicada.dialogue import Turn
from cicada.errors import (
    CicadaError,
    ConfigurationError,
    SilentModelError,
    StreamBrokenError,
    ThrottledError,
    UnavailableError,
)
from cicada.identity import Principal
from cicada.observability.audit import ShownDocuments
from cicada.observability.telemetry import Telemetry, recording
from tests.fakes.bedrock_wire import (
    AT_ONCE,
    DENIED,
    DROP,
    FLOOD,
    STALL,
    THROTTLED,
    Refused,
    ScriptedBedrock,
    Streamed,
    agent_chunk,
    bad_checksum,
    event,
    exception,
    scripted_bedrock,
)
from tests.patience import PATIENCE_SECONDS

ANN = Principal("acme", "ann", frozenset({"legal"}))
TURN = AgentTurn(AgentKind.THEORIES, ANN, "evening", "scripts", "Is Ross the third murderer?")
AGENTS = {
    AgentKind.PROFILES: BedrockAgentId("AGENTP0001", "ALIASP0001"),
    AgentKind.THEORIES: BedrockAgentId("AGENTT0001", "ALIAST0001"),
}
REPLY = Streamed((agent_chunk(b"It may "), agent_chunk(b"be.")))
IN_MID_STREAM = {
    "an exception event": exception("dependencyFailedException"),
    "a dropped connection": DROP,
    "a stall": STALL,
    "a bad checksum": bad_checksum(agent_chunk(b"be.")),
}
FAILURES = pytest.mark.parametrize("failure", IN_MID_STREAM.values(), ids=IN_MID_STREAM)


def agent(bedrock: ScriptedBedrock) -> BedrockAgent:
    return BedrockAgent(bedrock.client("bedrock-agent-runtime"), AGENTS, AT_ONCE)


def test_the_final_response_is_streamed_and_the_identity_goes_with_the_session() -> None:
    with scripted_bedrock(REPLY) as bedrock, recording(Telemetry(shown=ShownDocuments("r1#2"))):
        assert list(agent(bedrock).reply(TURN)) == ["It may ", "be."]
    (request,) = bedrock.requests
    assert request.path == f"/agents/AGENTT0001/agentAliases/ALIAST0001/sessions/{session_id(TURN)}/text"
    identity = {"tenant": "acme", "user": "ann", "login": "", "groups": '["legal"]'}
    state = {
        "sessionAttributes": identity | {"knowledgeBase": "scripts", "writes": "", "request": "r1#2"},
        "promptSessionAttributes": {"knowledgeBase": "scripts"},
    }
    streamed = {"enableTrace": False, "streamingConfigurations": {"streamFinalResponse": True}}
    assert request.body == {"inputText": "Is Ross the third murderer?", "sessionState": state, **streamed}


def test_the_turns_before_go_where_only_the_model_reads_them() -> None:
    with scripted_bedrock(REPLY) as bedrock:
        list(agent(bedrock).reply(replace(TURN, earlier=(Turn("Who is Ross?", "A thane."),))))
    state = bedrock.requests[0].body["sessionState"]
    assert state["promptSessionAttributes"] == {
        "knowledgeBase": "scripts",
        "earlierTurns": "User:\n| Who is Ross?\nYou:\n| A thane.",
    }
    assert "earlierTurns" not in state["sessionAttributes"]


def test_a_session_of_the_same_name_is_another_one_for_every_owner() -> None:
    names = [("acme", "ann", "s"), ("acme", "bob", "s"), ("umbrella", "ann", "s"), ("acme", "ann", "t")]
    names += [("a", "b#c", "d"), ("a#b", "c", "d"), ("a", "b", "c#d")]
    ids = {session_id(AgentTurn(AgentKind.PROFILES, Principal(t, u), s, "scripts", "…")) for t, u, s in names}
    assert len(ids) == len(names)
    assert all(re.fullmatch(r"[0-9a-zA-Z._:-]{2,100}", each) for each in ids)


def test_a_character_cut_by_two_chunks_is_put_together_and_events_without_text_are_passed_over() -> None:
    raw = "Glück".encode()
    trace = event("trace", {"agentId": "A"})
    with scripted_bedrock(Streamed((trace, agent_chunk(raw[:3]), trace, agent_chunk(raw[3:])))) as bedrock:
        assert "".join(agent(bedrock).reply(TURN)) == "Glück"


@FAILURES
def test_a_failure_after_the_first_piece_breaks_the_stream(failure: object) -> None:
    with scripted_bedrock(Streamed((agent_chunk(b"It may "), failure)), REPLY) as bedrock:
        pieces = agent(bedrock).reply(TURN)
        assert next(pieces) == "It may "
        with pytest.raises(StreamBrokenError):
            next(pieces)
    assert len(bedrock.requests) == 1


def test_a_silent_agent_is_not_waited_for_again() -> None:
    with scripted_bedrock(Streamed((STALL,))) as bedrock, pytest.raises(SilentModelError):
        next(agent(bedrock).reply(TURN))
    assert len(bedrock.requests) == 1


@pytest.mark.parametrize("failure", [each for each in IN_MID_STREAM.values() if each is not STALL])
def test_a_failure_before_the_first_piece_is_tried_up_to_three_times(failure: object) -> None:
    with scripted_bedrock(Streamed((failure,)), Streamed((failure,)), REPLY) as bedrock:
        assert list(agent(bedrock).reply(TURN)) == ["It may ", "be."]
    with scripted_bedrock(Streamed((failure,))) as bedrock, pytest.raises(UnavailableError):
        next(agent(bedrock).reply(TURN))
    assert len(bedrock.requests) == 3


@pytest.mark.parametrize(
    ("refusal", "expected"),
    [
        (THROTTLED, ThrottledError),
        (Refused(424, "DependencyFailedException"), UnavailableError),
        (DENIED, ConfigurationError),
        (Streamed(()), UnavailableError),
    ],
)
def test_no_answer_is_never_an_empty_answer(refusal: Refused | Streamed, expected: type[CicadaError]) -> None:
    with scripted_bedrock(refusal) as bedrock, pytest.raises(expected):
        list(agent(bedrock).reply(TURN))


def test_an_agent_that_is_not_configured_is_said_to_be_so() -> None:
    with scripted_bedrock(REPLY) as bedrock:
        client = bedrock.client("bedrock-agent-runtime")
        for agents in ({}, {AgentKind.THEORIES: BedrockAgentId("", "")}):
            with pytest.raises(ConfigurationError):
                next(BedrockAgent(client, agents).reply(TURN))
    assert bedrock.requests == []


def test_closing_the_iterator_closes_the_connection() -> None:
    with scripted_bedrock(Streamed((agent_chunk(b"on "), FLOOD))) as bedrock:
        pieces = agent(bedrock).reply(TURN)
        assert next(pieces) == "on "
        pieces.close()  # type: ignore[attr-defined]
        assert bedrock.reader_left.wait(PATIENCE_SECONDS)
