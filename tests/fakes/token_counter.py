"""The tokens of tenants in memory."""

from __future__ import annotations

from cicada.conversation.model import DayOfTokens, TokensUsed


class InMemoryTokenCounter:
    """Keeps every day for ever."""

    def __init__(self) -> None:
        self._used: dict[tuple[str, str], TokensUsed] = {}

    def used(self, tenant: str, day: str) -> int:
        return self._of(tenant, day).total

    def by_day(self, tenant: str, first: str) -> dict[str, DayOfTokens]:
        return {
            day: DayOfTokens(used.total, used)
            for (of, day), used in self._used.items()
            if of == tenant and day >= first
        }

    def add(self, tenant: str, day: str, tokens: TokensUsed, expires_at: float) -> None:
        before = self._of(tenant, day)
        self._used[tenant, day] = TokensUsed(before.read + tokens.read, before.written + tokens.written)

    def _of(self, tenant: str, day: str) -> TokensUsed:
        return self._used.get((tenant, day), TokensUsed(0, 0))
