"""The benchmark of embedding under throttling counts what its service was asked for."""

from __future__ import annotations

from evals.throttled_embedding import ADAPTIVE, COHERE, DELIVERIES, RETRIES, TITAN, measured


def test_a_file_is_embedded_whole_in_one_delivery_where_calls_are_refused() -> None:
    found = measured(TITAN, ADAPTIVE, texts=10, rate=2.0)
    assert (found.is_whole, found.deliveries, found.calls - found.refused) == (True, 1, 10)
    assert found.refused > 0


def test_retries_alone_end_in_the_dead_letter_queue() -> None:
    found = measured(TITAN, RETRIES, texts=20, rate=0.5)
    assert (found.is_whole, found.deliveries) == (False, DELIVERIES)


def test_cohere_is_asked_for_96_texts_at_once() -> None:
    found = measured(COHERE, ADAPTIVE, texts=97, rate=1000.0)
    assert (found.is_whole, found.calls - found.refused) == (True, 2)
