"""The users' usage in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable

from msgspec.structs import replace

from cicada.conversation.model import Usage
from cicada.conversation.ports import UsageTable
from cicada.identity.principal import Principal


class InMemoryUsageTable:
    """Keeps everything for ever."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows: dict[Principal, Usage] = {}

    def get(self, principal: Principal) -> Usage:
        with self._lock:
            return self._rows.get(principal, Usage())

    def replace(self, principal: Principal, before: Usage, after: Usage, expires_at: float) -> bool:
        with self._lock:
            if self._rows.get(principal, Usage()).version != before.version:
                return False
            self._rows[principal] = replace(after, version=before.version + 1)
            return True


class DisturbedUsageTable:
    """Does `between` once, after the next read and ahead of what is made of it; counts the calls."""

    def __init__(self, table: UsageTable) -> None:
        self._table = table
        self.between: Callable[[], object] | None = None
        self.reads = 0
        self.writes = 0

    def get(self, principal: Principal) -> Usage:
        self.reads += 1
        usage = self._table.get(principal)
        between, self.between = self.between, None
        if between:
            between()
        return usage

    def replace(self, principal: Principal, before: Usage, after: Usage, expires_at: float) -> bool:
        self.writes += 1
        return self._table.replace(principal, before, after, expires_at)
