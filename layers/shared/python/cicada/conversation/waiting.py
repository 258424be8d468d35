"""How long a request waited for a processor."""

from __future__ import annotations

from cicada.conversation.model import RequestKey
from cicada.conversation.ports import RequestLog
from cicada.errors import DependencyError

# Shorter waits are not looked into.
_NOTICEABLE_SECONDS = 5.0


def waiting_seconds(
    log: RequestLog, key: RequestKey, session_id: str, sent_at: float, now: float, lease_seconds: float
) -> float:
    """The seconds from `sent_at` to `now`, without those in which the session's answer before it was generated.

    The answers of a session come one after another, so a request that its user sent too early waits for no processor.
    If the log cannot be read, the whole time counts: an answer must not fail for a measurement.
    """
    waited = now - sent_at
    if waited <= _NOTICEABLE_SECONDS or session_id == key.request_id:
        return max(0.0, waited)
    try:
        return max(0.0, now - max(sent_at, _answered_before(log, key, session_id, lease_seconds)))
    except DependencyError:
        return waited


def _answered_before(log: RequestLog, key: RequestKey, session_id: str, lease_seconds: float) -> float:
    """When the session's answer before this one prolonged its lease for the last time; 0 if there is none."""
    head = log.head(key)
    turns = log.turns(key.principal, session_id, head.created_at, 1) if head else []
    before = log.head(RequestKey(key.principal, turns[0].request_id)) if turns else None
    return before.lease_until - lease_seconds if before else 0.0
