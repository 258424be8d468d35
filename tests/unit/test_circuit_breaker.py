from __future__ import annotations

import pytest

from cicada.circuit_breaker import CircuitBreaker
from cicada.errors import ConfigurationError, OpenCircuitError, OutOfTimeError, ThrottledError, UnavailableError
from tests.fakes.clock import Clock


def made(clock: Clock) -> CircuitBreaker:
    return CircuitBreaker(clock, "search", failures=3, rest_seconds=60)


def fail(breaker: CircuitBreaker, error: Exception | None = None) -> None:
    """A call that was admitted, and failed."""
    failure = error or UnavailableError("…")
    with pytest.raises(type(failure)) as raised, breaker.guarding():
        raise failure
    assert raised.value is failure


def succeed(breaker: CircuitBreaker) -> None:
    with breaker.guarding():
        pass


def skips(breaker: CircuitBreaker) -> bool:
    """Whether a call is refused; a call that is not refused succeeds."""
    try:
        succeed(breaker)
    except OpenCircuitError:
        return True
    return False


def test_a_service_is_left_alone_after_the_third_failure_in_a_row_and_tried_again_after_a_while() -> None:
    clock = Clock()
    breaker = made(clock)
    for _ in range(2):
        fail(breaker)
        assert breaker.closed
    fail(breaker, ThrottledError("…"))
    assert not breaker.closed
    clock.now += 59.9
    assert not breaker.closed
    clock.now += 0.1
    assert breaker.closed


def test_a_call_that_is_skipped_does_not_run_and_says_which_service_is_not_asked() -> None:
    breaker = made(Clock())
    for _ in range(3):
        fail(breaker)
    ran = False
    with pytest.raises(OpenCircuitError, match="The search keeps failing"), breaker.guarding():
        ran = True
    assert not ran


def test_a_success_in_between_forgets_the_failures() -> None:
    breaker = made(Clock())
    for _ in range(5):
        fail(breaker)
        fail(breaker)
        succeed(breaker)
    assert breaker.closed


def test_one_more_failure_after_the_rest_is_enough_for_the_next_rest() -> None:
    clock = Clock()
    breaker = made(clock)
    for _ in range(3):
        fail(breaker)
    clock.now += 60
    fail(breaker)
    assert not breaker.closed
    clock.now += 59.9
    assert skips(breaker)
    clock.now += 0.1
    assert not skips(breaker)


def test_a_success_after_the_rest_closes_the_circuit_for_three_more_failures() -> None:
    clock = Clock()
    breaker = made(clock)
    for _ in range(3):
        fail(breaker)
    clock.now += 60
    succeed(breaker)
    fail(breaker)
    fail(breaker)
    assert breaker.closed


def test_after_the_rest_one_call_at_a_time_tries_the_service() -> None:
    clock = Clock()
    breaker = made(clock)
    for _ in range(3):
        fail(breaker)
    clock.now += 60
    with breaker.guarding():
        assert skips(breaker)
    with breaker.guarding():
        assert not skips(breaker)


def test_a_lasting_failure_is_enough_by_itself() -> None:
    breaker = made(Clock())
    fail(breaker, ConfigurationError("…"))
    assert not breaker.closed


def test_a_wrong_configuration_may_be_that_of_one_base_alone() -> None:
    breaker = CircuitBreaker(Clock(), "search", heeds_configuration=False)
    for _ in range(5):
        fail(breaker, ConfigurationError("…"))
    assert breaker.closed


def test_the_end_of_an_answers_time_is_no_failure_of_the_service() -> None:
    breaker = made(Clock())
    for _ in range(5):
        fail(breaker, OutOfTimeError("…"))
    assert breaker.closed


def test_what_is_no_failure_of_the_service_counts_neither_for_nor_against_it() -> None:
    clock = Clock()
    breaker = made(clock)
    for _ in range(2):
        fail(breaker)
    for _ in range(5):
        fail(breaker, ValueError("a bug"))
    assert breaker.closed
    fail(breaker)
    assert not breaker.closed
    clock.now += 60
    fail(breaker, ValueError("a bug"))
    assert breaker.closed


def test_the_circuit_of_an_inner_service_is_no_failure_of_the_outer_one() -> None:
    inner, outer = made(Clock()), made(Clock())
    fail(inner, ConfigurationError("…"))
    for _ in range(3):
        with pytest.raises(OpenCircuitError), outer.guarding(), inner.guarding():
            pass
    assert outer.closed
