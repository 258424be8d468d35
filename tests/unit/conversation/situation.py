"""A conversation on fakes: what the tests of its verbs begin with."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from cicada.conversation.accept import Accepter
from cicada.conversation.command_guard import CommandGuard
from cicada.conversation.delivery import Delivery
from cicada.conversation.limits import UsageLimits
from cicada.conversation.model import Connection, Head, Lease, Question, RequestKey
from cicada.conversation.protocol import Complete, SendMessage, Usage, parse_command
from cicada.conversation.resume import Resumer
from cicada.identity import Principal
from cicada.knowledge_bases.settings import KnowledgeBases
from tests.fakes.access import OpenAccess, withholding
from tests.fakes.clock import Clock
from tests.fakes.conversation import InMemoryConnections, RecordingChannel, RecordingQueue
from tests.fakes.request_log import DisturbedRequestLog
from tests.fakes.share_table import InMemoryShareTable
from tests.fakes.usage_table import InMemoryUsageTable, unlimited

ANN = Principal("acme", "ann")
BOB = Principal("acme", "bob")
ID = "7e57d004-2b97-4e7a-b45f-5387367791cd"
KEY = RequestKey(ANN, ID)
LEASE_SECONDS = 15.0
WHOLE = Complete(usage=Usage(), timings={}, path=("general",), confidence=None)


@dataclass
class Situation:
    """The ports, and the verbs on them."""

    clock: Clock = field(default_factory=Clock)
    channel: RecordingChannel = field(default_factory=RecordingChannel)
    queue: RecordingQueue = field(default_factory=RecordingQueue)
    access: OpenAccess = field(default_factory=OpenAccess)

    def __post_init__(self) -> None:
        self.log = DisturbedRequestLog(self.clock)
        self.withholding = withholding(self.access)
        self.limits = unlimited(self.log, self.clock)
        self.shares = InMemoryShareTable(self.log, self.clock)
        self.resumer = Resumer(self.log, self.queue, self.channel, self.clock, self.withholding, self.limits)
        self.accepter = Accepter(
            *(self.log, self.queue, self.resumer, self.clock, 3600, self.limits), KnowledgeBases, self.shares
        )

    def ask(self, message: str = "Who?", principal: Principal = ANN, connection_id: str = "c1") -> str | None:
        return self.accepter.accept(send_message(message), self.connection(principal, connection_id))

    def connection(self, principal: Principal = ANN, connection_id: str = "c1") -> Connection:
        return Connection(connection_id, principal, self.clock() + 600, self.clock())

    def lease(self, key: RequestKey = KEY) -> Lease:
        lease = self.log.take_lease(key, self.clock(), self.clock() + LEASE_SECONDS)
        assert lease is not None
        return lease

    def delivery(self, lease: Lease | None = None) -> Delivery:
        return Delivery(lease or self.lease(), self.log, self.channel, self.clock, LEASE_SECONDS)

    def head(self, key: RequestKey = KEY) -> Head:
        head = self.log.head(key)
        assert head is not None
        return head

    def question(self, key: RequestKey = KEY) -> Question:
        question = self.log.question(key)
        assert question is not None
        return question

    def received(self, connection_id: str) -> list[dict[str, Any]]:
        return [json.loads(frame) for frame in self.channel.frames.get(connection_id, [])]

    def numbers(self, connection_id: str) -> list[int]:
        return [event["seq"] for event in self.received(connection_id)]


class Guarded(Situation):
    """Users with connections, whose commands pass the guard."""

    per_minute = 60
    commands_per_minute = 1200
    most_connections = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        self.users = InMemoryUsageTable()
        self.connections = InMemoryConnections()
        self.limits = UsageLimits(self.users, self.log, self.clock, self.per_minute, 10, self.commands_per_minute)
        self.command_guard = CommandGuard(
            self.connections, self.limits, self.channel, self.clock, self.most_connections
        )


def retry_after(reply: str | None) -> float:
    """The seconds in a `pending` reply, which it must be."""
    assert reply
    fields = json.loads(reply)
    assert (fields["type"], fields["requestId"]) == ("pending", ID)
    return float(fields["retryAfterSeconds"])


def send_message(message: str = "Who?", request_id: str = ID, **fields: object) -> SendMessage:
    sent = {"action": "sendMessage", "requestId": request_id, "message": message} | fields
    command = parse_command(json.dumps(sent))
    assert isinstance(command, SendMessage)
    return command
