"""Many users at once: the model of a queue, the quotas, and what is reported of a run."""

from __future__ import annotations

import json
import math

import pytest

from local.stage.settings import ROOT
from tests.load.queue_model import predicted
from tests.load.quotas import Quota, nearest, quotas, seconds, size_rows
from tests.load.report import percentile, rows
from tests.load.users import Asked, Run


def test_a_crowd_that_hardly_asks_waits_as_in_erlangs_formula() -> None:
    """Of 100,000 users with long pauses the queue is M/M/c, whose waiting Erlang's C formula gives."""
    service, processors, rate = 4.0, 4, 0.75
    offered = rate * service
    tail = offered**processors / math.factorial(processors) * processors / (processors - offered)
    full = tail / (sum(offered**n / math.factorial(n) for n in range(processors)) + tail)
    found = predicted(100_000, pause=100_000 / rate, service=service, processors=processors)
    assert found.full == pytest.approx(full, rel=0.01)
    assert found.wait == pytest.approx(full * service / (processors - offered), rel=0.01)


def test_a_crowd_that_asks_all_the_time_keeps_every_processor_busy() -> None:
    found = predicted(50, pause=0.01, service=2, processors=8)
    assert found.busy == pytest.approx(8, rel=1e-6)
    assert found.rate * (found.wait + 2 + 0.01) == pytest.approx(50)


def test_a_lone_user_never_waits() -> None:
    found = predicted(1, pause=6, service=2, processors=4)
    assert found.wait == pytest.approx(0)
    assert found.rate == pytest.approx(1 / 8)


def test_the_quota_that_binds_first_comes_first() -> None:
    found = nearest(iter([Quota("a", 1, 10), Quota("b", 6, 3), Quota("c", 5, 10)]))
    assert [each.name for each in found] == ["b", "c", "a"]
    assert str(found[0]) == "b: 200 % of 3"


def test_twice_the_questions_ask_twice_of_every_quota() -> None:
    once, twice = list(quotas(10, 1, 4, 400)), list(quotas(20, 2, 8, 400))
    assert [each.used * 2 for each in once] == [each.used for each in twice]


def test_the_page_has_what_the_model_predicts() -> None:
    record = json.loads((ROOT / "docs" / "figures" / "load-sizes.json").read_text("utf-8"))
    assert record["rows"] == size_rows()


def test_a_run_is_shown_beside_the_prediction_and_its_errors_by_code() -> None:
    answered = [Asked("new", "", whole, 1.0, 2.0) for whole in (2.1, 2.2, 9.0)]
    run = Run([*answered, Asked("resumed", "rate_limited", 0.1)], [1.5], 0, 60.0)
    shown = dict(rows(run, users=2, pause=10, processors=4))
    assert shown["questions"] == "3 new, 1 resumed"
    assert shown["errors"] == "1 rate_limited"
    assert shown["to the end, p50 / p95 / p99"] == "2.20 s / 9.00 s / 9.00 s"
    assert shown["processors that answer, mean"].startswith("0.1 of 4; predicted 0.33")


def test_a_run_without_any_answer_shows_why() -> None:
    run = Run([Asked("new", "internal", 3.0)], [], 8, 60.0)
    assert rows(run, users=1, pause=10, processors=4) == [["questions", "1 new"], ["errors", "1 internal"]]


def test_percentiles_and_times_have_the_digits_they_are_worth() -> None:
    assert [percentile(range(1, 101), share) for share in (50, 95, 99)] == [50, 95, 99]
    assert [seconds(each) for each in (0.123, 12.3, 6000)] == ["0.12 s", "12 s", "100 min"]
