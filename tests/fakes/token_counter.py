"""The tokens of tenants in memory."""

from __future__ import annotations

from collections import Counter


class InMemoryTokenCounter:
    """Keeps every day for ever."""

    def __init__(self) -> None:
        self._used: Counter[tuple[str, str]] = Counter()

    def used(self, tenant: str, day: str) -> int:
        return self._used[tenant, day]

    def by_day(self, tenant: str, first: str) -> dict[str, int]:
        return {day: tokens for (of, day), tokens in self._used.items() if of == tenant and day >= first}

    def add(self, tenant: str, day: str, tokens: int, expires_at: float) -> None:
        self._used[tenant, day] += tokens
