from __future__ import annotations

import pytest

from cicada.agents.agents import AgentOnDemand
from cicada.agents.model import Agent
from cicada.errors import ConfigurationError
from tests.fakes.agent import ScriptedAgent
from tests.unit.agents.test_fallback import TURN


def test_the_agent_is_made_only_when_it_is_asked() -> None:
    made: list[ScriptedAgent] = []

    def make() -> Agent:
        made.append(ScriptedAgent("Three."))
        return made[-1]

    agent = AgentOnDemand(make)
    assert made == []
    assert list(agent.reply(TURN)) == ["Three."]
    assert [each.turns for each in made] == [[TURN]]


def test_settings_that_name_no_agent_are_refused_at_its_first_turn() -> None:
    def make() -> Agent:
        raise ConfigurationError("CICADA_AGENTS is 'none'.")

    with pytest.raises(ConfigurationError):
        AgentOnDemand(make).reply(TURN)
