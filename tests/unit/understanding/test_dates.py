"""What periods mean, seen from Wednesday 20 May 2026."""

from __future__ import annotations

from datetime import date

import pytest

from cicada.understanding.dates import date_phrases
from cicada.understanding.periods import DateRange
from cicada.understanding.words import tokens_of

NOW = date(2026, 5, 20)


def as_text(days: DateRange) -> tuple[str | None, str | None]:
    return (
        days.least.isoformat() if days.least else None,
        days.below.isoformat() if days.below else None,
    )


def stated(text: str) -> list[tuple[str | None, str | None]]:
    return [as_text(phrase.days) for phrase in date_phrases(tokens_of(text), NOW)]


@pytest.mark.parametrize(
    ("text", "least", "below"),
    [
        ("this year", "2026-01-01", "2027-01-01"),
        ("last year", "2025-01-01", "2026-01-01"),
        ("next quarter", "2026-07-01", "2026-10-01"),
        ("this week", "2026-05-18", "2026-05-25"),
        ("last month", "2026-04-01", "2026-05-01"),
        ("in 2024", "2024-01-01", "2025-01-01"),
        ("yesterday", "2026-05-19", "2026-05-20"),
        ("Q3 2024", "2024-07-01", "2024-10-01"),
        ("the second quarter of last year", "2025-04-01", "2025-07-01"),
        ("first half of 2024", "2024-01-01", "2024-07-01"),
        ("in March", "2026-03-01", "2026-04-01"),
        ("in November", "2025-11-01", "2025-12-01"),
        ("February 2024", "2024-02-01", "2024-03-01"),
        ("on 29 February 2024", "2024-02-29", "2024-03-01"),
        ("31.12.2024", "2024-12-31", "2025-01-01"),
        ("2024-05-01", "2024-05-01", "2024-05-02"),
        ("May 1st, 2025", "2025-05-01", "2025-05-02"),
        ("two years ago", "2024-01-01", "2025-01-01"),
        ("this morning", "2026-05-20", "2026-05-21"),
        ("on the 20th", "2026-05-20", "2026-05-21"),
        ("in the 80s", "1980-01-01", "1990-01-01"),
        ("in the 20s", "2020-01-01", "2030-01-01"),
        ("in the 1990s", "1990-01-01", "2000-01-01"),
        ("tomorrow evening", "2026-05-21", "2026-05-22"),
        ("the day after tomorrow", "2026-05-22", "2026-05-23"),
        ("next Tuesday", "2026-05-26", "2026-05-27"),
        ("last Monday", "2026-05-18", "2026-05-19"),
        ("this weekend", "2026-05-23", "2026-05-25"),
        ("Friday the 29th", "2026-05-29", "2026-05-30"),
        ("fri 29 May 2026", "2026-05-29", "2026-05-30"),
        ("between Monday and Thursday", "2026-05-18", "2026-05-22"),
        ("between March and June", "2026-03-01", "2026-07-01"),
        ("nächsten Freitag", "2026-05-29", "2026-05-30"),
        ("in autumn 2024", "2024-09-01", "2024-12-01"),
        ("in the fall of 2024", "2024-09-01", "2024-12-01"),
        ("winter 2024", "2024-12-01", "2025-03-01"),
        ("last summer", "2025-06-01", "2025-09-01"),
        ("next spring", "2027-03-01", "2027-06-01"),
        ("between spring and autumn 2024", "2024-03-01", "2024-12-01"),
    ],
)
def test_a_period_is_half_open(text: str, least: str, below: str) -> None:
    assert stated(text) == [(least, below)]


@pytest.mark.parametrize(
    ("text", "least", "below"),
    [
        ("since 2024", "2024-01-01", None),
        ("after 2024", "2025-01-01", None),
        ("after 1 May 2025", "2025-05-02", None),
        ("before March 2023", None, "2023-03-01"),
        ("overdue", None, "2026-05-20"),
        ("has already passed as of today", None, "2026-05-20"),
        ("has already gone by", None, "2026-05-20"),
        ("is already behind us", None, "2026-05-20"),
        ("is already over", None, "2026-05-20"),
        ("past their review date today", None, "2026-05-20"),
        ("from before 2025", None, "2025-01-01"),
        ("before the new year", None, "2027-01-01"),
        ("between today and new year", "2026-05-20", "2027-01-02"),
        ("past their deadline", None, "2026-05-20"),
        ("in the past", None, "2026-05-20"),
        ("in the past two months", "2026-03-20", None),
        ("until March 2023", None, "2023-04-01"),
        ("by the end of the year", None, "2027-01-01"),
        ("2021 or later", "2021-01-01", None),
        ("2021 or earlier", None, "2022-01-01"),
        ("from 2021 onwards", "2021-01-01", None),
        ("older than two years", None, "2024-05-20"),
        ("more than 18 months ago", None, "2024-11-20"),
        ("not older than 90 days", "2026-02-19", None),
        ("in the last 90 days", "2026-02-19", None),
        ("in the last year", "2025-05-20", None),
    ],
)
def test_an_open_range_has_one_bound(text: str, least: str | None, below: str | None) -> None:
    assert stated(text) == [(least, below)]


@pytest.mark.parametrize(
    ("text", "least", "below"),
    [
        ("from July to September 2024", "2024-07-01", "2024-10-01"),
        ("between November and February 2024", "2023-11-01", "2024-03-01"),
        ("from January 2023 to March 2024", "2023-01-01", "2024-04-01"),
        ("2022-2024", "2022-01-01", "2025-01-01"),
        ("in 2023 and 2024", "2023-01-01", "2025-01-01"),
        ("between 1 May and 3 June 2024", "2024-05-01", "2024-06-04"),
        ("from October to December 2024", "2024-10-01", "2025-01-01"),
        ("in the 1930s", "1930-01-01", "1940-01-01"),
        ("in the next 30 days", "2026-05-20", "2026-06-20"),
    ],
)
def test_both_ends_of_a_range_are_included(text: str, least: str, below: str) -> None:
    assert stated(text) == [(least, below)]


@pytest.mark.parametrize(
    "text",
    [
        "you may go",
        "ISO 9001",
        "march on",
        "31.02.2024",
        "0000-00-00",
        "a second time",
        "fall prevention",
        "over and behind",
        "the summer fair",
    ],
)
def test_words_that_only_look_like_dates_are_none(text: str) -> None:
    assert stated(text) == []


def test_a_length_of_time_is_marked_as_one() -> None:
    (phrase,) = date_phrases(tokens_of("within 30 days"), NOW)
    assert (phrase.duration, phrase.days.least, phrase.days.below) == (True, NOW, date(2026, 6, 20))


@pytest.mark.parametrize(
    ("text", "least", "below"),
    [
        ("Verträge seit März 2025", "2025-03-01", None),
        ("in den nächsten 30 Tagen", "2026-05-20", "2026-06-20"),
        ("am 1. März 2025", "2025-03-01", "2025-03-02"),
        ("zwischen März und Juni 2024", "2024-03-01", "2024-07-01"),
        ("le mois dernier", "2026-04-01", "2026-05-01"),
        ("les trois derniers mois", "2026-02-20", None),
        ("los contratos del año pasado", "2025-01-01", "2026-01-01"),
        ("antes de 2020", None, "2020-01-01"),
        ("nos próximos 30 dias", "2026-05-20", "2026-06-20"),
        ("prima del 2020", None, "2020-01-01"),
    ],
)
def test_dates_in_other_languages(text: str, least: str | None, below: str | None) -> None:
    assert stated(text) == [(least, below)]


def test_a_word_that_two_languages_share_makes_no_message_foreign() -> None:
    assert stated("do we mail in april?") == stated("in april")


def test_a_present_that_may_be_kept_is_no_month() -> None:
    assert stated("what a present may be worth") == []


@pytest.mark.parametrize(
    ("text", "latest", "upcoming"),
    [
        ("in June", ("2025-06-01", "2025-07-01"), ("2026-06-01", "2026-07-01")),
        ("on Friday", ("2026-05-15", "2026-05-16"), ("2026-05-22", "2026-05-23")),
        ("on the 28th", ("2026-04-28", "2026-04-29"), ("2026-05-28", "2026-05-29")),
        ("from the 25th to the 29th of May", ("2025-05-25", "2025-05-30"), ("2026-05-25", "2026-05-30")),
        ("the second half of June", ("2025-06-16", "2025-07-01"), ("2026-06-16", "2026-07-01")),
        ("before June", (None, "2025-06-01"), (None, "2026-06-01")),
        ("in summer", ("2025-06-01", "2025-09-01"), ("2026-06-01", "2026-09-01")),
        ("12 August", ("2025-08-12", "2025-08-13"), ("2026-08-12", "2026-08-13")),
    ],
)
def test_days_that_come_again_are_the_latest_or_the_next(
    text: str, latest: tuple[str | None, str], upcoming: tuple[str | None, str]
) -> None:
    [phrase] = date_phrases(tokens_of(text), NOW)
    assert phrase.upcoming is not None
    assert [as_text(phrase.days), as_text(phrase.upcoming)] == [latest, upcoming]


@pytest.mark.parametrize("text", ["this month", "in May", "on 28 April 2025", "since June", "last Friday"])
def test_other_days_are_no_two(text: str) -> None:
    assert [phrase.upcoming for phrase in date_phrases(tokens_of(text), NOW)] == [None]


@pytest.mark.parametrize(
    "text", ["the 2nd team", "who sat at table 3", "the 1st one", "they sat down", "the sun came out"]
)
def test_what_is_no_day_is_none(text: str) -> None:
    assert stated(text) == []


@pytest.mark.parametrize(
    ("text", "least", "below"),
    [("this winter", "2025-12-01", "2026-03-01"), ("last winter", "2024-12-01", "2025-03-01")],
)
def test_in_january_the_winter_has_begun_in_the_year_before(text: str, least: str, below: str) -> None:
    [phrase] = date_phrases(tokens_of(text), date(2026, 1, 10))
    assert as_text(phrase.days) == (least, below)
