"""Which of the project's files one question passes, from `sendMessage` to its first chunk.

`python -m bench.question_path` starts a stage of its own, disables its processor, and runs both handlers in fresh
interpreters with the deployed functions' environment. A file is passed when one of its functions is called. Imports do
not count, nor does the wiring at a function's start: each handler has answered another question before.
"""

from __future__ import annotations

import json
import subprocess
import sys
import uuid
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from websockets.sync.client import connect

from bench.own_stage import own_stage
from local.stage.aws import aws_client, client_environment
from local.stage.settings import ROOT, inherited
from tests.chaos.target import Target

QUESTION = "Who tells Macbeth that the queen is dead?"
_PREFIX = "cicada-local"
# Functions have inspect's flag CO_OPTIMIZED (1); modules and class bodies, which run at import, do not.
_TRACED = """
import json, sys, threading
root, earlier, event = sys.argv[1:]
passed, done = {}, False
def note(frame, *_):
    global done
    file = frame.f_code.co_filename
    if done or not frame.f_code.co_flags & 1 or not file.startswith(root) or "/.venv/" in file:
        return
    passed[file.removeprefix(root)] = True
    done = file.endswith("/api_gateway_channel.py") and '"type":"chunk"' in str(frame.f_locals)
class Context:
    def get_remaining_time_in_millis(self):
        return 60_000
import handler
handler.handler(json.loads(earlier), Context())
threading.settrace(note)
sys.settrace(note)
handler.handler(json.loads(event), Context())
sys.settrace(None)
print(json.dumps([list(passed), done]))
"""


def passed(function: str, environment: Mapping[str, str], *events: Mapping[str, Any]) -> tuple[list[str], bool]:
    """The files below the root that the second event passes, in order, and whether a chunk was sent at the end."""
    command = [sys.executable, "-c", _TRACED, f"{ROOT}/", *map(json.dumps, events)]
    path = {"PYTHONPATH": str(ROOT / "functions" / function)}
    environment = {**inherited(), **environment, **path}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{function} failed:\n{done.stderr}")
    files, sent = json.loads(done.stdout.splitlines()[-1])
    return files, sent


def question_path(stage: Target) -> list[str]:
    """The files in their order."""
    _stop_processors(stage)
    token = quote(stage.token("alice"))
    with connect(f"{stage.url}?token={token}"):
        [connection] = aws_client(stage.config, "dynamodb").scan(TableName=f"{_PREFIX}-connections")["Items"]
        asked = [_event(connection["pk"]["S"]) for _ in range(2)]
        accepting, _ = passed("ws_message", _environment(stage, "ws_message"), *asked)
        queued = [_queued(stage) for _ in range(2)]
        answering, sent = passed("message_processor", _environment(stage, "message_processor"), *queued)
    if not sent:
        raise RuntimeError("The question was not answered.")
    return list(dict.fromkeys([*accepting, *answering]))


def _stop_processors(stage: Target) -> None:
    functions = aws_client(stage.config, "lambda")
    name = stage.info["functions"]["message_processor"]
    for mapping in functions.list_event_source_mappings(FunctionName=name)["EventSourceMappings"]:
        functions.update_event_source_mapping(UUID=mapping["UUID"], Enabled=False)


def _environment(stage: Target, function: str) -> dict[str, str]:
    configuration = aws_client(stage.config, "lambda").get_function_configuration(
        FunctionName=stage.info["functions"][function]
    )
    return {**client_environment(stage.config), **configuration["Environment"]["Variables"]}


def _event(connection_id: str) -> dict[str, Any]:
    """API Gateway's event, with the fields that the function reads."""
    body = {"action": "sendMessage", "requestId": str(uuid.uuid4()), "message": QUESTION}
    return {"requestContext": {"connectionId": connection_id, "routeKey": "sendMessage"}, "body": json.dumps(body)}


def _queued(stage: Target) -> dict[str, Any]:
    """The event of Lambda's SQS poller."""
    queues = aws_client(stage.config, "sqs")
    url = queues.get_queue_url(QueueName=f"{_PREFIX}-requests.fifo")["QueueUrl"]
    [message] = queues.receive_message(QueueUrl=url, WaitTimeSeconds=10)["Messages"]
    return {"Records": [{"messageId": message["MessageId"], "body": message["Body"]}]}


def main() -> None:
    """Print the files and their number."""
    with own_stage("question-path") as stage:
        files = question_path(stage)
    print("\n".join(files))
    print(f"{len(files)} files from sendMessage to the first chunk")


if __name__ == "__main__":
    main()
