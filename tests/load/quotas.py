"""What a number of users asks of each quota of an account, and which of the quotas binds first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from cli.operator.month import CHUNKS, NEXT_CHUNK, ONE_CHUNK, WAYS
from infra.concurrency import NEW_ACCOUNT, concurrency_budget
from tests.load.queue_model import predicted

SIZES = (10, 100, 1_000, 10_000, 100_000)
# The busiest hour: everybody asks once in ten minutes. An answer takes as long as `cicada cost` has it.
PAUSE_SECONDS, SERVICE_SECONDS = 600, 4
ACCOUNT = 1000
SEARCH_UNITS = 4
# API Gateway closes a connection after ten minutes without a frame; the next question opens another.
_CONNECTION_SECONDS = 600
SIZES_HEADER = [
    "users",
    "questions a second",
    "answers at once",
    "mean wait, new account",
    f"mean wait, account of {ACCOUNT:,}",
    f"searches a second for each of {SEARCH_UNITS} units",
    "nearest its quota",
]


@dataclass(frozen=True, slots=True)
class Quota:
    """`allowed`: the default that AWS publishes (docs/operations/limits.md); a new account may have less."""

    name: str
    used: float
    allowed: float

    def __str__(self) -> str:
        return f"{self.name}: {100 * self.used / self.allowed:,.3g} % of {self.allowed:,}"


def quotas(users: int, rate: float, answers: float, processors: int) -> Iterator[Quota]:
    """What `rate` questions a second by so many users ask for, `answers` of them at once."""
    writes, messages = (
        ONE_CHUNK[name] + (CHUNKS - 1) * NEXT_CHUNK[name] for name in ("dynamodb_write_unit", "api_gateway_message")
    )
    tokens = sum(way.share * (way.read + way.written) for way in WAYS.values() if way.model == "chat")
    yield Quota("answers in parallel", answers, processors)
    yield Quota("the chat model's tokens a minute", 60 * rate * tokens, 4_000_000)
    yield Quota("API Gateway's messages a second", rate * messages, 10_000)
    yield Quota("new connections a second", users / _CONNECTION_SECONDS, 500)
    yield Quota("writes to the requests table a second", rate * writes, 40_000)


def nearest(found: Iterator[Quota]) -> list[Quota]:
    """The one that binds first comes first."""
    return sorted(found, key=lambda each: each.used / each.allowed, reverse=True)


def size_rows() -> list[list[str]]:
    """A row for each number of users."""
    return [_row(users) for users in SIZES]


def _row(users: int) -> list[str]:
    """The quotas are held against what is asked for: one that binds would hide those behind it."""
    waits = [
        predicted(users, pause=PAUSE_SECONDS, service=SERVICE_SECONDS, processors=concurrency_budget(account).answers)
        for account in (NEW_ACCOUNT, ACCOUNT)
    ]
    rate = users / (PAUSE_SECONDS + SERVICE_SECONDS)
    answers = rate * SERVICE_SECONDS
    first, second, *_ = nearest(quotas(users, rate, answers, concurrency_budget(ACCOUNT).answers))
    searches = rate * WAYS["passages"].share / SEARCH_UNITS
    shown = [rounded(each) for each in (rate, answers)]
    return [
        f"{users:,}",
        *shown,
        *(seconds(each.wait) for each in waits),
        rounded(searches),
        f"{first}; {second}",
    ]


def rounded(value: float) -> str:
    """Two digits below a hundred."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}"


def seconds(value: float) -> str:
    """A time for people, with no more digits than it is worth."""
    if value < 600:
        return f"{value:.2f} s" if value < 10 else f"{value:,.0f} s"
    return f"{value / 60:,.0f} min"
