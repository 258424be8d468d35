"""InvokeAgent: chooses functions, calls their Lambdas, and streams the answer with its traces."""

import base64
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from local.bedrock.action_group import ActionGroupLambdas
from local.bedrock.agent_heads.earlier import Turn, turns_of
from local.bedrock.agents import Agent, AgentsFile, Session, Sessions
from local.bedrock.embedder import Embedder
from local.bedrock.toolchoice import Call, Done, next_step
from local.bedrock.wire import Event, invalid

VERSION = "1"
TURNS_KEPT = 20
# The prompt attribute that may quote the turns of the conversation, also those that another agent answered.
EARLIER_TURNS = "earlierTurns"


@dataclass(frozen=True, slots=True)
class Invocation:
    """One InvokeAgent request. Attributes replace the session's where the request has them."""

    agent_id: str
    alias_id: str
    session_id: str
    text: str
    session_attributes: Mapping[str, str] | None = None
    prompt_attributes: Mapping[str, str] | None = None
    enable_trace: bool = False
    stream_final: bool = False

    @classmethod
    def parse(cls, agent_id: str, alias_id: str, session_id: str, body: Mapping[str, Any]) -> "Invocation":
        """Raises WireError (ValidationException)."""
        text, state = body.get("inputText", ""), body.get("sessionState") or {}
        if not text.strip():
            raise invalid("inputText must not be empty.")
        return cls(
            agent_id,
            alias_id,
            session_id,
            text,
            state.get("sessionAttributes"),
            state.get("promptSessionAttributes"),
            bool(body.get("enableTrace")),
            bool((body.get("streamingConfigurations") or {}).get("streamFinalResponse")),
        )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class AgentRuntime:
    """Holds the agents and their sessions; one call of `events` answers one request."""

    def __init__(
        self, agents: AgentsFile, lambdas: ActionGroupLambdas, embedder: Embedder, now: Callable[[], str] = _now
    ) -> None:
        self._agents = agents
        self._lambdas = lambdas
        self._embedder = embedder
        self._sessions = Sessions()
        self._now = now

    def events(self, asked: Invocation) -> Iterator[Event]:
        """Raises WireError before the first event for an unknown agent, and in the stream for a failing Lambda."""
        agent = self._agents.get(asked.agent_id)
        session = _opened(self._sessions.get(asked.agent_id, asked.session_id), asked)
        before = _before(session)
        done: list[Done] = []
        while isinstance(step := next_step(agent.tools, asked.text, before, done, self._embedder), Call):
            yield from self._traced(asked, agent, _input_trace(step))
            result = self._lambdas.call(agent.lambdas[step.tool.group], _event(agent, asked, session, step))
            yield from self._traced(asked, agent, _output_trace(result))
            done.append(Done(step.tool.name, step.arguments, result))
        turns = (*session.turns, Turn(asked.text, step.text))[-TURNS_KEPT:]
        self._sessions.put(asked.agent_id, asked.session_id, replace(session, turns=turns))
        yield from self._traced(asked, agent, {"observation": {"type": "FINISH", "finalResponse": {"text": step.text}}})
        yield from _chunks(step.text, asked.stream_final)

    def _traced(self, asked: Invocation, agent: Agent, trace: Mapping[str, Any]) -> Iterator[Event]:
        if asked.enable_trace:
            yield Event(
                "trace",
                {
                    "agentId": agent.agent_id,
                    "agentAliasId": asked.alias_id,
                    "agentVersion": VERSION,
                    "sessionId": asked.session_id,
                    "eventTime": self._now(),
                    "trace": {"orchestrationTrace": trace},
                },
            )


def _before(session: Session) -> tuple[Turn, ...]:
    """The turns before the message: those that the request quotes, else those of the session."""
    return turns_of(session.prompt_attributes.get(EARLIER_TURNS, "")) or session.turns


def _opened(session: Session, asked: Invocation) -> Session:
    """Session attributes last for the session, prompt attributes for one request."""
    attributes = session.attributes if asked.session_attributes is None else asked.session_attributes
    return replace(session, attributes=attributes, prompt_attributes=asked.prompt_attributes or {})


def _event(agent: Agent, asked: Invocation, session: Session, call: Call) -> dict[str, Any]:
    """The Lambda's input for an action group with function details."""
    return {
        "messageVersion": "1.0",
        "agent": {"name": agent.name, "id": agent.agent_id, "alias": asked.alias_id, "version": VERSION},
        "inputText": asked.text,
        "sessionId": asked.session_id,
        "actionGroup": call.tool.group,
        "function": call.tool.name,
        "parameters": _parameters(call),
        "sessionAttributes": dict(session.attributes),
        "promptSessionAttributes": dict(session.prompt_attributes),
    }


def _parameters(call: Call) -> list[dict[str, str]]:
    kinds = call.tool.parameters
    return [{"name": name, "type": kinds.get(name, "string"), "value": value} for name, value in call.arguments.items()]


def _input_trace(call: Call) -> dict[str, Any]:
    called = {
        "actionGroupName": call.tool.group,
        "function": call.tool.name,
        "parameters": _parameters(call),
        "executionType": "LAMBDA",
    }
    return {"invocationInput": {"invocationType": "ACTION_GROUP", "actionGroupInvocationInput": called}}


def _output_trace(text: str) -> dict[str, Any]:
    return {"observation": {"type": "ACTION_GROUP", "actionGroupInvocationOutput": {"text": text}}}


def _chunks(text: str, stream: bool) -> Iterator[Event]:
    for piece in re.findall(r"\s*\S+", text) if stream else [text]:
        yield Event("chunk", {"bytes": base64.b64encode(piece.encode()).decode()}, is_delta=True)
