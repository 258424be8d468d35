from __future__ import annotations

from cicada.retrieval.rerank.circuit_breaker import CircuitBreaker
from tests.fakes.clock import Clock


def made(clock: Clock) -> CircuitBreaker:
    return CircuitBreaker(clock, failures=3, rest_seconds=60)


def test_a_service_is_left_alone_after_the_third_failure_in_a_row_and_tried_again_after_a_while() -> None:
    clock = Clock()
    breaker = made(clock)
    for _ in range(2):
        breaker.failed()
        assert breaker.closed
    breaker.failed()
    assert not breaker.closed
    clock.now += 59.9
    assert not breaker.closed
    clock.now += 0.1
    assert breaker.closed


def test_a_success_in_between_forgets_the_failures() -> None:
    breaker = made(Clock())
    for _ in range(5):
        breaker.failed()
        breaker.failed()
        breaker.succeeded()
    assert breaker.closed


def test_one_more_failure_after_the_rest_is_enough_for_the_next_rest() -> None:
    clock = Clock()
    breaker = made(clock)
    for _ in range(3):
        breaker.failed()
    clock.now += 60
    breaker.failed()
    assert not breaker.closed


def test_a_lasting_failure_is_enough_by_itself() -> None:
    breaker = made(Clock())
    breaker.failed(lasting=True)
    assert not breaker.closed
