"""What users may do how often, and what each command costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from operator import itemgetter

from msgspec import Struct

from cicada.conversation.model import Charge, Head, RequestKey, Status, Usage
from cicada.conversation.ports import RequestLog, UsageTable
from cicada.conversation.protocol import AnyCommand, Cancel, Feedback, History, Ping, Resume
from cicada.errors import ConfigurationError, FloodError, LimitExceededError
from cicada.identity import Principal

# The frame, the connection's row, the user's row and the reply come with every frame, and are one unit together.
REFUSED_FRAME = 1
CONNECTION = 5
# The cost of an event that is replayed: a part of a read, and a post.
EVENT = 1
# The cost of a session that is listed: a read.
SESSION = 1
# The cost of a turn that is listed: its head, its question and its events.
TURN = 3
# The cost of a knowledge base that is listed: its settings and its first rows are read.
BASE = 3
# The cost of a search before it is known what it reads: a stretch of sessions is listed.
SEARCH = 25
# The cost of a list of all documents of a base, besides that of its command: together as much as a new question.
DOCUMENTS = 15
# The cost of what an administrator does, besides that of its command: the user pool is asked for each account.
ADMINISTRATION = 15
# The cost of a turn that is deleted: its rows are read and written.
DELETED_TURN = 10
# The cost of a request that is queued again: the send, and an invocation of the processor.
QUEUED_AGAIN = 10
# The cost of a command before it is known what it causes: some rows are read, and for most a row or the audit record is
# written. What a command causes is charged besides, and a new question costs more when it is admitted.
DEAREST_ENTRY = 5
_CHEAPER: Mapping[type[AnyCommand], int] = {Ping: 1, Cancel: 2, History: 2, Feedback: 2, Resume: 3}


def entry_cost(command: AnyCommand) -> int:
    """Units before it is known what the command causes."""
    return _CHEAPER.get(type(command), DEAREST_ENTRY)


# The bucket holds what comes in during this time.
_BUCKET_SECONDS = 60
# What may be owed: refused commands cost too, so whoever does not stop sending comes to an end.
_OVERDRAFT_SECONDS = 10
# The accepting function has ended by then: a request that is not stored yet never will be.
_ACCEPT_SECONDS = 30
# A request that waits longer was never queued, or the queue has dropped it.
_LONGEST_QUEUED_SECONDS = 15 * 60
_RETRY_IN_FLIGHT_SECONDS = 5
# A try fails only if another message of the same user was admitted meanwhile; few are admitted at once.
_TRIES = 50
_KEPT_SECONDS = 24 * 3600
# Rounding error of sums of fractions of a second.
_ROUNDING_SECONDS = 0.001


class UsageLimits(Struct, frozen=True):
    """Admits commands and requests, or refuses them with the seconds to wait.

    Every command is paid from one token bucket of the user: `commands_per_minute` units flow in and as many fit in, a
    ping takes one, and a new question as many as there may be `messages_per_minute`. The bucket is the GCRA (ITU-T
    I.371), whose state is one number. A refused command costs what it costs to refuse it; a user who goes on sending is
    flooding.

    The request log decides which requests are in flight. No processor releases a slot, so none is lost when one dies:
    the user's row holds the latest admitted requests, and when it is full, ended ones are removed.
    """

    table: UsageTable
    log: RequestLog
    clock: Callable[[], float]
    messages_per_minute: int
    requests_in_flight: int
    commands_per_minute: int

    def __post_init__(self) -> None:
        if self.messages_per_minute < 1 or self.requests_in_flight < 1:
            raise ConfigurationError("Messages per minute and requests in flight must be at least 1.")
        if self.commands_per_minute < max(_BUCKET_SECONDS, DEAREST_ENTRY * self.messages_per_minute):
            raise ConfigurationError(
                f"Commands per minute must be at least {_BUCKET_SECONDS}, and {DEAREST_ENTRY} for each message per "
                "minute."
            )

    def enter(self, principal: Principal, cost: int, *, asks: bool = False) -> Usage:
        """Charge a command before it is carried out; the user's row after that. `asks`: it may be a new question.

        Raises `LimitExceededError`, and then charges all the same; `FloodError` when the overdraft is used up too.
        """
        charge = self._charge(self._seconds(cost), _OVERDRAFT_SECONDS)
        charged = self.table.charge(principal, charge, charge.now + _KEPT_SECONDS)
        seconds, latest = charge.seconds, charge.latest - _OVERDRAFT_SECONDS
        arrival = charged.usage.theoretical_arrival
        again = 60 / self.messages_per_minute if asks else seconds
        wait = max(1, math.ceil(arrival + again - latest))
        if not charged.paid:
            raise FloodError(
                f"Too many commands came after you were told to wait; connect again in {_count(wait, 'second')}.", wait
            )
        if arrival > latest:
            raise _too_fast(wait)
        return charged.usage

    def enter_anyhow(self, principal: Principal, cost: int) -> Usage:
        """Charge a command that is never refused for its rate, as far as the overdraft goes; the user's row after."""
        charge = self._charge(self._seconds(cost), _OVERDRAFT_SECONDS)
        return self.table.charge(principal, charge, charge.now + _KEPT_SECONDS).usage

    def spend(self, principal: Principal, cost: int) -> None:
        """Charge a command for what it will cause. `LimitExceededError` charges nothing."""
        # The whole bucket is enough for the dearest command.
        charge = self._charge(self._seconds(min(cost, self.commands_per_minute - DEAREST_ENTRY)))
        charged = self.table.charge(principal, charge, charge.now + _KEPT_SECONDS)
        if not charged.paid:
            raise _too_fast(self._wait(charge, charged.usage))

    def admit(self, key: RequestKey) -> None:
        """Count the request, once however often it is admitted; or raise `LimitExceededError` and count nothing.

        The command must have been entered.
        """
        usage = self.table.get(key.principal)
        for _ in range(_TRIES):
            if key.request_id in usage.admitted:
                return
            # The price of a question without that of its entry.
            charge = self._charge(60 / self.messages_per_minute - self._seconds(DEAREST_ENTRY))
            self._check_rate(charge, usage)
            now = charge.now
            admitted = {**self._with_room(usage, key.principal, now), key.request_id: now}
            charged = self.table.admit(key.principal, charge, usage, admitted, now + _KEPT_SECONDS)
            if charged.paid:
                return
            usage = charged.usage
        raise LimitExceededError("Many of your messages came at the same moment; send this one again in 1 second.", 1)

    def awaited_on(self, principal: Principal, usage: Usage) -> set[str]:
        """The connections that the user's requests in flight send their events to."""
        latest = self.latest(principal, usage)
        return {head.connection_id for _, head, going in latest if going and head.connection_id}

    def latest(self, principal: Principal, usage: Usage) -> list[tuple[RequestKey, Head, bool]]:
        """The user's latest requests that are stored, and whether each is in flight. `usage`: the user's row."""
        now, found = self.clock(), list[tuple[RequestKey, Head, bool]]()
        for request_id, admitted_at in usage.admitted.items():
            key = RequestKey(principal, request_id)
            if head := self.log.head(key):
                found.append((key, head, in_flight(head, admitted_at, now)))
        return found

    def _seconds(self, cost: float) -> float:
        """The time in which so many units flow in."""
        return cost * (60 / self.commands_per_minute)

    def _charge(self, seconds: float, overdraft_seconds: float = 0) -> Charge:
        now = self.clock()
        return Charge(seconds, now, now + _BUCKET_SECONDS + _ROUNDING_SECONDS + overdraft_seconds)

    def _wait(self, charge: Charge, usage: Usage) -> int:
        """Seconds until a refused charge can be paid, by a command that is entered again."""
        again = usage.theoretical_arrival + self._seconds(DEAREST_ENTRY) + charge.seconds
        return max(1, math.ceil(again - charge.latest))

    def _check_rate(self, charge: Charge, usage: Usage) -> None:
        if charge.paid_by(usage) is not None:
            return
        wait = self._wait(charge, usage)
        raise LimitExceededError(
            f"You can send {_count(self.messages_per_minute, 'message')} a minute, fewer beside other commands; "
            f"send this one again in {_count(wait, 'second')}.",
            wait,
        )

    def _with_room(self, usage: Usage, principal: Principal, now: float) -> dict[str, float]:
        """The admitted requests, oldest first; enough ended ones are removed to make room for one more."""
        admitted = dict(sorted(usage.admitted.items(), key=itemgetter(1)))
        for request_id, admitted_at in list(admitted.items()):
            if len(admitted) < self.requests_in_flight:
                break
            if not in_flight(self.log.head(RequestKey(principal, request_id)), admitted_at, now):
                del admitted[request_id]
        if len(admitted) >= self.requests_in_flight:
            raise LimitExceededError(
                f"You can have {_count(self.requests_in_flight, 'question')} under way at once; "
                f"wait for an answer and send this one again.",
                _RETRY_IN_FLIGHT_SECONDS,
            )
        return admitted


def in_flight(head: Head | None, admitted_at: float, now: float) -> bool:
    """Whether a processor works on the request or will. It ends with a dead processor's lease."""
    if head is None:
        return admitted_at + _ACCEPT_SECONDS > now
    if head.status is Status.QUEUED:
        return head.created_at + _LONGEST_QUEUED_SECONDS > now
    return head.status is Status.PROCESSING and head.lease_until > now


def _too_fast(wait: int) -> LimitExceededError:
    return LimitExceededError(f"Your commands come too fast; send this one again in {_count(wait, 'second')}.", wait)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
