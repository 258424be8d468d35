"""The agents as Bedrock runs them, over InvokeAgent."""

from __future__ import annotations

import hashlib
import json
from codecs import getincrementaldecoder
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING

from msgspec import Struct

from cicada.adapters.aws_errors import STANDARD, Retry, retried_stream
from cicada.agents.model import AgentKind, AgentTurn
from cicada.dialogue import earlier_turns
from cicada.errors import ConfigurationError
from cicada.identity import groups_text
from cicada.observability.telemetry import current_request

if TYPE_CHECKING:
    from mypy_boto3_bedrock_agent_runtime import AgentsforBedrockRuntimeClient


class BedrockAgentId(Struct, frozen=True):
    """An agent and the alias by which it is called."""

    agent_id: str
    alias_id: str


class BedrockAgent:
    """Retries until the first piece has arrived. Turn the client's own retries off (`total_max_attempts=1`)."""

    def __init__(
        self, client: AgentsforBedrockRuntimeClient, agents: Mapping[AgentKind, BedrockAgentId], retry: Retry = STANDARD
    ) -> None:
        self._client = client
        self._agents = agents
        self._retry = retry

    def reply(self, turn: AgentTurn) -> Iterator[str]:
        agent = self._agents.get(turn.agent)
        if agent is None or not (agent.agent_id and agent.alias_id):
            raise ConfigurationError(f"No Bedrock agent is configured for {turn.agent}.")
        with closing(retried_stream(lambda: self._pieces(agent, turn), self._retry)) as pieces:
            yield from pieces

    def _pieces(self, agent: BedrockAgentId, turn: AgentTurn) -> Generator[str]:
        reply = self._client.invoke_agent(
            agentId=agent.agent_id,
            agentAliasId=agent.alias_id,
            sessionId=session_id(turn),
            inputText=turn.message,
            enableTrace=False,
            # The action group gets these attributes with every call; the model cannot change them. The model reads
            # the prompt attributes only, which do not identify the user.
            sessionState={
                "sessionAttributes": session_attributes(turn),
                "promptSessionAttributes": prompt_attributes(turn),
            },
            streamingConfigurations={"streamFinalResponse": True},
        )
        decode = getincrementaldecoder("utf-8")(errors="replace").decode
        with closing(reply["completion"]) as events:
            for event in events:
                text = decode(event.get("chunk", {}).get("bytes", b""))
                if text:
                    yield text


def session_attributes(turn: AgentTurn) -> dict[str, str]:
    """What the tools need to know of a turn, in the form that action groups read.

    That is the user that they work for, what they may change in this turn, and the request that it belongs to.
    """
    return {
        "tenant": turn.principal.tenant,
        "user": turn.principal.user,
        "login": turn.principal.login,
        "groups": groups_text(turn.principal.groups),
        "knowledgeBase": turn.knowledge_base,
        "writes": " ".join(sorted(turn.writes)),
        "request": current_request(),
    }


def prompt_attributes(turn: AgentTurn) -> dict[str, str]:
    """What the model reads besides the message. Bedrock's session remembers only what went through this agent."""
    said = earlier_turns(turn.earlier)
    return {"knowledgeBase": turn.knowledge_base, **({"earlierTurns": said} if said else {})}


def session_id(turn: AgentTurn) -> str:
    """The id of Bedrock's session, 64 hexadecimal digits; it differs between users even for one session name.

    It also depends on the user's groups and the knowledge base, because a session remembers evidence.
    """
    who = turn.principal
    identity = json.dumps([who.tenant, who.user, sorted(who.groups), turn.knowledge_base, turn.session_id])
    return hashlib.sha256(identity.encode()).hexdigest()
