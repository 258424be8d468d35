from __future__ import annotations

from threading import Thread

from cicada.observability.telemetry import Telemetry, count_tokens, phase, recording
from tests.fakes.clock import Clock


def test_an_inner_phase_is_not_counted_for_the_outer_one() -> None:
    clock = Clock()
    telemetry = Telemetry(clock)
    with recording(telemetry):
        clock.now += 9
        with phase("searching"):
            clock.now += 1
            with phase("ranking"):
                clock.now += 0.25
            clock.now += 2
        clock.now += 9
        with phase("searching"):
            clock.now += 4
    assert telemetry.milliseconds == {"searching": 7000, "ranking": 250}


def test_a_phase_that_is_under_way_counts_up_to_now() -> None:
    clock = Clock()
    telemetry = Telemetry(clock)
    with recording(telemetry), phase("answering"):
        clock.now += 3
        assert telemetry.milliseconds == {"answering": 3000}
        clock.now += 1
    clock.now += 1
    assert telemetry.milliseconds == {"answering": 4000}


def test_a_phase_that_fails_ends() -> None:
    clock = Clock()
    telemetry = Telemetry(clock)
    try:
        with recording(telemetry), phase("planning"):
            clock.now += 1
            raise ValueError
    except ValueError:
        clock.now += 5
    assert telemetry.milliseconds == {"planning": 1000}


def test_tokens_add_up_and_other_requests_do_not_count() -> None:
    telemetry = Telemetry(Clock())
    with recording(telemetry):
        count_tokens(700, 40)
        count_tokens(300, 2)
        other = Thread(target=count_tokens, args=(9_000, 9_000))
        other.start()
        other.join()
    count_tokens(5_000, 5_000)
    assert telemetry.tokens == (1000, 42)
