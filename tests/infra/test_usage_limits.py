"""The users' limits, as they are deployed where nobody chooses others."""

from __future__ import annotations

import pytest

from infra.context_values import ContextValueError, commands_per_minute
from tests.infra.deployed import deployed


@pytest.mark.parametrize(("stage", "expected"), [("dev", ("60", "10", "1200")), ("local", ("6000", "200", "120000"))])
def test_every_stage_limits_its_users(stage: str, expected: tuple[str, ...]) -> None:
    for function in ("ws-message", "ws-resume", "ws-control", "ws-open", "ws-sign-out"):
        environment = deployed(stage).environment(function)
        names = ("MESSAGES_PER_MINUTE", "REQUESTS_IN_FLIGHT", "COMMANDS_PER_MINUTE")
        assert tuple(environment[f"CICADA_{name}"] for name in names) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, "1200"),
        ({"messagesPerMinute": "7"}, "1200"),
        ({"messagesPerMinute": "1000"}, "20000"),
        ({"messagesPerMinute": "7", "commandsPerMinute": "60"}, "60"),
    ],
)
def test_commands_are_more_than_messages_by_default(given: dict[str, str], expected: str) -> None:
    assert commands_per_minute(given.get, 60) == expected


@pytest.mark.parametrize("given", [{"commandsPerMinute": "299"}, {"messagesPerMinute": "1", "commandsPerMinute": "59"}])
def test_fewer_commands_than_messages_need_are_refused(given: dict[str, str]) -> None:
    with pytest.raises(ContextValueError, match="give a whole number from "):
        commands_per_minute(given.get, 60)
