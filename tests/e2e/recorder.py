"""What the functions call on the stage, as IAM sees it: function, action and resource, named as in tests/infra."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.relay import Call

# Parts of the names that the emulator gives.
_RESOURCES = {
    "cicada-local-requests-dead.fifo": "request dead letters",
    "cicada-local-requests.fifo": "request queue",
    "IngestDocumentsChanges": "document changes",
    "cicada-local-connections": "connections table",
    "cicada-local-entries": "entries table",
    "cicada-local-readers": "readers table",
    "cicada-local-requests": "requests table",
    "AuditLog": "audit log",
    "ingestdocumentsbucket": "documents bucket",
}
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html
_IN_TRANSACTIONS = {
    "ConditionCheck": "ConditionCheckItem",
    "Delete": "DeleteItem",
    "Put": "PutItem",
    "Update": "UpdateItem",
}
_ON_OBJECTS = {"DELETE": "DeleteObject", "GET": "GetObject", "PUT": "PutObject"}
_BEDROCK = {"converse": "InvokeModel", "converse-stream": "InvokeModelWithResponseStream", "invoke": "InvokeModel"}
_CALLER = re.compile(r"\bapp/(\w+)")


@dataclass(frozen=True, order=True, slots=True)
class Recorded:
    """One function's use of one permission."""

    function: str
    action: str
    resource: str


class Recorder:
    """Thread-safe. Calls that it cannot parse are recorded too, as an action that no role is allowed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: set[Recorded] = set()

    def note(self, call: Call) -> None:
        """A call of the emulator.

        The operator's commands call it too, with the operator's own permissions. They name no function, as every
        function does (`tests/infra/test_wiring.py`).
        """
        agent = call.headers.get("user-agent", "")
        if not _CALLER.search(agent):
            return
        function = caller(agent)
        found = {Recorded(function, action, resource) for action, resource in permissions_of(call)}
        with self._lock:
            self._seen |= found

    def seen(self, of_bedrock: list[tuple[str, str]]) -> set[Recorded]:
        """All of it, with the stand-in's list of callers and paths, among which operators' commands are too."""
        of_functions = [(agent, path) for agent, path in of_bedrock if _CALLER.search(agent)]
        with self._lock:
            return self._seen | {Recorded(caller(agent), *bedrock_permission(path)) for agent, path in of_functions}


def caller(user_agent: str) -> str:
    """The function that says its name in its SDK's User-Agent."""
    found = _CALLER.search(user_agent)
    return found[1] if found else f"an unknown caller ({user_agent})"


def permissions_of(call: Call) -> Iterator[tuple[str, str]]:
    """Actions and resources; a transaction has some of each."""
    service, _, operation = call.headers.get("x-amz-target", "").partition(".")
    if service.startswith("DynamoDB"):
        yield from _of_dynamodb(operation, json.loads(call.body))
    elif service == "AmazonSQS":
        body = json.loads(call.body)
        yield f"sqs:{operation}", _resource(body.get("QueueUrl") or body["QueueName"])
    elif service == "Logs_20140328":
        yield f"logs:{operation}", _resource(json.loads(call.body)["logGroupName"])
    elif service == "AWSCognitoIdentityProviderService":
        # A stage has one.
        yield f"cognito-idp:{operation}", "user pool"
    elif "/@connections/" in call.path:
        _, _, path = call.path.partition("/_aws/execute-api/cicada")
        stage, _, connection = path.partition("/@connections/")
        arn = f"arn:aws:execute-api:REGION:ACCOUNT:WebSocketApi{stage}"
        yield "execute-api:ManageConnections", f"{arn}/{call.method}/@connections/{unquote(connection)}"
    else:
        yield _of_s3(call)


def _of_dynamodb(operation: str, body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if operation == "TransactWriteItems":
        for item in body["TransactItems"]:
            [(kind, write)] = item.items()
            yield f"dynamodb:{_IN_TRANSACTIONS[kind]}", _resource(write["TableName"])
    else:
        index = f"/index/{body['IndexName']}" if "IndexName" in body else ""
        # A batch names its tables inside; ours are of one table.
        yield (
            f"dynamodb:{operation}",
            _resource(body.get("TableName") or next(iter(body.get("RequestItems", "?")))) + index,
        )


def _of_s3(call: Call) -> tuple[str, str]:
    parts = urlsplit(call.path)
    bucket, _, key = unquote(parts.path).strip("/").partition("/")
    query = parse_qs(parts.query, keep_blank_values=True)
    name = _resource(bucket)
    if call.method == "GET" and not key and "list-type" in query:
        return "s3:ListBucket", name
    # Its name, which the SDK adds to each call.
    if call.method in _ON_OBJECTS and key and set(query) <= {"x-id"}:
        return f"s3:{_ON_OBJECTS[call.method]}", f"{name}/{key}"
    return f"{call.method} {call.path}", "not understood"


def bedrock_permission(path: str) -> tuple[str, str]:
    match unquote(path).strip("/").split("/"):
        case ["model", *model, operation] if operation in _BEDROCK:
            return f"bedrock:{_BEDROCK[operation]}", f"arn:aws:bedrock:REGION::foundation-model/{'/'.join(model)}"
        case ["agents", agent, "agentAliases", _, "sessions", _, "text"]:
            return "bedrock:InvokeAgent", f"{agent} agent's alias"
        case ["guardrail", "grounding", "version", _, "apply"]:
            return "bedrock:ApplyGuardrail", "grounding guardrail"
        case ["rerank"]:
            return "bedrock:Rerank", "*"
    return path, "not understood"


def _resource(text: str) -> str:
    return next((name for part, name in _RESOURCES.items() if part in text), text)
