"""The users' rows in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from cicada.conversation.limits import UsageLimits
from cicada.conversation.model import Charge, Charged, Usage
from cicada.conversation.ports import RequestLog, UsageTable
from cicada.identity import Principal


class InMemoryUsageTable:
    """Keeps everything for ever."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows: dict[Principal, Usage] = {}

    def get(self, principal: Principal) -> Usage:
        with self._lock:
            return self._rows.get(principal, Usage())

    def charge(self, principal: Principal, charge: Charge, expires_at: float) -> Charged:
        with self._lock:
            usage = self._rows.get(principal, Usage())
            return self._charge(principal, charge, usage, usage)

    def admit(
        self, principal: Principal, charge: Charge, before: Usage, admitted: Mapping[str, float], expires_at: float
    ) -> Charged:
        with self._lock:
            usage = self._rows.get(principal, Usage())
            if usage.version != before.version:
                return Charged(False, usage)
            after = replace(usage, version=usage.version + 1, admitted=dict(admitted))
            return self._charge(principal, charge, usage, after)

    def revoke(self, principal: Principal, before: float, expires_at: float) -> None:
        with self._lock:
            usage = self._rows.get(principal, Usage())
            self._rows[principal] = replace(usage, revoked_before=max(before, usage.revoked_before))

    def _charge(self, principal: Principal, charge: Charge, before: Usage, after: Usage) -> Charged:
        arrival = charge.paid_by(before)
        if arrival is None:
            return Charged(False, before)
        self._rows[principal] = replace(after, theoretical_arrival=arrival)
        return Charged(True, self._rows[principal])


def unlimited(log: RequestLog, clock: Callable[[], float]) -> UsageLimits:
    """Limits that no test reaches."""
    return UsageLimits(InMemoryUsageTable(), log, clock, 10**6, 10**6, 10**8)


class DisturbedUsageTable:
    """Does `between` once, ahead of the next admission; counts the calls."""

    def __init__(self, table: UsageTable) -> None:
        self._table = table
        self.between: Callable[[], object] | None = None
        self.charges = 0
        self.admissions = 0

    def get(self, principal: Principal) -> Usage:
        return self._table.get(principal)

    def charge(self, principal: Principal, charge: Charge, expires_at: float) -> Charged:
        self.charges += 1
        return self._table.charge(principal, charge, expires_at)

    def admit(
        self, principal: Principal, charge: Charge, before: Usage, admitted: Mapping[str, float], expires_at: float
    ) -> Charged:
        self.admissions += 1
        between, self.between = self.between, None
        if between:
            between()
        return self._table.admit(principal, charge, before, admitted, expires_at)

    def revoke(self, principal: Principal, before: float, expires_at: float) -> None:
        self._table.revoke(principal, before, expires_at)
