"""The deployed functions on moto, in simulated time, and one user of them."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from cicada.adapters.dynamodb.access_list_table import DynamoAccessListTable
from cicada.bootstrap import audit
from cicada.conversation.delivery import Delivery
from cicada.conversation.model import Lease, RequestKey
from cicada.conversation.protocol import Chunk, Complete, Usage
from cicada.documents.model import DocumentKey
from cicada.observability.audit import AuditRecorder
from tests.contract import access_list_table
from tests.flood.counting import FRAMES, INVOCATIONS, Calls, CountingChannel, CountingTrail
from tests.functions.deployed_processor import SCRIPTS, deployed_on, keep
from tests.functions.message_path import CONSOLE, MessagePath, console_event, frame_event, message_path

EVENTS, TURNS, SESSION = 60, 50, "a-session"
_FUNCTIONS = {"sendMessage": "ws_message", "resume": "ws_resume", "openDocument": "ws_open"}


@dataclass
class World:
    """`connection_id`: empty while the user has none."""

    path: MessagePath
    calls: Calls
    channel: CountingChannel
    index: Path
    connection_id: str = ""

    def connect(self) -> bool:
        """Whether the handshake is accepted. The authorizer, which calls no service, lets the user in."""
        event = console_event("ws_connect")
        wanted = str(uuid.uuid4())
        event["requestContext"]["connectionId"] = wanted
        self.calls.note(INVOCATIONS, 2)
        if self.path.invoke("ws_connect", event)["statusCode"] != 200:
            return False
        self.connection_id = wanted
        return True

    def send(self, text: str) -> str:
        """The code of the error in the reply, empty if there is none."""
        self.calls.note(INVOCATIONS)
        body = self.path.invoke(_function(text), frame_event(text, self.connection_id)).get("body")
        if self.connection_id in self.channel.closed:
            self.connection_id = ""
        if body is None:
            return ""
        self.calls.note(FRAMES)
        reply: dict[str, Any] = json.loads(body)
        return str(reply.get("code", ""))

    def wait(self, seconds: float) -> None:
        self.path.clock.now += seconds

    def answer(self, request_id: str, events: int = 2) -> None:
        """What a processor does, uncounted: an answer of so many events, `accepted` among them."""
        with self.calls.paused():
            lease = self.path.log.take_lease(RequestKey(CONSOLE, request_id), self.path.clock(), self.path.clock() + 15)
            if not isinstance(lease, Lease):
                raise TypeError("The request has no lease.")
            delivery = Delivery(lease, self.path.log, self.channel, self.path.clock, 15)
            for _ in range(events - 2):
                delivery.send(Chunk(content="and what is said of it in the scripts [1], "))
            delivery.send(Complete(usage=Usage(), timings={}, path=("general",), confidence=None))

    def answered_session(self) -> dict[str, Any]:
        """Questions of an hour ago, all answered; the command of the last."""
        for _ in range(TURNS):
            asked = message(SESSION)
            self.send(json.dumps(asked))
            self.answer(asked["requestId"], EVENTS if _ == TURNS - 1 else 10)
            self.wait(10)
        self.wait(3600)
        return asked

    def kept_document(self) -> str:
        """The id of a document that everybody may read."""
        with self.calls.paused():
            keep(self.index, "macbeth.json")
            access_lists = DynamoAccessListTable(self.path.database, access_list_table.TABLE)
            access_lists.record(DocumentKey(SCRIPTS, "macbeth.json"), ())
        return "macbeth.json"


def message(session_id: str) -> dict[str, Any]:
    """A new question."""
    request_id = str(uuid.uuid4())
    return {"action": "sendMessage", "requestId": request_id, "sessionId": session_id, "message": "Who is it?"}


def _function(text: str) -> str:
    try:
        fields: Mapping[str, Any] = json.loads(text)
    except ValueError:
        return "ws_control"
    return _FUNCTIONS.get(fields["action"], "ws_control")


@contextmanager
def world() -> Iterator[World]:
    """The functions have the limits of a deployed stage, which are their defaults. The user is connected."""
    calls = Calls()
    channel = CountingChannel(calls)
    with (
        TemporaryDirectory() as folder,
        pytest.MonkeyPatch.context() as monkeypatch,
        message_path(monkeypatch) as path,
    ):
        index = Path(folder) / "index.sqlite"
        deployed_on(index, monkeypatch)
        monkeypatch.setattr(audit, "_recorder", lambda: AuditRecorder(CountingTrail(calls), audit._lost))
        path.channel = channel  # type: ignore[assignment]
        calls.of_sdk(monkeypatch)
        made = World(path, calls, channel, index)
        made.connect()
        yield made
