from __future__ import annotations

import inspect
import re

import pytest

from cicada.agents.model import AgentKind
from cicada.agents.theories import profile_toolbox, theory_toolbox
from cicada.agents.tools import Toolbox, ToolFunction, describe
from tests.unit.agents.keeping import profile_tools, theory_tools

FUNCTIONS = [function for agent in AgentKind for function in describe(agent).functions.values()]
TOOLBOXES = [profile_toolbox(profile_tools()), theory_toolbox(theory_tools())]
NAME = r"([0-9a-zA-Z][_-]?){1,100}"


@pytest.mark.parametrize("agent", AgentKind)
def test_an_instruction_is_within_bedrocks_limits(agent: AgentKind) -> None:
    """Functions and parameters: https://docs.aws.amazon.com/general/latest/gr/bedrock.html, "APIs per Agent"."""
    assert 40 <= len(describe(agent).instruction) <= 4000
    assert len(describe(agent).functions) <= 11


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_a_function_is_within_bedrocks_limits(function: ToolFunction) -> None:
    assert re.fullmatch(NAME, function.name)
    assert 1 <= len(function.description) <= 1200
    assert len(function.parameters) <= 5
    for name, parameter in function.parameters.items():
        assert re.fullmatch(NAME, name)
        assert parameter.type in ("string", "number", "integer", "boolean", "array")
        assert 1 <= len(parameter.description) <= 500


@pytest.mark.parametrize("toolbox", TOOLBOXES, ids=["profiles", "theories"])
def test_what_is_described_is_what_the_tools_take(toolbox: Toolbox) -> None:
    assert list(toolbox.tools) == list(toolbox.description.functions)
    for name, function in toolbox.description.functions.items():
        taken = list(inspect.signature(toolbox.tools[name]).parameters)
        assert taken == ["session", *function.parameters]


def test_nobody_can_be_named_as_an_argument() -> None:
    named = {name.lower() for function in FUNCTIONS for name in function.parameters}
    assert not named & {"tenant", "user", "userid", "owner", "principal", "session", "knowledgebase", "knowledge_base"}


def test_the_profiles_agent_knows_every_kind_it_may_use() -> None:
    functions = describe(AgentKind.PROFILES).functions
    kinds = [each.parameters["kind"].description for name, each in functions.items() if name != "list_theories"]
    assert all("character, location, episode, group or topic" in each for each in kinds)
