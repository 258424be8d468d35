"""One question over real sockets, by the client's rules, disturbed as planned."""

from __future__ import annotations

import json
import math
import socket
import time
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from websockets.exceptions import WebSocketException
from websockets.sync.client import connect
from websockets.sync.connection import Connection

from cicada_client.errors import RefusedError
from cicada_client.exchange import Exchange
from cicada_client.timing import Timing
from tests.chaos.ledger import Frame, Ledger
from tests.chaos.plan import Plan
from tests.chaos.target import Suffered, Target, Trouble

# The silence after which a client resumes is shorter than the default, so that more happens in a run.
TIMING = Timing(silence_seconds=5, patience_seconds=300)
# A replay whose frames are refused is asked for again.
_REPLAY_SECONDS = 20
# Connecting and resuming may be refused for as long as DynamoDB refuses its calls.
_REPLAYS = 5
# The beginning of a reset's reason where another processor goes on.
_REPLACED = "The answer was interrupted"


@dataclass(slots=True)
class Waits:
    """The longest wait for an event, and the longest that ended with a reset because another processor goes on."""

    news_at: float
    seconds: float = 0
    replacement_seconds: float = 0

    def note(self, event: Frame, now: float) -> None:
        waited, self.news_at = now - self.news_at, now
        if event.get("reason", "").startswith(_REPLACED):
            self.replacement_seconds = max(self.replacement_seconds, waited)
        else:
            self.seconds = max(self.seconds, waited)


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of a question. `problems`: broken promises other than a wrong text.

    `suffered`: the disturbances during its time, those meant for other questions included. `seconds`: from the question
    to its end, without the replay. `recovery_seconds`: from a kill that hit this answer to its next text, if no other
    kill hit it in between. `waits`: the longest ones.
    """

    plan: Plan
    request_id: str
    status: str
    text: str
    code: str | None
    problems: tuple[str, ...]
    suffered: Suffered
    cuts: int
    duplicates: int
    kills: int
    resets: int
    seconds: float
    recovery_seconds: float | None
    waits: Waits


def ask(plan: Plan, target: Target, trouble: Trouble) -> Asked:
    """Ask, apply the disturbances, and finally replay the whole answer from its beginning."""
    attempt = _Attempt(plan, target, trouble)
    before, began = trouble.suffered(attempt.request_id), time.monotonic()
    problems = attempt.run()
    assembly = attempt.exchange.assembly
    if assembly.text != attempt.ledger.text:
        problems.append("What was put together step by step differs from what was replayed.")
    return Asked(
        plan=plan,
        request_id=attempt.request_id,
        status=assembly.status,
        text=assembly.text,
        code=assembly.error["code"] if assembly.error else None,
        problems=tuple(problems),
        suffered=trouble.suffered(attempt.request_id).since(before),
        cuts=attempt.done.cuts,
        duplicates=attempt.done.duplicates,
        kills=attempt.done.kills,
        resets=attempt.ledger.resets,
        seconds=min(attempt.ended_at, time.monotonic()) - began,
        recovery_seconds=attempt.done.recovery_seconds,
        waits=attempt.waits,
    )


@dataclass(slots=True)
class _Done:
    """The disturbances so far."""

    cuts: int = 0
    duplicates: int = 0
    kills: int = 0
    stormed: bool = False
    killed_at: float | None = None
    resets_at_kill: int = 0
    hits: int = 0
    recovered: bool = False
    recovery_seconds: float | None = None


class _Attempt:
    def __init__(self, plan: Plan, target: Target, trouble: Trouble) -> None:
        self.request_id = str(uuid.uuid4())
        question = {"action": "sendMessage", "requestId": self.request_id, "message": plan.question}
        self._plan = plan
        self._url = target.url
        self._token = target.token(plan.user)
        self._trouble = trouble
        self.ledger = Ledger(self.request_id)
        self.exchange = Exchange(self.request_id, question, TIMING, time.monotonic())
        self.done = _Done()
        self.waits = Waits(time.monotonic())
        self.ended_at = math.inf

    def run(self) -> list[str]:
        """The problems."""
        for fault in self._plan.faults:
            self._trouble.order(fault)
        try:
            while not self.exchange.finished:
                if time.monotonic() >= self.exchange.gives_up_at:
                    return [f"There was no news for {TIMING.patience_seconds:.0f} s."]
                self._on_a_connection()
            self.ended_at = time.monotonic()
            self._replay()
        except RefusedError as refused:
            return [f"The question was refused: {refused.code}."]
        return self.ledger.problems()

    def _on_a_connection(self) -> None:
        try:
            with connect(f"{self._url}?token={self._token}", close_timeout=1) as connection:
                _send(connection, self.exchange.opening(time.monotonic()))
                self._follow(connection)
        except (OSError, WebSocketException):
            time.sleep(TIMING.back_off_seconds)

    def _follow(self, connection: Connection) -> None:
        """Receive until the answer has ended, the connection is cut, or the time is up."""
        while not self.exchange.finished and time.monotonic() < self.exchange.gives_up_at:
            try:
                frame = json.loads(connection.recv(timeout=self.exchange.wait(time.monotonic())))
            except TimeoutError:
                _send(connection, self.exchange.due(time.monotonic()))
                continue
            self._take(frame)
            if self._disturb():
                connection.socket.shutdown(socket.SHUT_RDWR)
                return

    def _take(self, frame: Frame) -> None:
        if frame.get("requestId") != self.request_id:
            return
        self.ledger.note(frame)
        for event in self.exchange.receive(frame, time.monotonic()):
            self.waits.note(event, time.monotonic())
            if event["type"] == "chunk":
                self._note_recovery()

    def _note_recovery(self) -> None:
        done = self.done
        if done.killed_at is None or done.recovered or self.ledger.resets == done.resets_at_kill:
            return
        done.recovered = True
        # A kill by another lane (another asker) would add its own recovery time to this one.
        if self._trouble.suffered(self.request_id).kills == done.hits:
            done.recovery_seconds = time.monotonic() - done.killed_at

    def _disturb(self) -> bool:
        """Apply what the plan has for this event; True if the connection is to be cut."""
        plan, done, events = self._plan, self.done, len(self.ledger)
        if done.duplicates < sum(due_after <= events for due_after in plan.duplicates):
            self._trouble.deliver_again(self._token, self.request_id)
            done.duplicates += 1
        if plan.kill_after is not None and done.killed_at is None and self.ledger.chunks >= plan.kill_after:
            done.killed_at, done.resets_at_kill = time.monotonic(), self.ledger.resets
            done.kills = self._trouble.kill(plan.victim, self.request_id)
            done.hits = self._trouble.suffered(self.request_id).kills
        if plan.storm and not done.stormed and events >= plan.storm.after:
            done.stormed = True
            self._trouble.throttle(plan.storm)
        due = sum(due_after <= events for due_after in plan.cuts) > done.cuts and not self.exchange.finished
        done.cuts += due
        return due

    def _replay(self) -> None:
        """The whole answer once more from the log: it must hold the same events and no others."""
        for _ in range(_REPLAYS):
            try:
                return self._replay_once()
            except (OSError, WebSocketException):
                time.sleep(TIMING.gap_seconds)
        return self._replay_once()

    def _replay_once(self) -> None:
        with connect(f"{self._url}?token={self._token}", close_timeout=1) as connection:
            _send(connection, [{"action": "resume", "requestId": self.request_id, "afterSeq": 0}])
            missing = set(range(1, self.exchange.assembly.last_seq + 1))
            while missing:
                frame = json.loads(connection.recv(timeout=_REPLAY_SECONDS))
                self.ledger.note(frame)
                missing.discard(frame.get("seq", 0))


def _send(connection: Connection, commands: Iterable[dict[str, Any]]) -> None:
    for command in commands:
        connection.send(json.dumps(command))
