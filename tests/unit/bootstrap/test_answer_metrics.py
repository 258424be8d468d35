"""The line that is written of each answer, read as CloudWatch reads it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cicada.conversation.model import AnswerRecord
from cicada.observability.metrics import AnswerMetrics
from tests.unit.conversation.situation import KEY

WHOLE = AnswerRecord(
    path=("script_query", "plan:rules_after_model_failed", "retrieve", "quality:0.20", "rewrite:1", "retrieve"),
    scores=(0.2, 0.8),
    confidence=0.8,
    timings={"planning": 20, "searching": 300, "gate": 4, "total": 1500, "firstToken": 640},
    intent="script_query",
    strategy="Hybrid",
    input_tokens=900,
    output_tokens=40,
)


def written(record: AnswerRecord) -> dict[str, Any]:
    lines: list[str] = []
    AnswerMetrics("cicada-dev", ["a-model", "b-model"], lambda: 1_800_000_000.25, lines.append).observe(KEY, record)
    [line] = lines
    found: dict[str, Any] = json.loads(line)
    return found


def counted(line: dict[str, Any]) -> dict[tuple[str, ...], dict[str, tuple[float, str]]]:
    """Value and unit of each metric, by the dimensions' values and the metric's name."""
    return {
        tuple(line[name] for name in names): {
            each["Name"]: (line[each["Name"]], each["Unit"]) for each in directive["Metrics"]
        }
        for directive in line["_aws"]["CloudWatchMetrics"]
        for names in directive["Dimensions"]
    }


def test_an_answer_is_counted_and_timed_by_stage_model_intent_and_strategy() -> None:
    line = written(WHOLE)
    assert line["_aws"]["Timestamp"] == 1_800_000_000_250
    first, total = (640, "Milliseconds"), (1500, "Milliseconds")
    tokens = {"InputTokens": (900, "Count"), "OutputTokens": (40, "Count")}
    assert counted(line) == {
        ("cicada-dev",): {
            "PlanningTime": (20, "Milliseconds"),
            "SearchingTime": (300, "Milliseconds"),
            "GateTime": (4, "Milliseconds"),
            "AnswerTime": total,
            "TimeToFirstToken": first,
            **tokens,
            **dict.fromkeys(("Answers", "PlanFallbacks", "SearchedAnswers", "RetriedAnswers"), (1, "Count")),
            **dict.fromkeys(("FailedAnswers", "RefusedModels", "SilentModels"), (0, "Count")),
        },
        ("cicada-dev", "a-model"): tokens | {"TimeToFirstToken": first},
        ("cicada-dev", "script_query"): {"Answers": (1, "Count")},
        ("cicada-dev", "Hybrid"): {"Answers": (1, "Count"), "TimeToFirstToken": first, "AnswerTime": total},
    }


def test_ids_and_steps_are_no_dimensions_and_users_are_not_written() -> None:
    line = written(WHOLE)
    assert (line["requestId"], tuple(line["path"]), line["scores"]) == (KEY.request_id, WHOLE.path, [0.2, 0.8])
    dimensions = {name for each in line["_aws"]["CloudWatchMetrics"] for names in each["Dimensions"] for name in names}
    assert dimensions == {"Stage", "Model", "Intent", "Strategy"}
    assert KEY.principal.user not in line.values()


def test_a_failure_is_counted_by_its_code_and_is_no_answer() -> None:
    found = counted(written(AnswerRecord(timings={"total": 90}, code="out_of_time")))
    assert found["cicada-dev", "out_of_time"] == {"FailedAnswers": (1, "Count")}
    assert "Answers" not in found["cicada-dev",]
    assert found["cicada-dev",]["FailedAnswers"] == (1, "Count")
    assert found["cicada-dev",]["AnswerTime"] == (90, "Milliseconds")


def test_an_answer_without_a_search_is_neither_searched_nor_retried() -> None:
    found = counted(written(AnswerRecord(path=("general", "plan:rules", "generate"), intent="general")))
    assert not {"SearchedAnswers", "RetriedAnswers"} & set(found["cicada-dev",])
    assert found["cicada-dev",]["PlanFallbacks"] == (0, "Count")
    found = counted(written(AnswerRecord(scores=(0.9,))))
    assert (found["cicada-dev",]["SearchedAnswers"], found["cicada-dev",]["RetriedAnswers"]) == (
        (1, "Count"),
        (0, "Count"),
    )


def test_a_question_that_its_user_has_to_change_is_refused_and_no_failure() -> None:
    found = counted(written(AnswerRecord(code="unknown_knowledge_base")))
    assert found["cicada-dev", "unknown_knowledge_base"] == {"RefusedAnswers": (1, "Count")}
    assert found["cicada-dev",]["FailedAnswers"] == (0, "Count")
    assert "Answers" not in found["cicada-dev",]


@pytest.mark.parametrize(
    ("record", "refused"),
    [
        (AnswerRecord(refused_calls=2), 1),
        (AnswerRecord(refused_calls=1, code="dependency_throttled"), 1),
        (AnswerRecord(path=("script_query", "rerank:local:skipped_open_circuit")), 1),
        (AnswerRecord(path=("script_query", "plan:rules:skipped_open_circuit", "retrieve")), 1),
        (AnswerRecord(path=("script_query", "plan:rules_after_model_failed")), 0),
        (AnswerRecord(code="stream_broken"), 0),
    ],
)
def test_an_answer_counts_once_if_bedrock_refused_a_model(record: AnswerRecord, refused: int) -> None:
    assert counted(written(record))["cicada-dev",]["RefusedModels"] == (refused, "Count")


@pytest.mark.parametrize("code", ["", "dependency_unavailable"])
def test_a_silent_model_is_counted_and_the_next_one_is_the_answers(code: str) -> None:
    found = counted(written(AnswerRecord(path=("generate", "model:2:after_silence"), input_tokens=7, code=code)))
    assert found["cicada-dev",]["SilentModels"] == (1, "Count")
    assert found["cicada-dev", "b-model"]["InputTokens"] == (7, "Count")
    assert counted(written(AnswerRecord(code=code)))["cicada-dev",]["SilentModels"] == (0, "Count")


def test_sentences_are_counted_where_they_were_checked() -> None:
    found = counted(written(AnswerRecord(checked_sentences=4, unsupported_sentences=1)))["cicada-dev",]
    assert (found["CheckedSentences"], found["UnsupportedSentences"]) == ((4, "Count"), (1, "Count"))
    assert not {"CheckedSentences", "UnsupportedSentences"} & set(counted(written(AnswerRecord()))["cicada-dev",])


def test_an_answer_whose_model_ended_early_is_counted_by_the_reason() -> None:
    found = counted(written(AnswerRecord(stopped="cut")))
    assert found["cicada-dev", "cut"] == {"StoppedAnswers": (1, "Count")}
    assert found["cicada-dev",]["StoppedAnswers"] == found["cicada-dev",]["Answers"] == (1, "Count")
    assert "StoppedAnswers" not in counted(written(AnswerRecord()))["cicada-dev",]


@pytest.mark.parametrize(
    ("steps", "asked"),
    [
        (("rerank:amazon",), 1),
        (("rerank:skipped", "rewrite:1", "rerank:cohere"), 1),
        (("rerank:local:after_failure",), 1),
        (("rerank:skipped",), 0),
        (("rerank:local:skipped_open_circuit",), 0),
    ],
)
def test_searches_are_counted_for_which_a_paid_reranker_was_asked(steps: tuple[str, ...], asked: int) -> None:
    assert counted(written(AnswerRecord(path=steps)))["cicada-dev",]["RerankedSearches"] == (asked, "Count")


def test_nothing_is_counted_of_rerankers_where_none_is_paid() -> None:
    assert "RerankedSearches" not in counted(written(AnswerRecord(path=("rerank:local",))))["cicada-dev",]
