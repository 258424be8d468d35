"""The message processor, wired as deployed: moto for the tables and queues, a scripted Bedrock on a real socket."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import boto3
import pytest

from cicada.adapters.dynamodb.access_list_table import DynamoAccessListTable
from cicada.adapters.s3.keys import truth_key
from cicada.answering.parts import AnswerPart
from cicada.bootstrap import processor as wiring
from cicada.conversation.model import Status
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import ThrottledError
from cicada.observability.audit import ShownDocument
from tests.contract import access_list_table
from tests.fakes.audit import RecordingTrail
from tests.fakes.bedrock_wire import Refused, Reply
from tests.functions.deployed_processor import EMBEDDED, MESSAGE, SAID, Deployed, delivered
from tests.functions.message_path import DOCUMENTS, ID, Context, MessagePath, Metrics, console_event

SECRET = "s3cret"


def asked(path: MessagePath, message: str = MESSAGE) -> dict[str, Any]:
    """The SQS event for a message that was sent over the WebSocket."""
    path.send("ws_message", {"action": "sendMessage", "requestId": ID, "message": message})
    return delivered(json.dumps(path.queues.bodies(path.queues.requests_url)[0]))


def test_a_probe_is_answered_with_what_the_search_finds(path: MessagePath, deploy: Deployed) -> None:
    probe = {"tenant": "default", "knowledge_base": "scripts", "questions": [{"question": MESSAGE}]}
    with deploy(EMBEDDED):
        [found] = path.invoke("message_processor", {"probe": probe})["found"]
    assert (found["reranker"], found["cosines"]) == ("local", None)
    assert len(found["signals"]) == 6


def test_the_consoles_event_is_answered_with_the_whole_result(path: MessagePath, deploy: Deployed) -> None:
    with deploy(EMBEDDED, SAID) as bedrock:
        answered = path.invoke("message_processor", console_event("message_processor"))
    assert answered["text"] == "Seyton tells him [1]."
    assert [source["locator"]["speakers"] for source in answered["sources"]] == [["Seyton", "Macbeth"]]
    assert answered["path"] == ["script_query", "plan:rules", "retrieve", "rerank:local", "quality:0.95", "generate"]
    assert answered["usage"] == {"inputTokens": 120, "outputTokens": 6}
    assert answered["confidence"] > 0.9
    prompt = bedrock.requests[1].body["messages"][0]["content"][0]["text"]
    assert "[1]\nEpisode:\n| Macbeth\n" in prompt
    rows = path.database.scan(TableName="requests")["Items"]
    assert [row["sk"]["S"] for row in rows] == ["USAGE"]
    assert path.posted() == []


def test_answer_is_recorded(path: MessagePath, deploy: Deployed, audited: RecordingTrail) -> None:
    event = asked(path)
    with deploy(EMBEDDED, SAID):
        path.invoke("message_processor", event)
    [shown] = audited.shown
    assert (shown.user, shown.request_id, shown.outcome) == ("console-user", ID, "complete")
    assert shown.documents == (ShownDocument("scripts", "macbeth.json", "v1"),)
    assert shown.models == ("amazon.nova-lite-v1:0",)
    path.send("ws_resume", {"action": "resume", "requestId": ID, "afterSeq": 0})
    assert [(each.outcome, each.documents) for each in audited.shown[1:]] == [("replayed", shown.documents)]


def test_unrecorded_answer_is_given_and_logged(
    path: MessagePath, deploy: Deployed, audited: RecordingTrail, logged: io.StringIO, metrics: Metrics
) -> None:
    event = asked(path)
    audited.failure = ThrottledError("The audit log asks for fewer calls.")
    with deploy(EMBEDDED, SAID):
        assert path.invoke("message_processor", event) == {"batchItemFailures": []}
    assert path.posted()[-1]["type"] == "complete"
    [lost] = [line for line in map(json.loads, logged.getvalue().splitlines()) if "audit" in line["message"]]
    assert (lost["record"]["requestId"], lost["code"]) == (ID, ThrottledError.code)
    assert lost["record"]["documents"][0]["documentId"] == "macbeth.json"
    assert [line["LostAuditRecords"] for line in metrics() if "LostAuditRecords" in line] == [1]


def test_a_follow_up_is_answered_with_the_turn_before_it(path: MessagePath, deploy: Deployed) -> None:
    first = asked(path)
    with deploy(EMBEDDED, SAID):
        path.invoke("message_processor", first)
    path.clock.now += 10
    following = "7e57d004-2b97-4e7a-b45f-5387367791ce"
    path.send(
        "ws_message",
        {"action": "sendMessage", "requestId": following, "sessionId": ID, "message": "Why does he fear for her?"},
    )
    body = next(each for each in path.queues.bodies(path.queues.requests_url) if following in json.dumps(each))
    wiring.answerer.cache_clear()
    wiring.processor.cache_clear()
    with deploy(EMBEDDED, SAID) as bedrock:
        path.invoke("message_processor", delivered(json.dumps(body)))
    assert "(Macbeth queen)" in json.dumps(bedrock.requests[0].body)
    prompt = bedrock.requests[-1].body["messages"][0]["content"][0]["text"]
    assert f"User:\n| {MESSAGE}\nYou:\n| Seyton tells him (1)." in prompt


def test_agents_have_a_model_of_their_own(path: MessagePath, deploy: Deployed, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"AGENT_MODEL_ID": "amazon.nova-pro-v1:0", "CHAT_MAX_TOKENS": "99"}.items():
        monkeypatch.setenv(f"CICADA_{name}", value)
    event = asked(path, "List my theories")
    with deploy(SAID) as bedrock:
        path.invoke("message_processor", event)
    [request] = bedrock.requests
    assert request.path == "/model/amazon.nova-pro-v1:0/converse-stream"
    assert request.body["inferenceConfig"]["maxTokens"] == 99
    assert "search_evidence" in json.dumps(request.body["toolConfig"])


def test_the_consoles_event_may_name_what_fails(path: MessagePath, deploy: Deployed) -> None:
    with deploy(Refused(400, "ValidationException")):
        answered = path.invoke("message_processor", console_event("message_processor"))
    assert (answered["type"], answered["code"]) == ("error", "misconfigured")


def test_queued_request_is_answered(path: MessagePath, deploy: Deployed, logged: io.StringIO) -> None:
    event = asked(path)
    with deploy(EMBEDDED, SAID):
        assert path.invoke("message_processor", event) == {"batchItemFailures": []}
    posted = path.posted()
    assert [posted[0]["type"], posted[-1]["type"]] == ["status", "complete"]
    assert "".join(each.get("content", "") for each in posted) == "Seyton tells him [1]."
    assert [each["seq"] for each in posted] == list(range(2, 2 + len(posted)))
    assert path.head().status is Status.COMPLETE
    assert json.loads(logged.getvalue())["outcome"] == "complete"
    assert "Seyton" not in logged.getvalue()
    assert "Macbeth" not in logged.getvalue()


def test_refused_model_is_a_dead_letter(path: MessagePath, deploy: Deployed, logged: io.StringIO) -> None:
    event = asked(path, SECRET)
    with deploy(EMBEDDED, Refused(403, "AccessDeniedException")):
        assert path.invoke("message_processor", event) == {"batchItemFailures": []}
    assert (path.posted()[-1]["type"], path.posted()[-1]["code"]) == ("error", "misconfigured")
    assert [body["reason"] for body in path.queues.bodies(path.queues.dead_letters_url)] == ["misconfigured"]
    entries = [json.loads(line) for line in logged.getvalue().splitlines()]
    assert "AccessDeniedException" in entries[0]["reason"]
    assert entries[1]["outcome"] == "failed"
    assert SECRET not in logged.getvalue()


def test_a_record_that_fails_is_delivered_again_and_so_are_all_after_it(
    path: MessagePath, deploy: Deployed, logged: io.StringIO
) -> None:
    [record] = asked(path)["Records"]
    with deploy(EMBEDDED, SAID):
        reply = path.invoke("message_processor", delivered(record["body"], f'{{"tenant":"{SECRET}"}}', record["body"]))
    assert reply == {"batchItemFailures": [{"itemIdentifier": "message-2"}, {"itemIdentifier": "message-3"}]}
    assert path.posted()[-1]["type"] == "complete"
    assert SECRET not in logged.getvalue()


def test_records_after_a_failure_are_not_begun(path: MessagePath, deploy: Deployed) -> None:
    """The queue is FIFO: a later message of the session must not be answered before an earlier one."""
    [record] = asked(path)["Records"]
    with deploy() as bedrock:
        reply = path.invoke("message_processor", delivered("hello", record["body"]))
    assert reply == {"batchItemFailures": [{"itemIdentifier": "message-1"}, {"itemIdentifier": "message-2"}]}
    assert (bedrock.requests, path.posted()) == ([], [])


def test_a_database_that_fails_is_left_to_the_queue(path: MessagePath, deploy: Deployed) -> None:
    event = asked(path)
    path.database.delete_table(TableName="requests")
    with deploy(EMBEDDED, SAID):
        assert path.invoke("message_processor", event) == {"batchItemFailures": [{"itemIdentifier": "message-1"}]}


def test_crash_is_left_to_the_queue(
    path: MessagePath, deploy: Deployed, logged: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = asked(path, SECRET)

    class Crashing:
        def answer(self, *asked: object) -> Iterator[AnswerPart]:
            raise RuntimeError(f"while answering {SECRET}")
            yield

    monkeypatch.setattr(wiring, "answerer", Crashing)
    with deploy(EMBEDDED):
        assert path.invoke("message_processor", event) == {"batchItemFailures": [{"itemIdentifier": "message-1"}]}
    assert path.head().status is Status.PROCESSING
    assert json.loads(logged.getvalue())["kinds"] == ["RuntimeError"]
    assert SECRET not in logged.getvalue()


def test_missing_setting_is_logged(
    path: MessagePath, deploy: Deployed, logged: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = asked(path)
    monkeypatch.delenv("CICADA_CHAT_MODEL_IDS")
    assert path.invoke("message_processor", event) == {"batchItemFailures": [{"itemIdentifier": "message-1"}]}
    assert "CICADA_CHAT_MODEL_IDS" in json.loads(logged.getvalue())["reason"]


def test_answer_without_time(path: MessagePath, deploy: Deployed, monkeypatch: pytest.MonkeyPatch) -> None:
    event = asked(path)
    monkeypatch.setattr(Context, "get_remaining_time_in_millis", lambda self: 10_000)
    with deploy(EMBEDDED, SAID) as bedrock:
        assert path.invoke("message_processor", event) == {"batchItemFailures": []}
        answered = path.invoke("message_processor", console_event("message_processor"))
    assert bedrock.requests == []
    assert (path.posted()[-1]["type"], path.posted()[-1]["code"]) == ("error", "out_of_time")
    assert [body["reason"] for body in path.queues.bodies(path.queues.dead_letters_url)] == ["out_of_time"]
    assert (answered["type"], answered["code"]) == ("error", "out_of_time")


def test_metrics_and_record_of_a_request(
    path: MessagePath, deploy: Deployed, metrics: Metrics, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CICADA_STAGE", "cicada-test")
    event = asked(path)
    with deploy(EMBEDDED, SAID):
        path.invoke("message_processor", event)
    waited, line = metrics()
    assert (waited["Stage"], waited["WaitingTime"]) == ("cicada-test", 0)
    assert (line["Stage"], line["Model"], line["Strategy"]) == ("cicada-test", "amazon.nova-lite-v1:0", "ContentOnly")
    assert (line["InputTokens"], line["OutputTokens"], line["SearchedAnswers"]) == (120, 6, 1)
    rows = path.database.scan(TableName="requests")["Items"]
    [record] = [json.loads(row["answerRecord"]["S"]) for row in rows if "answerRecord" in row]
    assert (record["path"], record["timings"]["total"]) == (line["path"], line["AnswerTime"])
    assert MESSAGE not in json.dumps([line, record])


def test_waiting_time_is_counted_once_from_the_message(path: MessagePath, deploy: Deployed, metrics: Metrics) -> None:
    event = asked(path)
    path.clock.now += 42.5
    with deploy(EMBEDDED, SAID):
        path.invoke("message_processor", event)
        path.invoke("message_processor", event)
    assert [line["WaitingTime"] for line in metrics() if "WaitingTime" in line] == [42_500]


@pytest.mark.parametrize(
    ("code", "status", "refused"),
    [("AccessDeniedException", 403, 1), ("ThrottlingException", 429, 1), ("InternalServerException", 500, 0)],
)
def test_refused_models_are_counted(
    path: MessagePath, deploy: Deployed, metrics: Metrics, code: str, status: int, refused: int
) -> None:
    event = asked(path)
    with deploy(EMBEDDED, *[Refused(status, code)] * 3):
        path.invoke("message_processor", event)
    [line] = [line for line in metrics() if "FailedAnswers" in line]
    assert (line["FailedAnswers"], line["RefusedModels"]) == (1, refused)


def test_a_base_without_documents_does_not_exist(path: MessagePath, deploy: Deployed) -> None:
    asked = {"action": "sendMessage", "requestId": ID, "message": MESSAGE, "knowledgeBase": "scirpts"}
    path.send("ws_message", asked)
    with deploy():
        path.invoke("message_processor", delivered(json.dumps(path.queues.bodies(path.queues.requests_url)[0])))
    [end] = [frame for frame in path.posted() if frame["type"] != "status"]
    assert (end["type"], end["code"]) == ("error", "unknown_knowledge_base")
    assert end["error"] == "There is no knowledge base “scirpts”; did you mean “scripts”?"
    assert path.queues.bodies(path.queues.dead_letters_url) == []


QUESTIONS_OF_A_LOST_INDEX = [
    (MESSAGE, "scripts", [EMBEDDED]),
    ("How many documents are there?", "store", []),
    (MESSAGE, "a-base-of-ours", []),
]


@pytest.mark.parametrize(("message", "base", "replies"), QUESTIONS_OF_A_LOST_INDEX)
def test_lost_index_is_an_error(
    path: MessagePath, deploy: Deployed, tmp_path: Path, message: str, base: str, replies: list[Reply]
) -> None:
    end = answer_of_a_lost_index(path, deploy, tmp_path, message, base, replies, readers=())
    assert (end["type"], end["code"], end["retryable"]) == ("error", "index_incomplete", False)
    assert f"lacks documents of the knowledge base “{base}”" in end["error"]
    assert "`cicada rebuild`" in end["error"]
    assert len(path.queues.bodies(path.queues.dead_letters_url)) == 1


@pytest.mark.parametrize(("message", "base", "replies"), QUESTIONS_OF_A_LOST_INDEX)
def test_lost_index_tells_nothing_to_strangers(
    path: MessagePath, deploy: Deployed, tmp_path: Path, message: str, base: str, replies: list[Reply]
) -> None:
    lost = answer_of_a_lost_index(path, deploy, tmp_path, message, base, replies, readers=("user:somebody-else",))
    assert lost.get("code") in (None, "unknown_knowledge_base")


def answer_of_a_lost_index(
    path: MessagePath,
    deploy: Deployed,
    folder: Path,
    message: str,
    base: str,
    replies: list[Reply],
    readers: tuple[str, ...],
) -> dict[str, Any]:
    """The last event. A document is kept, and the index is gone."""
    document = DocumentKey(KnowledgeBaseKey("default", base), "lease.md")
    boto3.client("s3", region_name="us-east-1").put_object(Bucket=DOCUMENTS, Key=truth_key(document), Body=b"")
    DynamoAccessListTable(path.database, access_list_table.TABLE).record(document, readers)
    (folder / "index.sqlite").unlink()
    # The bucket's clock does not stand still, so the question is asked by that.
    path.clock.now = datetime.now(UTC).timestamp()
    path.connect(expires_at=path.clock.now + 7200)
    path.send("ws_message", {"action": "sendMessage", "requestId": ID, "message": message, "knowledgeBase": base})
    event = delivered(json.dumps(path.queues.bodies(path.queues.requests_url)[0]))
    path.clock.now += 3600
    with deploy(*replies):
        path.invoke("message_processor", event)
    return path.posted()[-1]
