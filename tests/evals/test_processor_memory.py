"""The arithmetic behind the processor's memory."""

from __future__ import annotations

import pytest

from evals.processor_memory import MB_OF_A_VCPU, Work, at

WORK = Work(cold_import=0.5, first_token=0.01, answer=0.09)


def test_less_memory_makes_the_work_slower_and_more_makes_it_dearer() -> None:
    half, whole, double = (at(memory, WORK, 1e-5) for memory in (MB_OF_A_VCPU / 2, MB_OF_A_VCPU, MB_OF_A_VCPU * 2))
    assert (half.import_seconds, whole.import_seconds, double.import_seconds) == (1.0, 0.5, 0.5)
    assert (half.first_token_seconds, whole.first_token_seconds) == (0.02, 0.01)
    assert double.dollars == pytest.approx(2 * whole.dollars)
    assert half.dollars < whole.dollars


def test_an_answer_costs_its_seconds_times_its_memory() -> None:
    found = at(1024, WORK, 1e-5)
    assert found.dollars == pytest.approx(1000 * found.answer_seconds * 1e-5)
    assert found.answer_seconds == pytest.approx(3.5 + 0.01 * 1769 / 1024)
