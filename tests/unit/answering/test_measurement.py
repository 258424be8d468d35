"""What is measured of an answer: told to the client, kept on the request's head, and given to the observer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from cicada.answering.process import Processed
from cicada.conversation.model import AnswerRecord, RequestKey
from cicada.errors import ThrottledError
from cicada.generation import ModelUsage, Stop
from cicada.observability.telemetry import count_tokens
from tests.fakes.quality import FixedJudge, FixedRewriter
from tests.unit.answering.test_process import Situation, asked
from tests.unit.conversation.situation import KEY


def observed(here: Situation) -> list[tuple[RequestKey, AnswerRecord]]:
    seen: list[tuple[RequestKey, AnswerRecord]] = []
    replace(here.processor, observe=lambda key, record: seen.append((key, record))).process(KEY)
    return seen


def delay(here: Situation, monkeypatch: pytest.MonkeyPatch, part: object, method: str, seconds: float) -> None:
    """Let each call of the part's method take so long."""
    act: Callable[..., Any] = getattr(part, method)

    def slowly(*arguments: Any) -> Any:
        here.clock.now += seconds
        return act(*arguments)

    monkeypatch.setattr(part, method, slowly)


def test_each_phase_is_timed_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def wait() -> None:
        here.clock.now += 32

    here = asked([wait, "Seyton.", ModelUsage(90, 4)])
    here.answering.judge = FixedJudge(0.9)
    delay(here, monkeypatch, here.answering.embedder, "embed_query", 2)
    delay(here, monkeypatch, here.answering.reranker, "rerank", 4)
    delay(here, monkeypatch, here.answering.judge, "judge", 8)
    delay(here, monkeypatch, here.answering.access, "readers_of", 16)
    assert here.process() is Processed.COMPLETE
    assert here.last()["timings"] == {
        "planning": 0,
        "searching": 2000,
        "ranking": 4000,
        "judging": 8000,
        # Once before the judge, and once before anything is shown.
        "gate": 32_000,
        "answering": 32_000,
        "firstToken": 78_000,
        "total": 78_000,
    }


def test_the_record_of_a_retried_answer_is_kept_on_its_head_and_observed() -> None:
    here = asked()
    here.answering.judge = FixedJudge(0.1, 0.62345)
    here.answering.rewriter = FixedRewriter("another query")
    [(key, record)] = observed(here)
    end = here.last()
    assert key == KEY
    assert here.head().record == record
    assert record == AnswerRecord(
        path=tuple(end["path"]),
        scores=(0.1, 0.6234),
        confidence=0.62345,
        timings=end["timings"],
        intent="script_query",
        strategy="ContentOnly",
        input_tokens=90,
        output_tokens=4,
        knowledge_base="scripts",
        checked_sentences=1,
    )
    assert "rewrite:1" in record.path


def test_tokens_of_all_model_calls_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    here = asked()
    judge = here.answering.judge.judge

    def judged(*arguments: Any) -> float | None:
        count_tokens(1000, 2)
        return judge(*arguments)

    monkeypatch.setattr(here.answering.judge, "judge", judged)
    [(_, record)] = observed(here)
    assert here.last()["usage"] == {"inputTokens": 1090, "outputTokens": 6}
    assert (record.input_tokens, record.output_tokens) == (1090, 6)


def test_the_record_says_why_the_model_ended_early() -> None:
    [(_, record)] = observed(asked(["Seyton.", ModelUsage(90, 4, Stop.CUT)]))
    assert record.stopped == "cut"


def test_a_failed_answers_record_has_its_code_and_what_was_measured_until_then(monkeypatch: pytest.MonkeyPatch) -> None:
    here = asked([ThrottledError("The model is asked too often.")])
    here.answering.judge = FixedJudge(0.75)
    delay(here, monkeypatch, here.answering.embedder, "embed_query", 2)
    [(_, record)] = observed(here)
    assert here.head().record == record
    assert (record.code, record.scores, record.path) == ("dependency_throttled", (0.75,), ())
    assert (record.timings["searching"], record.timings["total"]) == (2000, 2000)


def test_a_cancelled_answer_has_no_record() -> None:
    here = asked()
    here.log.request_cancel(KEY)
    assert observed(here) == []
    assert here.head().record is None
