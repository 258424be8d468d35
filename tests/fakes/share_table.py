"""Shared sessions in memory, beside the request log that has the sessions."""

from __future__ import annotations

from collections.abc import Callable

from cicada.conversation.model import Share
from cicada.identity import Principal
from tests.fakes.request_log import InMemoryRequestLog


class InMemoryShareTable:
    """`clock` gives epoch seconds."""

    def __init__(self, log: InMemoryRequestLog, clock: Callable[[], float]) -> None:
        self._log = log
        self._clock = clock
        self._shares: dict[tuple[str, str], tuple[Share, float]] = {}

    def share(self, principal: Principal, session_id: str, share_id: str) -> str | None:
        session = self._log.session(principal, session_id)
        if session is None:
            return None
        kept = session.share_id or share_id
        self._log.mark_shared(principal, session_id, kept)
        expires_at = self._log.expiry(principal, session_id)
        self._shares[principal.tenant, kept] = (Share(principal, session_id), expires_at)
        return kept

    def end(self, principal: Principal, session_id: str) -> bool:
        session = self._log.session(principal, session_id)
        if session and session.share_id:
            self._log.mark_shared(principal, session_id, "")
            self.forget(principal, session.share_id)
        return session is not None

    def renew(self, principal: Principal, share_id: str, expires_at: float) -> None:
        share, _ = self._shares.get((principal.tenant, share_id), (None, 0))
        if share and share.owner == principal:
            self._shares[principal.tenant, share_id] = (share, expires_at)

    def forget(self, principal: Principal, share_id: str) -> None:
        self._shares.pop((principal.tenant, share_id), None)

    def find(self, tenant: str, share_id: str) -> Share | None:
        share, expires_at = self._shares.get((tenant, share_id), (None, 0))
        return share if expires_at > self._clock() else None
