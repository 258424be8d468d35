"""The users' limits, as they are deployed where nobody chooses others."""

from __future__ import annotations

import pytest

from tests.infra.deployed import deployed


@pytest.mark.parametrize(("stage", "expected"), [("dev", ("60", "10")), ("local", ("6000", "200"))])
def test_every_stage_limits_its_users(stage: str, expected: tuple[str, str]) -> None:
    environment = deployed(stage).environment("ws-message")
    assert (environment["CICADA_MESSAGES_PER_MINUTE"], environment["CICADA_REQUESTS_IN_FLIGHT"]) == expected
