"""What administrators read of their tenant: use and its cost, ratings and failures, and never a text but a comment."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from cicada.conversation.model import (
    AnswerFeedback,
    AnswerRecord,
    NewRequest,
    Question,
    RequestKey,
    Status,
    TokensUsed,
)
from cicada.conversation.protocol import FRAME_LIMIT_BYTES, DayOfFailures, DayOfRatings, UseRead, frame
from cicada.conversation.tenant_reports import TenantReports, TokenPrices
from cicada.errors import UnavailableError
from cicada.identity import Principal
from tests.fakes.clock import Clock
from tests.fakes.request_log import InMemoryRequestLog
from tests.fakes.token_counter import InMemoryTokenCounter

NOW = 1_795_262_400.0  # 2026-11-21 12:00 UTC
DAY = 24 * 3600.0
PRICES = TokenPrices(2.0, 10.0, "2026-11-01")
SECRET = "the merger"


@dataclass
class Books:
    """The log and the counter that the reports are made from."""

    log: InMemoryRequestLog = field(default_factory=lambda: InMemoryRequestLog(Clock(NOW)))
    tokens: InMemoryTokenCounter = field(default_factory=InMemoryTokenCounter)
    prices: TokenPrices | None = PRICES
    limit: int = 100

    @property
    def reports(self) -> TenantReports:
        return TenantReports(self.tokens, self.log, Clock(NOW), self.limit, self.prices)

    def ask(self, name: str, ago: float = 0, tenant: str = "acme") -> RequestKey:
        key = RequestKey(Principal(tenant, "ann-1"), name)
        self.log.create(NewRequest(key, Question(SECRET, name, "store"), "c", NOW - ago, NOW + DAY), "{}")
        return key

    def rate(self, name: str, rating: str = "bad", comment: str = "", **asked: object) -> None:
        said = AnswerFeedback(rating, NOW, ("wrong",), comment)  # type: ignore[arg-type]
        self.log.rate(self.ask(name, **asked), said)  # type: ignore[arg-type]

    def fail(self, name: str, code: str, **asked: object) -> None:
        lease = self.log.take_lease(self.ask(name, **asked), NOW, NOW + 15)  # type: ignore[arg-type]
        assert lease
        self.log.advance(lease, 2, NOW + 15, Status.FAILED, AnswerRecord(code=code))


@pytest.fixture
def books() -> Books:
    return Books()


def test_the_use_of_the_tenant_is_read_by_day_with_its_cost(books: Books) -> None:
    books.tokens.add("acme", "2026-11-21", TokensUsed(100_000, 5_000), NOW)
    books.tokens.add("acme", "2026-11-19", TokensUsed(1, 0), NOW)
    books.tokens.add("beta", "2026-11-20", TokensUsed(9, 9), NOW)
    read = books.reports.use("acme", 3)
    assert [(each.day, each.tokens, each.dollars) for each in read.days] == [
        ("2026-11-21", 105_000, 0.25),
        ("2026-11-20", 0, None),
        ("2026-11-19", 1, 0.0),
    ]
    assert (read.limit, read.prices_of) == (100, "2026-11-01")


def test_without_prices_there_is_no_cost_and_without_a_limit_nothing(books: Books) -> None:
    books.tokens.add("acme", "2026-11-21", TokensUsed(7, 1), NOW)
    books.prices = None
    [today] = books.reports.use("acme", 1).days
    assert (today.tokens, today.dollars) == (8, None)
    books.limit = 0
    assert books.reports.use("acme", 1) == UseRead((), None)


def test_ratings_of_the_own_tenant_are_counted_by_the_day_of_the_question(books: Books) -> None:
    books.rate("r-1", "good")
    books.rate("r-2", "bad", "No.", ago=60)
    books.rate("r-3", "bad", ago=DAY)
    books.rate("r-4", "bad", tenant="beta")
    books.rate("r-5", "bad", ago=7 * DAY)
    books.ask("r-6")
    read = books.reports.ratings("acme", 7)
    assert read.days == (DayOfRatings("2026-11-21", 1, 1), DayOfRatings("2026-11-20", 0, 1))
    assert [each.request_id for each in read.latest] == ["r-1", "r-2", "r-3"]
    second = read.latest[1]
    assert (second.knowledge_base, second.rating, second.reasons, second.comment) == ("store", "bad", ("wrong",), "No.")
    assert second.asked_at == "2026-11-21T11:59:00.000+00:00"


def test_failures_of_the_own_tenant_are_counted_by_day_and_code(books: Books) -> None:
    for name, code in (("f-1", "internal"), ("f-2", "dependency_unavailable"), ("f-3", "internal")):
        books.fail(name, code)
    books.fail("f-4", "internal", tenant="beta")
    books.fail("f-5", "internal", ago=DAY)
    read = books.reports.failures("acme", 2)
    assert read.days == (
        DayOfFailures("2026-11-21", "dependency_unavailable", 1),
        DayOfFailures("2026-11-21", "internal", 2),
        DayOfFailures("2026-11-20", "internal", 1),
    )
    assert [(each.request_id, each.code) for each in read.latest][-1] == ("f-5", "internal")


def test_no_report_says_whose_a_request_is_or_what_was_asked(books: Books) -> None:
    books.rate("r-1", comment="No.")
    books.fail("f-1", "internal")
    said = frame(books.reports.ratings("acme", 7)) + frame(books.reports.failures("acme", 7))
    assert "r-1" in said and "f-1" in said
    assert SECRET not in said and "ann-1" not in said


def test_a_frame_holds_the_latest_whatever_was_commented(books: Books) -> None:
    for number in range(30):
        books.rate(f"r-{number}", comment="\x01" * 500, ago=number)
    read = books.reports.ratings("acme", 7)
    assert len(frame(read).encode()) < FRAME_LIMIT_BYTES
    assert read.latest[0].request_id == "r-0" and read.days[0].bad == 30


def test_numbers_of_the_latest_alone_are_said_to_be_that(books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cicada.conversation.tenant_reports._MOST", 2)
    for number in range(3):
        books.fail(f"f-{number}", "internal")
        assert books.reports.failures("acme", 7).complete is (number < 2)
    assert books.reports.failures("acme", 7).days == (DayOfFailures("2026-11-21", "internal", 2),)


def test_a_read_that_fails_is_no_empty_report(books: Books, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise UnavailableError("DynamoDB could not be reached; try again.")

    for name in ("rated", "failed"):
        monkeypatch.setattr(books.log, name, fails)
    for report in (books.reports.ratings, books.reports.failures):
        with pytest.raises(UnavailableError):
            report("acme", 7)
