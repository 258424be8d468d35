"""Limits for each user: messages a minute, and requests in flight."""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import itemgetter

from msgspec import Struct

from cicada.conversation.model import Charge, Head, RequestKey, Status, Usage
from cicada.conversation.ports import RequestLog, UsageTable
from cicada.errors import ConfigurationError, LimitExceededError
from cicada.identity.principal import Principal

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
    """Admits requests, or refuses them with the seconds to wait.

    The rate limit is the GCRA (ITU-T I.371): a user may send `messages_per_minute` at once and then one each
    60 / `messages_per_minute` seconds. Its state is one number, and refused messages do not count.

    The request log decides which requests are in flight. No processor releases a slot, so none is lost when one dies:
    the user's row holds the latest admitted requests, and when it is full, ended ones are removed.
    """

    table: UsageTable
    log: RequestLog
    clock: Callable[[], float]
    messages_per_minute: int
    requests_in_flight: int

    def __post_init__(self) -> None:
        if self.messages_per_minute < 1 or self.requests_in_flight < 1:
            raise ConfigurationError("Messages per minute and requests in flight must be at least 1.")

    def admit(self, key: RequestKey) -> None:
        """Count the request, once however often it is admitted; or raise `LimitExceededError` and count nothing."""
        usage = self.table.get(key.principal)
        for _ in range(_TRIES):
            if key.request_id in usage.admitted:
                return
            now = self.clock()
            charge = self._charge(now)
            self._check_rate(charge, usage)
            admitted = {**self._with_room(usage, key.principal, now), key.request_id: now}
            charged = self.table.admit(key.principal, charge, usage, admitted, now + _KEPT_SECONDS)
            if charged.paid:
                return
            usage = charged.usage
        raise LimitExceededError("Many of your messages came at the same moment; send this one again in 1 second.", 1)

    def _charge(self, now: float) -> Charge:
        return Charge(60 / self.messages_per_minute, now, now + 60 + _ROUNDING_SECONDS)

    def _check_rate(self, charge: Charge, usage: Usage) -> None:
        wait = math.ceil(usage.theoretical_arrival + charge.seconds - charge.latest)
        if wait > 0:
            raise LimitExceededError(
                f"You can send {_count(self.messages_per_minute, 'message')} a minute; "
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


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
