from __future__ import annotations

import math

import pytest

from cicada.deadline import Deadline, check_time, ending_by, seconds_left
from cicada.errors import OutOfTimeError
from tests.fakes.clock import Clock


def test_without_a_deadline_there_is_time() -> None:
    assert seconds_left() == math.inf
    check_time()


def test_a_deadline_holds_inside_and_no_longer_outside() -> None:
    clock = Clock()
    with ending_by(Deadline.in_seconds(30, clock)):
        clock.now += 12
        assert seconds_left() == 18
    assert seconds_left() == math.inf


def test_the_earlier_deadline_holds_whichever_is_inside() -> None:
    clock = Clock()
    with ending_by(Deadline.in_seconds(30, clock)):
        with ending_by(Deadline.in_seconds(5, clock)):
            assert seconds_left() == 5
        assert seconds_left() == 30
        with ending_by(Deadline.in_seconds(90, clock)):
            assert seconds_left() == 30


def test_after_the_deadline_no_call_is_made() -> None:
    clock = Clock()
    with ending_by(Deadline.in_seconds(30, clock)):
        clock.now += 29.9
        check_time()
        clock.now += 0.1
        with pytest.raises(OutOfTimeError):
            check_time()
