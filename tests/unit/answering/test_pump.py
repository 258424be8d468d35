from __future__ import annotations

import threading
from collections.abc import Generator

import pytest

from cicada.answering.parts import AnswerPart, Cited, Finished, Progress, Text
from cicada.answering.pump import Pace, Pump
from cicada.deadline import Deadline, ending_by
from cicada.errors import OutOfTimeError, StreamBrokenError
from cicada.observability.telemetry import report_progress
from cicada.permissions import Permitted
from cicada.retrieval.model import RankedPassage
from tests.fakes.access import permitted
from tests.fakes.clock import Clock
from tests.patience import PATIENCE_SECONDS

END = Finished((), None)

NOTHING: Permitted[RankedPassage] = permitted(())


def numbered(count: int) -> Generator[AnswerPart]:
    for number in range(count):
        yield Text(str(number))
    yield END


def drained(pump: Pump) -> list[list[AnswerPart]]:
    """What every call has taken, to the end."""
    taken = [pump.take(PATIENCE_SECONDS)]
    while not (taken[-1] and taken[-1][-1] == END):
        taken.append(pump.take(PATIENCE_SECONDS))
    return taken


@pytest.mark.parametrize("capacity", [1, 2, 7, 1024])
def test_every_part_comes_out_once_and_in_order(capacity: int) -> None:
    with Pump(numbered(500), capacity=capacity) as pump:
        taken = [part for parts in drained(pump) for part in parts]
    assert taken == [*(Text(str(number)) for number in range(500)), END]


def test_a_step_that_begins_while_a_part_is_made_is_handed_out_at_once_and_in_its_place() -> None:
    told = threading.Event()

    def parts() -> Generator[AnswerPart]:
        yield Progress("searching")
        report_progress("searching", "the search service is starting")
        assert told.wait(PATIENCE_SECONDS)
        yield Cited(NOTHING)
        yield END

    steps: list[AnswerPart] = []
    with Pump(parts()) as pump:
        while len(steps) < 2:
            steps += pump.take(PATIENCE_SECONDS)
        assert steps == [Progress("searching"), Progress("searching", "the search service is starting")]
        told.set()
        assert [part for taken in drained(pump) for part in taken] == [Cited(NOTHING), END]


def test_parts_are_taken_while_the_answer_goes_on() -> None:
    more = threading.Event()

    def parts() -> Generator[AnswerPart]:
        yield Text("a")
        assert more.wait(PATIENCE_SECONDS)
        yield END

    with Pump(parts()) as pump:
        assert pump.take(PATIENCE_SECONDS) == [Text("a")]
        more.set()
        assert pump.take(PATIENCE_SECONDS) == [END]


def test_a_slow_reader_slows_the_answer_down() -> None:
    capacity = 4
    beyond = threading.Event()

    def parts() -> Generator[AnswerPart]:
        for number in range(100):
            if number == capacity:
                beyond.set()
            yield Text(str(number))
        yield END

    with Pump(parts(), capacity=capacity) as pump:
        assert beyond.wait(PATIENCE_SECONDS)
        taken = drained(pump)
    assert len(taken[0]) == capacity
    assert max(map(len, taken)) <= capacity
    assert sum(map(len, taken)) == 101


def test_silence_is_an_empty_hand() -> None:
    more = threading.Event()

    def parts() -> Generator[AnswerPart]:
        assert more.wait(PATIENCE_SECONDS)
        yield END

    with Pump(parts()) as pump:
        assert pump.take(0) == []
        assert pump.take(0.01) == []
        more.set()
        assert pump.take(PATIENCE_SECONDS) == [END]


def test_a_failure_comes_after_all_parts_before_it() -> None:
    def parts() -> Generator[AnswerPart]:
        yield Text("a")
        yield Text("b")
        raise StreamBrokenError("Broke off.")

    taken: list[AnswerPart] = []
    with Pump(parts(), capacity=1) as pump, pytest.raises(StreamBrokenError):
        while True:
            taken += pump.take(PATIENCE_SECONDS)
    assert taken == [Text("a"), Text("b")]


def test_a_failure_before_the_first_part_is_no_silence() -> None:
    def parts() -> Generator[AnswerPart]:
        raise StreamBrokenError("Broke off.")
        yield END

    with Pump(parts()) as pump, pytest.raises(StreamBrokenError):
        pump.take(PATIENCE_SECONDS)


def test_an_answer_that_stops_short_of_its_end_is_an_error() -> None:
    def parts() -> Generator[AnswerPart]:
        yield Text("a")

    with Pump(parts()) as pump:
        assert pump.take(PATIENCE_SECONDS) == [Text("a")]
        with pytest.raises(RuntimeError, match="without its last part"):
            pump.take(PATIENCE_SECONDS)


@pytest.mark.parametrize("capacity", [1, 1024])
def test_leaving_closes_an_answer_without_end(capacity: int) -> None:
    closed = threading.Event()

    def parts() -> Generator[AnswerPart]:
        try:
            while True:
                yield Text("and ")
        finally:
            closed.set()

    with Pump(parts(), capacity=capacity) as pump:
        pump.take(PATIENCE_SECONDS)
    assert closed.wait(PATIENCE_SECONDS)


def test_text_after_the_first_is_gathered_until_something_else_comes() -> None:
    first_taken = threading.Event()

    def parts() -> Generator[AnswerPart]:
        yield Text("a")
        assert first_taken.wait(PATIENCE_SECONDS)
        yield Text("b")
        yield Text("c")
        yield Progress("answering")

    with Pump(parts(), pace=Pace(PATIENCE_SECONDS, PATIENCE_SECONDS)) as pump:
        assert pump.take(PATIENCE_SECONDS) == [Text("a")]
        first_taken.set()
        assert pump.take(PATIENCE_SECONDS) == [Text("b"), Text("c"), Progress("answering")]


def test_how_long_an_answer_talks_is_counted_from_its_first_text(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    talking: list[float] = []
    goes_on = threading.Semaphore(0)

    class Noted(Pace, frozen=True):
        def wait(self, talking_seconds: float) -> float:
            talking.append(talking_seconds)
            return 0

    def parts() -> Generator[AnswerPart]:
        yield Progress("answering")
        for number in range(3):
            assert goes_on.acquire(timeout=PATIENCE_SECONDS)
            yield Text(str(number))
        assert goes_on.acquire(timeout=PATIENCE_SECONDS)
        yield END

    monkeypatch.setattr("time.monotonic", lambda: now)
    with Pump(parts(), pace=Noted()) as pump:
        for _ in range(5):
            pump.take(PATIENCE_SECONDS)
            now += 7
            goes_on.release()
    assert talking == [0, 7, 14]


@pytest.mark.parametrize(("talking", "wait"), [(0, 0.25), (2.5, 0.25), (5, 0.5), (10, 1), (600, 1)])
def test_the_longer_an_answer_talks_the_more_of_it_comes_at_once(talking: float, wait: float) -> None:
    assert Pace(0.25, 1).wait(talking) == wait


def test_an_answer_ends_at_the_deadline_of_who_started_it() -> None:
    clock = Clock()

    def slow() -> Generator[AnswerPart]:
        yield Text("in time")
        clock.now += 10
        yield Text("too late")

    with ending_by(Deadline.in_seconds(10, clock)):
        pump = Pump(slow())
        with pump:
            assert pump.take(PATIENCE_SECONDS)[0] == Text("in time")
            with pytest.raises(OutOfTimeError):
                while True:
                    assert Text("too late") not in pump.take(PATIENCE_SECONDS)
