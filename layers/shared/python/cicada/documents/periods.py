"""Days in groups of a year, a quarter, a month or a week: `Arrived@month` names the months of a field of dates."""

from __future__ import annotations

from datetime import date

PERIODS = ("year", "quarter", "month", "week")
_AT = "@"
_MONTHS_OF_A_QUARTER = 3


def by_period(field: str, period: str) -> str:
    """The name of the groups that the days of a field are in; `period` is one of `PERIODS`."""
    return f"{field}{_AT}{period}"


def period_of(group: str) -> tuple[str, str]:
    """The field and the period of such a name. The period is empty where the name is that of a field."""
    field, _, period = group.rpartition(_AT)
    return (field, period) if field and period in PERIODS else (group, "")


def in_period(day: str, period: str) -> str | None:
    """The period that a day is in, in order as text: 2026, 2026-Q1, 2026-03 or 2026-W11. None of what is no day."""
    try:
        found = date.fromisoformat(day)
    except ValueError:
        return None
    if period == "week":
        year, week, _ = found.isocalendar()
        return f"{year:04}-W{week:02}"
    if period == "quarter":
        return f"{found.year:04}-Q{(found.month - 1) // _MONTHS_OF_A_QUARTER + 1}"
    return day[: len("2026")] if period == "year" else day[: len("2026-03")]
