"""Models that fail, on a real socket, up to what the client is sent (docs/operations/failures.md)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from cicada.adapters.aws_errors import Retry
from cicada.adapters.bedrock.agent import BedrockAgent, BedrockAgentId
from cicada.adapters.bedrock.chat_model import BedrockChatModel, ConverseModel
from cicada.agents.model import Agent, AgentKind
from cicada.answering.answer import Answerer
from cicada.answering.listing import ListingAnswerer
from cicada.answering.passages import PassageAnswerer
from cicada.answering.process import Processed, Processor
from cicada.conversation.history import answer_text
from cicada.conversation.model import Status
from cicada.conversation.protocol import Chunk, parse_event
from cicada.errors import CicadaError
from cicada.permissions import PermissionGate
from cicada.planning.model import Intent
from cicada.planning.plan import Plan, Shape
from tests.fakes.access import OpenAccess
from tests.fakes.agent import ScriptedAgent
from tests.fakes.bedrock_wire import (
    DROP,
    SILENCE,
    STALL,
    Refused,
    Reply,
    ScriptedBedrock,
    Streamed,
    agent_chunk,
    bad_checksum,
    event,
    exception,
    reply_end,
    scripted_bedrock,
    text_delta,
)
from tests.fakes.retrieval import OneDocument, fixed_search
from tests.unit.answering.situation import Situation as Answering
from tests.unit.answering.situation import passage
from tests.unit.conversation.situation import KEY, LEASE_SECONDS, Situation

MODEL = ConverseModel("us.amazon.nova-lite-v1:0", max_tokens=200, temperature=0.1)
START = event("messageStart", {"role": "assistant"})
SEYTON = Streamed((START, text_delta("Sey"), text_delta("ton."), *reply_end()))
AGENT_SEYTON = Streamed((agent_chunk(b"Sey"), agent_chunk(b"ton.")))
IN_MID_STREAM: dict[str, object] = {
    "an exception event": exception("modelStreamErrorException"),
    "a throttling event": exception("throttlingException"),
    "a dropped connection": DROP,
    "a stall": STALL,
    "a bad checksum": bad_checksum(text_delta("duff")),
    "an end that is missing": b"",
}
OF_AGENTS = {kind: fault for kind, fault in IN_MID_STREAM.items() if kind != "an end that is missing"}
FAULTS = pytest.mark.parametrize("fault", IN_MID_STREAM.values(), ids=IN_MID_STREAM)
AGENT_FAULTS = pytest.mark.parametrize("fault", OF_AGENTS.values(), ids=OF_AGENTS)


@dataclass
class Answered(Situation):
    """A question, and the processor that answers it by a scripted Bedrock."""

    answerer: Answerer | None = None
    heartbeat_seconds: float = 30
    reported: list[CicadaError] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)

    def process(self) -> Processed:
        assert self.answerer
        return Processor(
            self.log,
            self.channel,
            self.queue,
            self.answerer,
            self.clock,
            LEASE_SECONDS,
            self.heartbeat_seconds,
            report=self.reported.append,
        ).process(KEY)

    @property
    def stored(self) -> list[dict[str, Any]]:
        """The whole log as the client assembles it."""
        events = self.log.events(KEY, 0, self.head().last_seq)
        return [json.loads(event.body) for event in events]

    @property
    def kinds(self) -> list[str]:
        return [event["type"] for event in self.stored if event["type"] != "status"]

    @property
    def answer(self) -> str:
        return answer_text(self.log.events(KEY, 0, self.head().last_seq))

    @property
    def everything_said(self) -> str:
        """All text ever stored, including text discarded by a reset."""
        events = (parse_event(event.body) for event in self.log.events(KEY, 0, self.head().last_seq))
        return "".join(event.content for event in events if isinstance(event, Chunk))


@contextmanager
def asked(*replies: Reply, intent: Intent = Intent.SCRIPT_QUERY) -> Iterator[tuple[Answered, ScriptedBedrock]]:
    with scripted_bedrock(*replies) as bedrock:
        here = Answered()
        retry = Retry(sleep=here.slept.append, chance=lambda: 0.5)
        model = BedrockChatModel(bedrock.client("bedrock-runtime"), MODEL, retry)
        agent: Agent = ScriptedAgent()
        if intent is not Intent.SCRIPT_QUERY:
            ids = dict.fromkeys(AgentKind, BedrockAgentId("AGENT00001", "ALIAS00001"))
            agent = BedrockAgent(bedrock.client("bedrock-agent-runtime"), ids, retry)
        gate = PermissionGate(OpenAccess())
        search = fixed_search(passage("The queen, my lord, is dead."))
        plan = Plan(intent, Shape.CONTENT_ONLY, "Who?", knowledge_base="scripts")
        listings = ListingAnswerer(OneDocument(), search.bases, gate)
        whole_documents = Answering().whole_documents
        here.answerer = Answerer(
            lambda *_: plan, PassageAnswerer(search, model, gate), whole_documents, listings, agent, model
        )
        here.ask()
        yield here, bedrock


def broken(fault: object) -> Streamed:
    return Streamed((START, text_delta("Mac"), *([fault] if fault else [])))


@FAULTS
def test_a_stream_that_breaks_off_is_voided_and_generated_once_more(fault: object) -> None:
    with asked(broken(fault), SEYTON) as (here, bedrock):
        assert here.process() is Processed.COMPLETE
    assert [kind for kind in here.kinds if kind != "chunk"] == ["accepted", "sources", "reset", "sources", "complete"]
    assert here.answer == "Seyton."
    assert here.everything_said == "MacSeyton."
    assert len(bedrock.requests) == 2
    assert (here.slept, here.reported, here.queue.buried) == ([], [], [])
    assert (here.head().status, here.head().attempt) == (Status.COMPLETE, 1)


@AGENT_FAULTS
@pytest.mark.parametrize("lasting", [False, True])
def test_an_agents_stream_is_under_the_same_rule(fault: object, lasting: bool) -> None:
    first = Streamed((agent_chunk(b"Mac"), fault))
    replies = [first] if lasting else [first, AGENT_SEYTON]
    with asked(*replies, intent=Intent.PROFILE_REQUEST) as (here, bedrock):
        assert here.process() is (Processed.FAILED if lasting else Processed.COMPLETE)
    assert here.kinds.count("reset") == 1
    assert here.kinds[-1] == ("error" if lasting else "complete")
    assert here.answer == ("Mac" if lasting else "Seyton.")
    assert here.queue.buried == ([(KEY, "stream_broken")] if lasting else [])
    assert len(bedrock.requests) == 2


@pytest.mark.parametrize(
    ("first", "code"),
    [
        (Refused(429, "ThrottlingException"), "dependency_throttled"),
        (Refused(503, "ServiceUnavailableException"), "dependency_unavailable"),
        (Streamed((START, exception("throttlingException"))), "dependency_throttled"),
        (Streamed((START, DROP)), "dependency_unavailable"),
    ],
    ids=["throttled", "unavailable", "throttled in the stream", "dropped in the stream"],
)
class TestBeforeTheFirstToken:
    """No text has been sent yet, so a failed call is retried invisibly."""

    def test_a_failure_that_passes_is_not_seen(self, first: Reply, code: str) -> None:
        with asked(first, first, SEYTON) as (here, bedrock):
            assert here.process() is Processed.COMPLETE
        assert "reset" not in here.kinds
        assert here.answer == "Seyton."
        assert here.slept == [0.25, 0.5]
        assert len(bedrock.requests) == 3

    def test_a_failure_that_lasts_ends_the_answer_after_three_tries(self, first: Reply, code: str) -> None:
        with asked(first) as (here, bedrock):
            assert here.process() is Processed.FAILED
        assert here.kinds == ["accepted", "sources", "error"]
        assert (here.stored[-1]["code"], here.stored[-1]["retryable"]) == (code, True)
        assert here.slept == [0.25, 0.5]
        assert len(bedrock.requests) == 3
        assert here.queue.buried == [(KEY, code)]

    def test_a_failure_after_a_broken_stream_ends_the_answer_after_three_tries(self, first: Reply, code: str) -> None:
        with asked(broken(DROP), first) as (here, bedrock):
            assert here.process() is Processed.FAILED
        assert here.kinds == ["accepted", "sources", "chunk", "reset", "sources", "error"]
        assert here.stored[-1]["code"] == code
        assert len(bedrock.requests) == 4
        assert here.queue.buried == [(KEY, code)]


def once_posted(here: Answered, wanted: str, act: Callable[[], object]) -> None:
    """Do `act` when a frame that holds `wanted` is posted for the first time."""

    def before_post(connection_id: str, frame: str) -> None:
        if wanted in frame:
            here.channel.before_post = lambda connection_id, frame: None
            act()

    here.channel.before_post = before_post


def test_a_cancel_while_the_model_is_silent_is_heeded_at_the_next_heartbeat() -> None:
    with asked(broken(SILENCE)) as (here, bedrock):
        here.heartbeat_seconds = 0.01
        once_posted(here, '"content":"Mac"', lambda: here.log.request_cancel(KEY))
        assert here.process() is Processed.CANCELLED
        assert not bedrock.released.is_set()
    assert here.kinds[-2:] == ["chunk", "cancelled"]
    assert here.answer == "Mac"


@FAULTS
def test_a_cancel_before_a_stream_breaks_off_stops_a_second_try(fault: object, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Answerer] = []
    answer = Answerer.answer

    def counted(answerer: Answerer, *arguments: Any) -> Any:
        begun.append(answerer)
        return answer(answerer, *arguments)

    monkeypatch.setattr(Answerer, "answer", counted)
    with asked(broken(fault), SEYTON) as (here, _):
        once_posted(here, '"content":"Mac"', lambda: here.log.request_cancel(KEY))
        assert here.process() is Processed.CANCELLED
    assert here.kinds[-1] == "cancelled"
    assert here.everything_said == "Mac"
    assert len(begun) == 1
    assert here.queue.buried == []
