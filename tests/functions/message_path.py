"""The message path's functions on moto: tables and queues as the CDK app declares them, and what Lambda sends."""

from __future__ import annotations

import copy
import importlib
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
import pytest

from cicada.adapters.dynamodb.request_log import DynamoRequestLog
from cicada.adapters.dynamodb.usage_table import DynamoUsageTable
from cicada.bootstrap import (
    administration,
    authorizer,
    bases,
    command_guard,
    connections,
    conversation,
    opening,
    processor,
    revocation,
)
from cicada.conversation.delivery import Delivery
from cicada.conversation.model import Head, RequestKey
from cicada.identity import Principal, groups_text
from tests.contract import access_list_table, connections_table, entries_table, request_queues, requests_table
from tests.fakes.clock import Clock
from tests.fakes.conversation import RecordingChannel

ROOT = Path(__file__).resolve().parents[2]
CONSOLE = Principal("default", "console-user")
ID = "7e57d004-2b97-4e7a-b45f-5387367791cd"
NOW = 1_795_262_400.0
DOCUMENTS = "documents"
Event = dict[str, Any]
Reply = dict[str, Any]
Metrics = Callable[[], list[dict[str, Any]]]

_WIRED = (
    authorizer.token_verifier,
    connections.connections,
    command_guard.command_guard,
    revocation.sign_out,
    administration.administration,
    conversation.conversation,
    opening.document_opener,
    opening.document_lister,
    bases.knowledge_bases,
    bases.base_record,
    processor.processor,
    processor.answerer,
)


def console_event(name: str) -> Event:
    """The test event of the function."""
    event: Event = json.loads((ROOT / "events" / f"{name}.json").read_text("utf-8"))
    return event


def frame_event(frame: str, connection_id: str = "console") -> Event:
    """A frame on a connection, as API Gateway passes it on."""
    event = copy.deepcopy(console_event("ws_message"))
    event["requestContext"]["connectionId"] = connection_id
    return event | {"body": frame}


class Context:
    """What a handler asks of Lambda's context: five minutes are left."""

    def get_remaining_time_in_millis(self) -> int:
        return 300_000


@dataclass
class MessagePath:
    """The functions, and what they leave behind."""

    queues: request_queues.Queues
    log: DynamoRequestLog
    database: Any
    clock: Clock
    users: DynamoUsageTable
    channel: RecordingChannel = field(default_factory=RecordingChannel)

    def invoke(self, function: str, event: Event) -> Reply:
        reply = importlib.import_module(f"functions.{function}.handler").handler(event, Context())
        assert json.loads(json.dumps(reply)) == reply
        return dict(reply)

    def send(self, function: str, fields: object, connection_id: str = "console") -> Reply:
        """The reply to a frame of these fields, parsed; empty if there is none."""
        return self.send_text(function, json.dumps(fields), connection_id)

    def send_text(self, function: str, frame: str, connection_id: str = "console") -> Reply:
        reply = self.invoke(function, frame_event(frame, connection_id))
        assert reply["statusCode"] == 200
        return dict(json.loads(reply["body"])) if "body" in reply else {}

    def connect(
        self, connection_id: str = "console", principal: Principal = CONSOLE, expires_at: float = NOW + 600
    ) -> None:
        event = console_event("ws_connect")
        event["requestContext"] |= {"connectionId": connection_id}
        event["requestContext"]["authorizer"] |= {
            "tenant": principal.tenant,
            "user": principal.user,
            "groups": groups_text(principal.groups),
            "tokenIssuedAt": str(int(NOW)),
            "tokenExpiresAt": str(int(expires_at)),
        }
        assert self.invoke("ws_connect", event)["statusCode"] == 200

    def knows(self, request_id: str = ID) -> bool:
        return self.log.head(RequestKey(CONSOLE, request_id)) is not None

    def head(self) -> Head:
        head = self.log.head(RequestKey(CONSOLE, ID))
        assert head is not None
        return head

    def delivery(self) -> Delivery:
        """Of a processor that has taken the console's request."""
        lease = self.log.take_lease(RequestKey(CONSOLE, ID), self.clock(), self.clock() + 15)
        assert lease
        return Delivery(lease, self.log, self.channel, self.clock, 15)

    def posted(self, connection_id: str = "console") -> list[Reply]:
        return [json.loads(frame) for frame in self.channel.frames.get(connection_id, [])]


@contextmanager
def message_path(monkeypatch: pytest.MonkeyPatch) -> Iterator[MessagePath]:
    """Everything deployed, nobody connected. Time stands still until a test moves it."""
    with ExitStack() as stack:
        database = stack.enter_context(requests_table.requests_table())
        stack.enter_context(connections_table.connections_table())
        stack.enter_context(entries_table.entries_table())
        stack.enter_context(access_list_table.access_list_table())
        queues = stack.enter_context(request_queues.request_queues())
        boto3.client("s3", region_name="us-east-1").create_bucket(Bucket=DOCUMENTS)
        clock = Clock(NOW)
        log = DynamoRequestLog(database, requests_table.TABLE, clock)
        path = MessagePath(queues, log, database, clock, DynamoUsageTable(database, requests_table.TABLE))
        _wire(path, monkeypatch)
        stack.callback(forget)
        forget()
        yield path


def _wire(path: MessagePath, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {
        "AWS_DEFAULT_REGION": "us-east-1",
        "CICADA_REQUESTS_TABLE": requests_table.TABLE,
        "CICADA_CONNECTIONS_TABLE": connections_table.TABLE,
        "CICADA_ENTRIES_TABLE": entries_table.TABLE,
        "CICADA_READERS_TABLE": access_list_table.TABLE,
        "CICADA_DOCUMENTS_BUCKET": DOCUMENTS,
        "CICADA_REQUESTS_QUEUE_URL": path.queues.requests_url,
        "CICADA_DEAD_LETTER_QUEUE_URL": path.queues.dead_letters_url,
        "CICADA_CALLBACK_URL": "http://127.0.0.1:9/v1",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    for module in (conversation, command_guard, processor, revocation):
        monkeypatch.setattr(module, "ApiGatewayChannel", lambda client: path.channel)
    monkeypatch.setattr("time.time", path.clock)


def forget() -> None:
    """Wire the functions anew. Clients of an earlier test must not outlive it."""
    for wired in _WIRED:
        wired.cache_clear()
