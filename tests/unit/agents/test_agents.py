"""Agents that are made when they are asked for, and what answers if one fails."""

from __future__ import annotations

import pytest

from cicada.agents.agents import AgentOnDemand, FallbackAgent
from cicada.agents.model import Agent, AgentKind, AgentTurn
from cicada.circuit_breaker import CircuitBreaker
from cicada.errors import (
    CicadaError,
    ConfigurationError,
    OpenCircuitError,
    StreamBrokenError,
    ThrottledError,
    UnavailableError,
)
from cicada.identity import Principal
from tests.fakes.agent import ScriptedAgent
from tests.fakes.clock import Clock

TURN = AgentTurn(AgentKind.PROFILES, Principal("acme", "ann"), "evening", "scripts", "List my profiles.")


def closed() -> CircuitBreaker:
    return CircuitBreaker(Clock(), "agent")


@pytest.mark.parametrize("error", [ThrottledError("…"), UnavailableError("…"), ConfigurationError("…")])
def test_the_second_agent_answers_when_the_first_cannot_be_reached_and_that_is_reported(error: CicadaError) -> None:
    reports: list[CicadaError] = []
    second = ScriptedAgent("You have ", "none.")
    agent = FallbackAgent(ScriptedAgent(error), second, reports.append, closed())
    assert list(agent.reply(TURN)) == ["You have ", "none."]
    assert second.turns == [TURN]
    assert reports == [error]


def test_the_second_agent_is_not_asked_when_the_first_answers() -> None:
    reports: list[CicadaError] = []
    second = ScriptedAgent("never")
    assert list(FallbackAgent(ScriptedAgent("You ", "have."), second, reports.append, closed()).reply(TURN)) == [
        "You ",
        "have.",
    ]
    assert second.turns == []
    assert reports == []


@pytest.mark.parametrize("error", [StreamBrokenError("…"), UnavailableError("…")])
def test_what_the_first_agent_has_begun_is_not_begun_again(error: CicadaError) -> None:
    second = ScriptedAgent("never")
    pieces = FallbackAgent(ScriptedAgent("You ", error), second, lambda error: None, closed()).reply(TURN)
    assert next(pieces) == "You "
    with pytest.raises(type(error)):
        next(pieces)
    assert second.turns == []


def test_the_second_agents_failure_is_the_answer() -> None:
    agent = FallbackAgent(
        ScriptedAgent(UnavailableError("first")), ScriptedAgent(ThrottledError("second")), lambda error: None, closed()
    )
    with pytest.raises(ThrottledError, match="second"):
        list(agent.reply(TURN))


@pytest.mark.parametrize("fails", [False, True])
def test_closing_closes_the_agent_that_speaks(fails: bool) -> None:
    first = ScriptedAgent(UnavailableError("…")) if fails else ScriptedAgent("a", "b")
    second = ScriptedAgent("a", "b")
    pieces = FallbackAgent(first, second, lambda error: None, closed()).reply(TURN)
    assert next(pieces) == "a"
    speaking = second if fails else first
    assert not speaking.closed
    pieces.close()  # type: ignore[attr-defined]
    assert speaking.closed


def test_an_agent_that_keeps_failing_is_not_asked_for_a_minute() -> None:
    clock = Clock()
    reports: list[CicadaError] = []
    first, second = ScriptedAgent(UnavailableError("…")), ScriptedAgent("You have none.")
    agent = FallbackAgent(first, second, reports.append, CircuitBreaker(clock, "agent"))
    assert [list(agent.reply(TURN)) for _ in range(5)] == [["You have none."]] * 5
    assert len(first.turns) == 3
    assert isinstance(reports[-1], OpenCircuitError)
    clock.now += 60
    list(agent.reply(TURN))
    assert len(first.turns) == 4


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
