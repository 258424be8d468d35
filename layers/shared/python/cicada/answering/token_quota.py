"""How many tokens of models a tenant may use in a day."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from msgspec import Struct

from cicada.answering.ports import TokenCounter
from cicada.conversation.model import TokensUsed
from cicada.errors import CicadaError, DependencyError, TokenQuotaError
from cicada.observability.telemetry import ignore

# What a cancelled question counts, about what one by passages reads: a model says only at its end what it has used.
CANCELLED_TOKENS = TokensUsed(read=4_000, written=0)
# A day's row outlives it, for whoever looks at it later.
_KEPT = timedelta(days=7)


class TokenQuota(Struct, frozen=True):
    """`clock` gives epoch seconds. A day begins at midnight UTC.

    Tokens are counted when an answer has ended, so the answers under way when the quota is reached go beyond it.
    `report` is called with the failure to count, which is no failure of the answer.
    """

    counter: TokenCounter
    tokens_per_day: int
    clock: Callable[[], float]
    report: Callable[[CicadaError], object] = ignore

    def check(self, tenant: str) -> None:
        """Raise `TokenQuotaError` if the tenant has used its tokens of the day."""
        now = self._now()
        if self.counter.used(tenant, f"{now:%Y-%m-%d}") < self.tokens_per_day:
            return
        opens = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
        raise TokenQuotaError(
            f"Your organisation has used its {self.tokens_per_day:,} tokens of today; "
            f"questions are answered again from {opens:%Y-%m-%d %H:%M} UTC.",
            int((opens - now).total_seconds()) + 1,
        )

    def add(self, tenant: str, tokens: TokensUsed) -> None:
        """Count what an answer has used."""
        now = self._now()
        if not tokens.total:
            return
        try:
            self.counter.add(tenant, f"{now:%Y-%m-%d}", tokens, (now + _KEPT).timestamp())
        except DependencyError as error:
            self.report(error)

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self.clock(), UTC)
