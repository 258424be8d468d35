"""What X-Ray's daemon receives of a question that goes through the deployed functions and their queue.

The emulator begins traces for functions that are invoked by Lambda's own call, and not for those that its API Gateway
invokes. So this question comes in two console events.
"""

from __future__ import annotations

import json
import uuid
from contextlib import closing
from pathlib import Path
from typing import Any

from local.stage.aws import aws_client
from tests.chaos.target import Target
from tests.fakes.xray_daemon import XRayDaemon
from tests.patience import PATIENCE_SECONDS

EVENTS = Path(__file__).parents[3] / "events"


def test_a_question_is_one_trace_through_both_functions_and_the_queue(stage: Target, daemon: XRayDaemon) -> None:
    daemon.datagrams()
    request_id = str(uuid.uuid4())
    invoke(stage, "ws_connect")
    question = {
        "action": "sendMessage",
        "requestId": request_id,
        "message": "Who tells Macbeth that the queen is dead?",
    }
    invoke(stage, "ws_message", body=json.dumps(question))
    command, answer = awaited(daemon, request_id)
    assert command["annotations"] == {"action": "sendMessage"}
    assert command["type"] == "subsegment"
    [sent] = command["subsegments"]
    assert sent["aws"]["queue_url"] == stage.info["outputs"]["RequestsQueueUrl"]
    assert (answer["trace_id"], answer["parent_id"]) == (command["trace_id"], sent["id"])
    assert answer["name"] == "cicada-local-message-processor"
    names = [each["name"] for each in spans(answer)]
    assert set(names[1:]) == {"planning", "judging", "searching", "ranking", "gate", "answering"}
    assert answer["annotations"]["knowledgeBase"] == "scripts"
    assert answer["annotations"]["outcome"] == "complete"


def invoke(stage: Target, function: str, **fields: str) -> None:
    """Invoke a function with the console's event and these fields."""
    event = json.loads((EVENTS / f"{function}.json").read_text("utf-8")) | fields
    with closing(aws_client(stage.config, "lambda")) as functions:
        name = f"cicada-local-{function.replace('_', '-')}"
        reply = functions.invoke(FunctionName=name, Payload=json.dumps(event))
    assert json.load(reply["Payload"])["statusCode"] == 200


def spans(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [document, *(each for child in document.get("subsegments", []) for each in spans(child))]


def awaited(daemon: XRayDaemon, request_id: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The documents of the command and of its answer; other functions of the stage send theirs too."""
    seen: list[dict[str, Any]] = []
    while True:
        document = daemon.next_document(PATIENCE_SECONDS)
        if document.get("annotations", {}).get("requestId") == request_id:
            return next(each for each in seen if each.get("annotations") == {"action": "sendMessage"}), document
        seen.append(document)
