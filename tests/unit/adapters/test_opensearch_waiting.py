"""Telling that a search takes long."""

from __future__ import annotations

import threading

from cicada.adapters.opensearch.client import waiting
from tests.patience import PATIENCE_SECONDS


def test_it_is_told_when_the_time_is_up_while_the_search_goes_on() -> None:
    told = threading.Event()
    with waiting(told.set, 0.01):
        assert told.wait(PATIENCE_SECONDS)


def test_it_is_told_once_by_whichever_comes_first() -> None:
    told: list[int] = []
    with waiting(lambda: told.append(1), 60) as refused:
        refused()
        refused()
    assert told == [1]


def test_nothing_is_told_of_a_search_that_is_quick() -> None:
    told: list[int] = []
    with waiting(lambda: told.append(1), 60) as refused:
        pass
    refused()
    assert told == []
