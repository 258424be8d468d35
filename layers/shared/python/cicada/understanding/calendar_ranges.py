"""Ranges of days and how the calendar's units are counted."""

from __future__ import annotations

import calendar
from datetime import MAXYEAR, MINYEAR, date, timedelta
from enum import StrEnum

from msgspec import Struct


class Unit(StrEnum):
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


_MONTHS = {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.YEAR: 12}


class DateRange(Struct, frozen=True):
    """Days from `least`, included, to `below`, not included; None is no bound."""

    least: date | None = None
    below: date | None = None


def shifted(day: date, unit: Unit, count: int) -> date:
    """The day that many units later, or earlier; the last day of a shorter month. Stays within the calendar."""
    if unit in _MONTHS:
        return _months_later(day, count * _MONTHS[unit])
    try:
        return day + timedelta(days=count * (7 if unit is Unit.WEEK else 1))
    except OverflowError:
        return date.max if count > 0 else date.min


def unit_start(day: date, unit: Unit) -> date:
    """The first day of the unit that the day is in. Weeks begin on Monday."""
    if unit is Unit.DAY:
        return day
    if unit is Unit.WEEK:
        return day - timedelta(days=day.weekday())
    months = _MONTHS[unit]
    return date(day.year, (day.month - 1) // months * months + 1, 1)


def unit_range(day: date, unit: Unit, offset: int = 0) -> DateRange:
    """The whole unit that the day is in, or one that many units later."""
    start = shifted(unit_start(day, unit), unit, offset)
    return DateRange(start, shifted(start, unit, 1))


def _months_later(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if year < MINYEAR:
        return date.min
    if year > MAXYEAR:
        return date.max
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))
