from __future__ import annotations

import pytest

from cicada.adapters.bedrock.agent import BedrockAgent
from cicada.adapters.bedrock.chat_model import ConverseModel
from cicada.adapters.bedrock.converse_tool_loop import ConverseToolLoop
from cicada.agents.agents import FallbackAgent
from cicada.agents.model import Agent
from cicada.answering.agent_search import PermittedAgentSearch
from cicada.bootstrap.agents import agent
from cicada.bootstrap.aws import client
from cicada.errors import ConfigurationError, UnavailableError
from cicada.permissions import PermissionGate
from cicada.retrieval.strategies.hybrid import HybridSearch
from cicada.settings import AgentSettings
from tests.fakes.access import OpenAccess
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.fakes.retrieval import FixedEmbedder, FixedIndex, search_of


def wired(agents: str) -> Agent:
    model = ConverseModel("amazon.nova-lite-v1:0", max_tokens=500, temperature=0.0)
    search = search_of(HybridSearch(FixedIndex(), FixedEmbedder()))
    agent_search = PermittedAgentSearch(search, PermissionGate(OpenAccess()), InMemoryPassageIndex("fixed", 1))
    return agent(AgentSettings(agents, model.model_id, "entries"), client("bedrock-runtime"), model, agent_search)


def test_bedrock_agents_fall_back_to_tools_with_a_log(caplog: pytest.LogCaptureFixture) -> None:
    made = wired("bedrock")
    assert isinstance(made, FallbackAgent)
    assert isinstance(made.first, BedrockAgent)
    assert isinstance(made.second, ConverseToolLoop)
    made.report(UnavailableError("Bedrock could not be reached."))
    (record,) = caplog.records
    assert record.__dict__["code"] == "dependency_unavailable"


def test_tool_use_can_be_all_there_is() -> None:
    assert isinstance(wired("converse"), ConverseToolLoop)


def test_anything_else_is_refused_with_what_is_allowed() -> None:
    with pytest.raises(ConfigurationError, match="must be bedrock or converse"):
        wired("none")
