"""`cicada trace`, run as an operator runs it, on rows and log lines as the functions write them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from msgspec.json import encode

from cicada.adapters.dynamodb.request_items import event_item, first_event_item, head_item, record_text
from cicada.conversation.model import AnswerRecord, Lease, NewRequest, Question, RequestKey, StoredEvent
from cicada.conversation.protocol import Accepted, Chunk, Failed, StatusChanged, event_body
from cicada.identity import Principal
from cicada.observability.metrics import AnswerMetrics
from cli.__main__ import main
from tests.cli.conftest import Shell
from tests.cli.scripted_aws import ScriptedAws, aws_account
from tests.cli.test_stacks import described

__all__ = ["aws_account"]

ID, SECRET = "7c9e6679-7425-40de-944b-e07fc1f90ae7", "zq7 salaries"
KEY = RequestKey(Principal("acme", "ann"), ID)
BEGAN = datetime(2026, 11, 26, 12, tzinfo=UTC).timestamp()
RECORD = AnswerRecord(
    path=("script_query", "plan:rules", "retrieve", "generate", "model:2:after_silence"),
    scores=(0.41, None),
    timings={"planning": 100, "searching": 300, "gate": 50, "firstToken": 2000, "total": 3000},
    intent="script_query",
    strategy="ContentOnly",
    input_tokens=900,
    output_tokens=40,
    refused_calls=1,
)
PLAN = {
    "strategy": "ContentOnly",
    "query": SECRET,
    "by": "rules",
    "confidence": 0.93,
    "withheld": 2,
    "filters": [SECRET],
}
COMPLETE = json.dumps({"type": "complete", "path": RECORD.path, "plan": PLAN})


def rows(last: str, record: AnswerRecord, status: str) -> list[dict[str, Any]]:
    """The rows of a request whose processor took it after half a second and ended 3.5 s after its frame."""
    new = NewRequest(KEY, Question(SECRET, "s1", "store"), "c1", BEGAN, BEGAN + 9e8)
    head = head_item(new) | {"attempt": {"N": "1"}, "lastSeq": {"N": "5"}, "status": {"S": status}}
    bodies = [event_body(StatusChanged(stage="searching")), *[event_body(Chunk(content=SECRET))] * 2, last]
    lease = Lease(KEY, 1, 1, BEGAN + 9e8)
    events = zip(range(2, 6), (0.6, 2.6, 3.0, 3.5), bodies, strict=True)
    return [
        first_event_item(new, event_body(Accepted(session_id="s1"))),
        *(event_item(lease, StoredEvent(number, body), BEGAN + after) for number, after, body in events),
        head | {"answerRecord": {"S": record_text(record)}},
    ]


def line(after: float, message: str, **fields: object) -> str:
    moment = datetime.fromtimestamp(BEGAN + after, UTC)
    said = {"level": "INFO", "message": message, "timestamp": f"{moment:%Y-%m-%d %H:%M:%S},{moment:%f}"[:-3] + "+0000"}
    return json.dumps(said | {"requestId": ID} | fields)


def lines(record: AnswerRecord) -> list[str]:
    metrics: list[str] = []
    AnswerMetrics("cicada-dev", ["a", "b"], lambda: BEGAN + 3.5, metrics.append).observe(KEY, record)
    warning = line(1.9, "A chat model failed; another call is made", level="WARNING", code="dependency_unavailable")
    other = json.dumps({"level": "INFO", "message": "Something else", "requestId": "another", "note": ID})
    done = line(3.6, "Processed a request", outcome="complete", queuedAt=BEGAN + 0.1, takenAt=BEGAN + 0.5)
    return [f"START {ID}", warning, *metrics, done, other]


def keeping(account: ScriptedAws, stored: list[dict[str, Any]], log: list[str]) -> None:
    outputs = {"RequestsTable": "requests", "ProcessorFunction": "cicada-dev-message-processor"}
    account.replies["cloudformation", "DescribeStacks"] = described("CREATE_COMPLETE", outputs)
    account.replies["dynamodb", "Scan"] = {"Items": [each for each in stored if each["sk"]["S"] == "HEAD"]}
    account.replies["dynamodb", "Query"] = {"Items": stored}
    events = [{"message": each, "timestamp": int(BEGAN + 9) * 1000} for each in log]
    account.replies["logs", "FilterLogEvents"] = {"events": events}


def trace(*arguments: str) -> int:
    return main(["trace", "--stack", "Cicada-dev", *arguments])


def steps(shell: Shell) -> list[tuple[str, float, str]]:
    assert trace("--json", ID) == 0
    return [(each["name"], round(each["at"] - BEGAN, 3), each["said"]) for each in shell.json()["steps"]]


def test_an_answer_is_told_from_its_frame_to_its_end(aws_account: ScriptedAws, shell: Shell) -> None:
    keeping(aws_account, rows(COMPLETE, RECORD, "complete"), lines(RECORD))
    assert steps(shell) == [
        ("frame", 0, "accepted for store in the session s1"),
        ("queued", 0.1, "for the delivery that ended as complete"),
        ("taken", 0.5, "for the delivery that ended as complete"),
        ("event", 0.6, "#2 of attempt 1: status searching"),
        ("planned", 0.6, "script_query as ContentOnly by rules, confidence 0.93, in 100 ms"),
        ("searched", 0.9, "2 times (searching 300 ms), evidence 0.41 unjudged"),
        ("gate", 0.95, "50 ms, 2 withheld"),
        ("warning", 1.9, "A chat model failed; another call is made: dependency_unavailable"),
        ("text", 2.5, "the first, after 2000 ms"),
        ("event", 2.6, f"#3 of attempt 1: chunk, 2 of them with {2 * len(SECRET)} characters"),
        ("event", 3.5, "#5 of attempt 1: complete"),
        (
            "model",
            3.5,
            "b, 900 tokens read and 40 written, 1 calls refused, model:2:after_silence, stop: normal",
        ),
        ("ended", 3.5, f"complete after 3000 ms; path: {' '.join(RECORD.path)}"),
        ("info", 3.6, "Processed a request: complete"),
    ]
    [asked] = aws_account.called("FilterLogEvents")
    assert (asked["logGroupName"], asked["filterPattern"]) == ("/aws/lambda/cicada-dev-message-processor", f'"{ID}"')


def test_no_text_of_the_conversation_is_shown(aws_account: ScriptedAws, shell: Shell) -> None:
    keeping(aws_account, rows(COMPLETE, RECORD, "complete"), lines(RECORD))
    assert trace(ID) == 0
    shown = shell.out()
    assert f"{ID} of ann in acme: complete" in shown
    assert SECRET not in shown


def test_a_failure_says_its_code_and_a_lost_log_is_said(aws_account: ScriptedAws, shell: Shell) -> None:
    failed = encode(Failed(error=SECRET, code="stream_broken", retryable=True)).decode()
    keeping(aws_account, rows(failed, AnswerRecord(code="stream_broken", timings={"total": 9}), "failed"), [])
    assert trace(f"acme#ann#{ID}") == 0
    shown = shell.out()
    assert "error stream_broken" in shown
    assert "failed: stream_broken after 9 ms" in shown
    assert "The processor's log has nothing of it" in shown
    assert aws_account.called("Scan") == []


@pytest.mark.parametrize(("heads", "sentence"), [(0, "There is no request"), (2, "acme#ann#")])
def test_no_request_and_several_are_refused(heads: int, sentence: str, aws_account: ScriptedAws, shell: Shell) -> None:
    keeping(aws_account, rows(COMPLETE, RECORD, "complete"), [])
    aws_account.replies["dynamodb", "Scan"]["Items"] *= heads
    assert trace(ID) != 0
    assert sentence in shell.err()
    # DynamoDB refuses an empty key.
    assert aws_account.called("Query") == []


@pytest.mark.parametrize("left", [slice(5, None), slice(1, None)], ids=["the head alone", "later events"])
def test_a_request_that_is_deleted_in_part_is_no_request(left: slice, aws_account: ScriptedAws, shell: Shell) -> None:
    keeping(aws_account, rows(COMPLETE, RECORD, "complete")[left], [])
    assert trace(ID) != 0
    assert "What has expired is not kept" in shell.err()
