"""What one user can cause, through the deployed functions: the measurement sees the limits, and their absence."""

from __future__ import annotations

import pytest

from cicada.conversation.limits import UsageLimits
from cicada.conversation.model import Usage
from tests.flood.counting import SENDS
from tests.flood.floods import FLOODS, Period, measured

BY_NAME = {each.name: each for each in FLOODS}


def flooded(name: str) -> tuple[Period, Period]:
    """The measured flood of twenty commands in each of two seconds."""
    first, then = measured(BY_NAME[name], 20, 1)
    return first, then


@pytest.fixture
def _small_bucket(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bucket of twelve messages, or of three that are queued again."""
    monkeypatch.setenv("CICADA_COMMANDS_PER_MINUTE", "60")
    monkeypatch.setenv("CICADA_MESSAGES_PER_MINUTE", "12")


@pytest.mark.usefixtures("_small_bucket")
@pytest.mark.parametrize(("name", "most"), [("a queued message again", 3), ("new messages", 12)])
def test_a_user_who_floods_fills_the_queue_once_and_is_then_shut_out(name: str, most: int) -> None:
    first, then = flooded(name)
    assert 0 < first.carried_out <= first.calls[SENDS] <= most + 1
    assert (then.carried_out, then.calls[SENDS]) == (0, 0)
    assert then.sent < 10


@pytest.mark.usefixtures("_small_bucket")
def test_without_the_limit_the_measurement_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(UsageLimits, "enter", lambda *_, **__: Usage())
    monkeypatch.setattr(UsageLimits, "spend", lambda *_: None)
    monkeypatch.setattr(UsageLimits, "admit", lambda *_: None)
    for period in flooded("a queued message again"):
        assert period.sent == period.carried_out == 20
        # The first repeat is of a request that has waited long: it is queued outside its session's order too.
        assert period.calls[SENDS] in (20, 21)
