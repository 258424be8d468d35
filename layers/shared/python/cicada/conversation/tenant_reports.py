"""What administrators read of their tenant: the tokens of its days, ratings of its answers, and failed requests.

None of it has a text of a question, an answer or a document, and none says which user it is of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Protocol

from msgspec import Struct

from cicada.conversation.history import time_text
from cicada.conversation.model import DayOfTokens, FailedRequest, RatedRequest
from cicada.conversation.protocol import (
    DayOfFailures,
    DayOfRatings,
    DayOfUse,
    FailedAnswer,
    FailuresRead,
    RatedAnswer,
    RatingsRead,
    UseRead,
    that_fits,
)

# Requests that are counted.
_MOST = 1_000
# Requests that a reply names: fewer where comments are so long that a frame cannot hold them.
_NAMED = (20, 10, 5)
_MILLION = 1_000_000


class TokenUse(Protocol):
    """The tokens that tenants have used."""

    def by_day(self, tenant: str, first: str) -> Mapping[str, DayOfTokens]:
        """Tokens by day, from the day `first` on. Failures are `DependencyError`s."""
        ...


class NotedRequests(Protocol):
    """The requests of tenants that were rated or have failed, the latest first. Failures are `DependencyError`s.

    `since`: of those that were asked from then on, in epoch seconds, at most `most`; and whether these are all.
    """

    def rated(self, tenant: str, since: float, most: int) -> tuple[Sequence[RatedRequest], bool]: ...

    def failed(self, tenant: str, since: float, most: int) -> tuple[Sequence[FailedRequest], bool]: ...


class TokenPrices(Struct, frozen=True):
    """Dollars for a million tokens that are read and that are written, by the list prices of a `day`."""

    read: float
    written: float
    day: str

    def dollars(self, used: DayOfTokens) -> float | None:
        """An estimate in cents; None where it is not known how many tokens were read and how many written."""
        if used.parts is None:
            return None
        return round((used.parts.read * self.read + used.parts.written * self.written) / _MILLION, 2)


class TenantReports(Struct, frozen=True):
    """`clock` gives epoch seconds; days are those of UTC. `tokens_per_day`: 0 where tokens are not counted.

    `prices`: of the chat model, None where they are not known.
    """

    tokens: TokenUse
    noted: NotedRequests
    clock: Callable[[], float]
    tokens_per_day: int = 0
    prices: TokenPrices | None = None

    def use(self, tenant: str, days: int) -> UseRead:
        if not self.tokens_per_day:
            return UseRead((), None)
        names = [_name(self._day(ago)) for ago in range(days)]
        used = self.tokens.by_day(tenant, names[-1])
        found = ((name, used.get(name, DayOfTokens(0))) for name in names)
        shown = tuple(DayOfUse(name, day.total, self._dollars(day)) for name, day in found)
        return UseRead(shown, self.tokens_per_day, self.prices.day if self.prices else None)

    def ratings(self, tenant: str, days: int) -> RatingsRead:
        found, are_all = self.noted.rated(tenant, self._day(days - 1).timestamp(), _MOST)
        counted = Counter((_day_of(each), each.feedback.rating) for each in found)
        names = sorted({day for day, _ in counted}, reverse=True)
        by_day = tuple(DayOfRatings(name, counted[name, "good"], counted[name, "bad"]) for name in names)
        latest = [_rated(each) for each in found]
        return that_fits(lambda most: RatingsRead(by_day, tuple(latest[:most]), are_all), _NAMED)

    def failures(self, tenant: str, days: int) -> FailuresRead:
        found, are_all = self.noted.failed(tenant, self._day(days - 1).timestamp(), _MOST)
        counted = Counter((_day_of(each), each.code) for each in found)
        in_order = sorted(sorted(counted), key=lambda each: each[0], reverse=True)
        by_day = tuple(DayOfFailures(day, code, counted[day, code]) for day, code in in_order)
        latest = [
            FailedAnswer(each.request_id, time_text(each.asked_at), each.knowledge_base, each.code) for each in found
        ]
        return that_fits(lambda most: FailuresRead(by_day, tuple(latest[:most]), are_all), _NAMED)

    def _day(self, ago: int) -> datetime:
        """The midnight with which the day began."""
        now = datetime.fromtimestamp(self.clock(), UTC)
        return now.replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=ago)

    def _dollars(self, day: DayOfTokens) -> float | None:
        return self.prices.dollars(day) if self.prices and day.total else None


def _name(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"


def _day_of(request: RatedRequest | FailedRequest) -> str:
    return _name(datetime.fromtimestamp(request.asked_at, UTC))


def _rated(request: RatedRequest) -> RatedAnswer:
    said = request.feedback
    return RatedAnswer(
        request.request_id, time_text(request.asked_at), request.knowledge_base, said.rating, said.reasons, said.comment
    )
