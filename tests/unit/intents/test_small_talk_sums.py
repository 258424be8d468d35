"""Sums, which are told from questions on documents without a model."""

from __future__ import annotations

import pytest

from cicada.understanding.intent.reading import is_small_talk


@pytest.mark.parametrize(
    "message", ["What is 17 times 4?", "12*4", "how much is 12% of 400?", "17 + 4", "Wie viel ist 3 mal 4?", "9 - 4 ="]
)
def test_a_sum_is_no_question_on_documents(message: str) -> None:
    assert is_small_talk(message)


@pytest.mark.parametrize(
    "message", ["contract 2023-014", "2026-05-01", "List 5 of 10", "SOP 3.4", "policies from 2023 of 2024", "2 times"]
)
def test_numbers_of_documents_are_no_sums(message: str) -> None:
    assert not is_small_talk(message)
