"""Mixed chaos on the deployed stage, for as long as a test may take; `make chaos` goes on for ten minutes."""

from __future__ import annotations

import pytest

from tests.chaos.report import render
from tests.chaos.run import run
from tests.chaos.target import Target


@pytest.mark.timeout(1800)
def test_whatever_happens_every_answer_is_exact(stage: Target) -> None:
    # The first two plans of each lane have every kind of disturbance several times.
    found = run(stage, seconds=40, seed=65, lanes=4)
    assert found.passed, render(found)
    assert found.exact + len(found.exhausted) == found.runs
    assert found.exact > 0
    assert found.cuts > 0
    assert found.kills > 0
    assert found.duplicates > 0
    assert sum(found.faults.values()) > 0
    assert found.throttled > 0
