from __future__ import annotations

import pytest

from cicada.adapters.aws_errors import Retry
from cicada.errors import CicadaError, ConfigurationError, StreamBrokenError, ThrottledError, UnavailableError
from tests.fakes.clock import Clock


class Attempts:
    """Fails with each error in order, then returns."""

    def __init__(self, *errors: CicadaError) -> None:
        self._errors = list(errors)
        self.count = 0

    def __call__(self) -> str:
        self.count += 1
        if self._errors:
            raise self._errors.pop(0)
        return "done"


def test_waits_grow_twofold_up_to_the_cap_and_are_spread_by_chance() -> None:
    slept: list[float] = []
    chances = iter([1.0, 1.0, 0.25, 1.0])
    retry = Retry(slept.append, lambda: next(chances), attempts=5, base_seconds=1.0, cap_seconds=3.0)
    assert retry.call(Attempts(*[ThrottledError("…")] * 4)) == "done"
    assert slept == [1.0, 2.0, 0.75, 3.0]


@pytest.mark.parametrize("error", [ThrottledError("…"), UnavailableError("…")])
def test_the_last_failure_is_raised_without_another_wait(error: CicadaError) -> None:
    slept: list[float] = []
    attempts = Attempts(error, error, error)
    with pytest.raises(type(error)):
        Retry(slept.append, lambda: 1.0).call(attempts)
    assert attempts.count == 3
    assert slept == [0.5, 1.0]


def test_no_try_begins_after_the_time_is_up() -> None:
    clock = Clock(0.0)

    def sleep(seconds: float) -> None:
        clock.now += seconds

    retry = Retry(sleep, lambda: 1.0, attempts=20, base_seconds=1.0, within_seconds=10, clock=clock)
    attempts = Attempts(*[UnavailableError("…")] * 20)
    with pytest.raises(UnavailableError):
        retry.call(attempts)
    assert (attempts.count, clock.now) == (4, 7.0)


@pytest.mark.parametrize("error", [StreamBrokenError("…"), ConfigurationError("…")])
def test_what_trying_again_cannot_mend_is_raised_at_once(error: CicadaError) -> None:
    slept: list[float] = []
    attempts = Attempts(error)
    with pytest.raises(type(error)):
        Retry(slept.append, lambda: 1.0).call(attempts)
    assert attempts.count == 1
    assert slept == []
