"""Wires the agents, and the tools of their action groups."""

from __future__ import annotations

import time
import uuid
from functools import cache
from typing import TYPE_CHECKING

from cicada.adapters.bedrock.agent import BedrockAgent, BedrockAgentId
from cicada.adapters.bedrock.chat_model import USUAL, ConverseModel, ModelChain, Patience
from cicada.adapters.bedrock.converse_tool_loop import ConverseToolLoop
from cicada.adapters.dynamodb.entry_store import DynamoEntryStore
from cicada.agents.agents import FallbackAgent
from cicada.agents.entries import Keeping
from cicada.agents.model import Agent, AgentKind, AgentSearch
from cicada.agents.theories import ProfileTools, TheoryTools, profile_toolbox, theory_toolbox
from cicada.bootstrap.aws import AGENT_SILENCE_SECONDS, client, database
from cicada.bootstrap.search import agent_search
from cicada.circuit_breaker import CircuitBreaker
from cicada.errors import ConfigurationError
from cicada.observability.log import report_fallback, report_model_fallback
from cicada.settings import AgentSettings, AgentToolSettings, EntrySettings, load

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient


@cache
def profile_tools() -> ProfileTools:
    """The tools behind the profiles agent's action group."""
    return _profile_tools(load(EntrySettings).entries_table)


@cache
def theory_tools() -> TheoryTools:
    """The tools behind the theories agent's action group."""
    settings = load(AgentToolSettings)
    return _theory_tools(settings.entries_table, agent_search(settings.search))


def agent(
    settings: AgentSettings,
    bedrock: BedrockRuntimeClient,
    model: ConverseModel,
    agent_search: AgentSearch,
    patience: Patience = USUAL,
) -> Agent:
    """The agent for profile and theory requests. All but the settings are for Converse's tool use in this process."""
    toolboxes = {
        AgentKind.PROFILES: profile_toolbox(_profile_tools(settings.entries_table)),
        AgentKind.THEORIES: theory_toolbox(_theory_tools(settings.entries_table, agent_search)),
    }
    loop = ConverseToolLoop(bedrock, ModelChain([model], report=report_model_fallback), toolboxes, patience)
    if settings.agents == "converse":
        return loop
    if settings.agents == "bedrock":
        breaker = CircuitBreaker(time.monotonic, "agent")
        return FallbackAgent(_bedrock_agent(settings), loop, report_fallback, breaker)
    raise ConfigurationError(f"CICADA_AGENTS is {settings.agents!r}; it must be bedrock or converse.")


def _bedrock_agent(settings: AgentSettings) -> Agent:
    """The agents over InvokeAgent."""
    agents = {
        AgentKind.PROFILES: BedrockAgentId(settings.profiles_agent_id, settings.profiles_agent_alias_id),
        AgentKind.THEORIES: BedrockAgentId(settings.theories_agent_id, settings.theories_agent_alias_id),
    }
    bedrock = client("bedrock-agent-runtime", read_timeout_seconds=AGENT_SILENCE_SECONDS, attempts=1)
    return BedrockAgent(bedrock, agents)


def _profile_tools(table: str) -> ProfileTools:
    return ProfileTools(_keeping(table))


def _theory_tools(table: str, agent_search: AgentSearch) -> TheoryTools:
    return TheoryTools(_keeping(table), agent_search)


def _keeping(table: str) -> Keeping:
    return Keeping(DynamoEntryStore(database(), table), time.time, lambda: uuid.uuid4().hex)
