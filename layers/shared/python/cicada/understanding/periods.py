"""Single periods as people write them: "March 2024", "last quarter", "the past 90 days", "two years ago"."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Sequence
from datetime import MAXYEAR, MINYEAR, date, timedelta
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from cicada.understanding.words import Token, word_set


class Unit(StrEnum):
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


_MONTHS = {Unit.MONTH: 1, Unit.QUARTER: 3, Unit.YEAR: 12}


_DAYS_OF_A_YEAR = 365


class DateRange(Struct, frozen=True):
    """Days from `least`, included, to `below`, not included; None is no bound."""

    least: date | None = None
    below: date | None = None

    @property
    def is_part_of_a_year(self) -> bool:
        return self.least is not None and self.below is not None and (self.below - self.least).days < _DAYS_OF_A_YEAR

    @property
    def is_of_a_month(self) -> bool:
        return self.least is not None and self.below == shifted(self.least, Unit.MONTH, 1) and self.least.day == 1

    @property
    def is_of_whole_years(self) -> bool:
        return all((end.month, end.day) == (1, 1) for end in (self.least, self.below) if end)


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


MONTHS = {
    name: number
    for number, names in enumerate(
        (
            ("january", "jan"),
            ("february", "feb"),
            ("march", "mar"),
            ("april", "apr"),
            ("may",),
            ("june", "jun"),
            ("july", "jul"),
            ("august", "aug"),
            ("september", "sep", "sept"),
            ("october", "oct"),
            ("november", "nov"),
            ("december", "dec"),
        ),
        start=1,
    )
    for name in names
}
# What stands before an amount, and not before a year.
_COMPARING = frozenset({"over", "above", "under", "below"})
_COMPARING_IN_TWO = {(more, "than") for more in ("more", "less", "fewer", "higher", "lower", "greater")}
# Of the north, by whole months.
_MARCH, _DECEMBER = 3, 12
_SEASONS = {"spring": _MARCH, "summer": 6, "autumn": 9, "fall": 9, "winter": _DECEMBER}
_CENTURY = 100
_DECADE = re.compile(r"(1\d{2}0|20\d0|[2-9]0)s")
_OF_MEASURES = word_set("m km cm mm kg g mg l ml eur usd gbp euro euros dollars pounds metres meters hours minutes")
# Words that are months only beside a year, a day or a preposition.
_DOUBTFUL_MONTHS = frozenset({"may", "march", "mar", "jan", "sep", "dec"})
_BEFORE_A_MONTH = word_set("in since before after until till from of by during to and between through mid early late")
_NUMBERS = {
    word: number
    for number, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"],
        start=1,
    )
} | {"a": 1, "an": 1, "couple": 2, "fifteen": 15, "eighteen": 18, "twenty": 20, "thirty": 30, "sixty": 60, "ninety": 90}
_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": -1}
_UNITS = {
    **{name: unit for unit in Unit for name in (unit.value, f"{unit.value}s")},
    "d": Unit.DAY,
    "wk": Unit.WEEK,
    "wks": Unit.WEEK,
    "mo": Unit.MONTH,
    "mos": Unit.MONTH,
    "yr": Unit.YEAR,
    "yrs": Unit.YEAR,
}
_BEFORE_A_DOUBTFUL_MONTH = frozenset({"this", "last", "next"})
_OFFSETS = {
    **dict.fromkeys(("this", "current", "present"), 0),
    **dict.fromkeys(("last", "previous", "prior", "past", "preceding"), -1),
    **dict.fromkeys(("next", "coming", "upcoming", "following"), 1),
}
_DAYS = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}
_TIMES_OF_DAY = frozenset({"morning", "afternoon", "evening", "night"})
WEEKDAYS = {
    name: number
    for number, names in enumerate(
        (
            ("monday", "mon"),
            ("tuesday", "tue", "tues"),
            ("wednesday", "wed"),
            ("thursday", "thu", "thur", "thurs"),
            ("friday", "fri"),
            ("saturday", "sat"),
            ("sunday", "sun"),
        )
    )
    for name in (*names, f"{names[0]}s")
}
# Words that are days of the week only beside a preposition or a date.
_DOUBTFUL_DAYS = frozenset({"sat", "sun", "wed", "mon", "tue", "thu", "fri"})
_BEFORE_A_DAY = word_set("on by until till from since for before after this last next")
_ORDINAL = re.compile(r"\d{1,2}(st|nd|rd|th)")
_BEFORE_AN_ORDINAL = frozenset({"the", "on", "for", "by", "and", "to", "until", "till", "through", "or"})
_MONTHS_NEAR = range(-2, 3)
# What may stand behind "the 18th" where that is a day, and no "18th floor".
_AFTER_A_DAY = word_set(
    "to and or until till through of for in at with is was are were not but please where who what when how which then"
)
_ROLLING_PREPOSITIONS = frozenset({"in", "within", "over", "during", "for"})


def may_be_dated(word: str) -> bool:
    """Whether the word can be a part of a period; a message without such a word has none."""
    known = any(word in each for each in (MONTHS, _SEASONS, _UNITS, _DAYS, WEEKDAYS, _TIMES_OF_DAY))
    return known or word in {"now", "half", "weekend"} or any(map(str.isdigit, word))


class Period(Struct, frozen=True):
    """A period that ends before token `end`. `rolling`: it is counted from now, such as "the last 90 days".

    `yearless`: the message names no year. `upcoming`: the next such period, where `days` is the latest that has begun
    and the message does not say which of them it means: "in June", "on Friday", "on the 18th". `monthless`: it is a
    day of a month that is not named.
    """

    end: int
    days: DateRange
    rolling: bool = False
    yearless: bool = False
    upcoming: DateRange | None = None
    monthless: bool = False

    @property
    def either(self) -> list[Period]:
        """The period with the latest of its days, and with the next where they may be meant."""
        return [self, replace(self, days=self.upcoming)] if self.upcoming else [self]

    @property
    def is_of_a_day(self) -> bool:
        return self.days.least is not None and self.days.below == shifted(self.days.least, Unit.DAY, 1)


class PeriodReader(Struct, frozen=True):
    """Reads periods among the tokens of one message. `now` is a day in the user's time zone."""

    tokens: Sequence[Token]
    now: date

    def word(self, at: int) -> str:
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def period(self, at: int) -> Period | None:
        """The longest period that begins at this token."""
        at += self.word(at) == "the"
        readers: tuple[Callable[[int], Period | None], ...] = (
            self._written_date,
            self._quarter,
            self._half,
            self._edge,
            self._relative,
            self._rolling,
            self._ago,
            self._month,
            self._season,
            self._year,
            self._day,
            self._weekday,
            self._weekend,
            self._ordinal,
        )
        found = [period for reader in readers if (period := reader(at))]
        return max(found, key=lambda period: period.end, default=None)

    def number(self, at: int) -> tuple[int, int] | None:
        """A count and the position after it."""
        word = self.word(at)
        if word.isascii() and word.isdigit() and len(word) < 5:
            return int(word), at + 1
        if word in {"a", "the"} and self.word(at + 1) == "couple":
            return 2, at + 2 + (self.word(at + 2) == "of")
        if word in _NUMBERS:
            return _NUMBERS[word], at + 1 + (word == "couple" and self.word(at + 1) == "of")
        return None

    def duration(self, at: int) -> tuple[Unit, int, int] | None:
        """Unit, how many, and the position after "two years", "90 days", "half a year"."""
        if self.word(at) == "half" and self.word(at + 1) in {"a", "year"}:
            end = at + 3 if self.word(at + 1) == "a" else at + 2
            return (Unit.MONTH, 6, end) if self.word(end - 1) == "year" else None
        counted = self.number(at)
        if counted is None:
            return None
        count, after = counted
        after += self.word(after) in {"full", "calendar"}
        unit = _UNITS.get(self.word(after))
        return (unit, count, after + 1) if unit else None

    def _written_date(self, at: int) -> Period | None:
        word = self.word(at)
        for reader in (_iso, _dotted):
            days = reader(word)
            if days:
                return Period(at + 1, days)
        return self._day_of_month(at)

    def _day_of_month(self, at: int) -> Period | None:
        """1 May 2025, 1st of May, May 1st 2025; without a year, the latest such day that is not in the future."""
        day = _day_number(self.word(at))
        if day:
            month_at = at + 1 + (self.word(at + 1) in {"of", "."})
            year_at = month_at + 1
        else:
            month_at, year_at = at, at + 2
            day = _day_number(self.word(at + 1)) or 0
        month = MONTHS.get(self.word(month_at))
        if not month or not day:
            return None
        year_at += self.word(year_at) in {",", "."} and _year(self.word(year_at + 1)) is not None
        year = _year(self.word(year_at))
        found = _valid(year or self._latest_year(month, day), month, day)
        if found is None:
            return None
        days = unit_range(found, Unit.DAY)
        upcoming = None if year else self._upcoming(days, Unit.YEAR)
        return Period(year_at + (year is not None), days, yearless=year is None, upcoming=upcoming)

    def _upcoming(self, days: DateRange, unit: Unit) -> DateRange | None:
        """The next such days, where these are over; None where they are not."""
        if days.least is None or days.below is None or days.below > self.now:
            return None
        return DateRange(shifted(days.least, unit, 1), shifted(days.below, unit, 1))

    def _latest_year(self, month: int, day: int = 1) -> int:
        return self.now.year if (month, day) <= (self.now.month, self.now.day) else self.now.year - 1

    def _quarter(self, at: int) -> Period | None:
        return self._part(at, "q", 4)

    def _half(self, at: int) -> Period | None:
        return self._part(at, "h", 2)

    def _part(self, at: int, letter: str, parts: int) -> Period | None:
        """Q3 2024, third quarter of last year, 2024 Q3, H1 2024, the first half of 2024; alone, of the current year."""
        year = _year(self.word(at))
        at += year is not None
        number = self._part_number(at, letter, "quarter" if letter == "q" else "half", parts)
        if number is None:
            return None
        which, end = number
        start_of_year = date(year or self.now.year, 1, 1)
        if year is None:
            after = end + (self.word(end) in {"of", "in", "/", ","})
            of = self._year(after) or self._relative(after) or (self._month(after) if parts == 2 else None)
            if of and of.days.is_of_a_month:
                return _half_of(of, which)
            if of and of.days.least and of.days.least == unit_start(of.days.least, Unit.YEAR):
                start_of_year, end = of.days.least, of.end
        months = 12 // parts
        start = shifted(start_of_year, Unit.MONTH, (which - 1) * months)
        return Period(end, DateRange(start, shifted(start, Unit.MONTH, months)))

    def _part_number(self, at: int, letter: str, name: str, parts: int) -> tuple[int, int] | None:
        word = self.word(at)
        if len(word) == 2 and word[0] == letter and word[1] in "1234"[:parts]:
            return int(word[1]), at + 1
        if word in _ORDINALS and self.word(at + 1) == name:
            which = _ORDINALS[word] if _ORDINALS[word] > 0 else parts
            needs_of = _ORDINALS[word] > 0 or self.word(at + 2) == "of"
            return (which, at + 2) if needs_of and which <= parts else None
        if word == name and self.word(at + 1) in "1234"[:parts] and self.word(at + 1):
            return int(self.word(at + 1)), at + 2
        return None

    def _edge(self, at: int) -> Period | None:
        """The beginning or the end of a period: its first or its last day."""
        if self.word(at) not in {"start", "beginning", "end"} or self.word(at + 1) != "of":
            return None
        of = self.period(at + 2) or self._present(at + 2)
        if of is None or of.days.least is None or of.days.below is None:
            return None
        if self.word(at) == "end":
            return Period(of.end, DateRange(of.days.below - timedelta(days=1), of.days.below))
        return Period(of.end, DateRange(of.days.least, of.days.least + timedelta(days=1)))

    def _present(self, at: int) -> Period | None:
        """The year, the month: the present one."""
        at += self.word(at) == "the"
        unit = _UNITS.get(self.word(at))
        return Period(at + 1, unit_range(self.now, unit)) if unit else None

    def _relative(self, at: int) -> Period | None:
        """Reads this year, last month, last March; with "in the", "last year" is the 12 months up to now."""
        offset = _OFFSETS.get(self.word(at))
        if offset is None:
            return None
        after = at + 1 + (self.word(at + 1) in {"calendar", "fiscal"})
        unit = _UNITS.get(self.word(after))
        if self.word(after) in _TIMES_OF_DAY:
            return Period(after + 1, unit_range(self.now, Unit.DAY, min(offset, 0))) if offset <= 0 else None
        month = MONTHS.get(self.word(after))
        if month and (self.word(after) not in _DOUBTFUL_MONTHS or self.word(at) in _BEFORE_A_DOUBTFUL_MONTH):
            return self._relative_month(after, month, offset)
        if unit is None or self.word(after).endswith("s"):
            return None
        if offset and self.word(at - 1) == "the" and self.word(at - 2) in _ROLLING_PREPOSITIONS:
            return Period(after + 1, self._counted(unit, offset), rolling=True)
        return Period(after + 1, unit_range(self.now, unit, offset))

    def _relative_month(self, at: int, month: int, offset: int) -> Period:
        return Period(at + 1, unit_range(date(self._relative_year(month, offset), month, 1), Unit.MONTH))

    def _relative_year(self, month: int, offset: int) -> int:
        """The year of the month: of last March the last one that is over, of next March the next to begin."""
        if offset < 0 and month >= self.now.month:
            return self.now.year - 1
        return self.now.year + 1 if offset > 0 and month <= self.now.month else self.now.year

    def _rolling(self, at: int) -> Period | None:
        """The last 90 days, the next two years."""
        offset = _OFFSETS.get(self.word(at))
        counted = self.duration(at + 1) if offset else None
        if not offset or counted is None:
            return None
        unit, count, end = counted
        return Period(end, self._counted(unit, offset * count), rolling=True)

    def _counted(self, unit: Unit, count: int) -> DateRange:
        """The days from that day on, or from today to that day, which is included."""
        other = shifted(self.now, unit, count)
        return DateRange(least=other) if count < 0 else DateRange(self.now, shifted(other, Unit.DAY, 1))

    def _ago(self, at: int) -> Period | None:
        """Two years ago: that year. For "more than two years ago" see `DateGrammar`."""
        counted = self.duration(at)
        if counted is None or self.word(counted[2]) != "ago":
            return None
        unit, count, end = counted
        return Period(end + 1, unit_range(self.now, unit, -count))

    def _month(self, at: int) -> Period | None:
        """March 2024, March; "may" and the like only where they cannot be another word."""
        at += 2 * (self.word(at) == "month" and self.word(at + 1) == "of")
        month = MONTHS.get(self.word(at))
        if month is None:
            return None
        of = at + 1 + (self.word(at + 1) in {"of", ",", "/"})
        year = _year(self.word(of))
        if year is not None:
            return Period(of + 1, unit_range(date(year, month, 1), Unit.MONTH))
        relative = self._relative(of)
        if relative and relative.days.least and self.word(relative.end - 1) == "year":
            return Period(relative.end, unit_range(date(relative.days.least.year, month, 1), Unit.MONTH))
        if self.word(at) in _DOUBTFUL_MONTHS and self.word(at - 1) not in _BEFORE_A_MONTH:
            return None
        days = unit_range(date(self._latest_year(month), month, 1), Unit.MONTH)
        return Period(at + 1, days, yearless=True, upcoming=self._upcoming(days, Unit.YEAR))

    def _season(self, at: int) -> Period | None:
        """Autumn 2026, last summer, in spring: three whole months, the winter's from December on."""
        offset = _OFFSETS.get(self.word(at))
        named = at + (offset is not None)
        month = _SEASONS.get(self.word(named))
        if month is None:
            return None
        of = named + 1 + (self.word(named + 1) == "of")
        year = _year(self.word(of))
        if year is not None:
            return Period(of + 1, _three_months(year, month))
        if offset is not None:
            has_begun_last_year = month == _DECEMBER and self.now.month < _MARCH and offset <= 0
            return Period(named + 1, _three_months(self._relative_year(month, offset) - has_begun_last_year, month))
        if self.word(at - 1) not in _BEFORE_A_MONTH:
            return None
        days = _three_months(self._latest_year(month), month)
        return Period(at + 1, days, yearless=True, upcoming=self._upcoming(days, Unit.YEAR))

    def _year(self, at: int) -> Period | None:
        at += self.word(at) in {"calendar", "fiscal"}
        at += self.word(at) == "year"
        year = _year(self.word(at))
        if self._is_compared(at):
            return None  # "Over 2000" is an amount.
        if year is not None and self.word(at + 1) not in _OF_MEASURES:  # "2000 m or more" is no year.
            return Period(at + 1, unit_range(date(year, 1, 1), Unit.YEAR))
        if decade := _DECADE.fullmatch(self.word(at)):
            first = int(decade[1])
            if first < _CENTURY:  # "The 80s" are the last that have begun.
                if self.word(at - 1) != "the":
                    return None
                first += (self.now.year - first) // _CENTURY * _CENTURY
            return Period(at + 1, DateRange(date(first, 1, 1), date(first + 10, 1, 1)))
        return None

    def _is_compared(self, at: int) -> bool:
        before = self.word(at - 2), self.word(at - 1)
        return before[1] in _COMPARING or before in _COMPARING_IN_TWO

    def _day(self, at: int) -> Period | None:
        if self.word(at) == "now" and self.word(at - 1) in {"until", "till", "before", "to", "by"}:
            return Period(at + 1, unit_range(self.now, Unit.DAY))
        if self.word(at) == "new" and self.word(at + 1) == "year" and self.word(at - 1) != "a":
            return Period(at + 2, unit_range(date(self.now.year + 1, 1, 1), Unit.DAY))
        if self.word(at) == "day" and self.word(at + 1) in {"after", "before"}:
            edge = {"after": "tomorrow", "before": "yesterday"}[self.word(at + 1)]
            if self.word(at + 2) == edge:
                return Period(at + 3, unit_range(self.now, Unit.DAY, 2 * _DAYS[edge]))
        offset = _DAYS.get(self.word(at))
        if offset is None:
            return None
        return Period(at + 1 + (self.word(at + 1) in _TIMES_OF_DAY), unit_range(self.now, Unit.DAY, offset))

    def _weekday(self, at: int) -> Period | None:
        """Friday, next Friday, Friday the 29th, Friday 29 May; alone, the latest one, or the next."""
        offset = _OFFSETS.get(self.word(at))
        on = at + (offset is not None)
        day = WEEKDAYS.get(self.word(on))
        if day is None:
            return None
        dated_at = on + 1 + (self.word(on + 1) in {",", "the"})
        if dated := self._written_date(dated_at) or self._ordinal(dated_at, day):
            return dated
        end = on + 1 + (self.word(on + 1) in _TIMES_OF_DAY)
        if self.word(on) in _DOUBTFUL_DAYS and self.word(at - 1) not in _BEFORE_A_DAY and offset is None:
            return None
        if offset is not None:
            week = unit_start(self.now, Unit.WEEK)
            wanted = shifted(week, Unit.DAY, day + 7 * offset)
            if offset < 0:  # "Last Friday" may be of this week.
                wanted = shifted(self.now, Unit.DAY, -((self.now.weekday() - day - 1) % 7 + 1))
            return Period(end, unit_range(wanted, Unit.DAY))
        latest = unit_range(shifted(self.now, Unit.DAY, -((self.now.weekday() - day) % 7)), Unit.DAY)
        return Period(end, latest, upcoming=self._upcoming(latest, Unit.WEEK))

    def _weekend(self, at: int) -> Period | None:
        """Saturday and Sunday of this, the next or the last weekend; "the weekend" is the latest or the next."""
        offset = _OFFSETS.get(self.word(at))
        on = at + (offset is not None)
        if self.word(on) != "weekend":
            return None
        saturday = shifted(unit_start(self.now, Unit.WEEK), Unit.DAY, 5 + 7 * (offset or 0))
        if offset is None and saturday > self.now:
            saturday = shifted(saturday, Unit.WEEK, -1)
        days = DateRange(saturday, shifted(saturday, Unit.DAY, 2))
        return Period(on + 1, days, upcoming=self._upcoming(days, Unit.WEEK) if offset is None else None)

    def bare_day(self, at: int) -> Period | None:
        """A day of a month that is named later: the 20 of "between 20 and 30 April"."""
        day = _day_number(self.word(at))
        found = _valid(self.now.year, self.now.month, day) if day else None
        return Period(at + 1, unit_range(found, Unit.DAY), monthless=True) if found else None

    def _ordinal(self, at: int, weekday: int | None = None) -> Period | None:
        """The 18th: of this month, or the month before or after. `weekday`: that was said before it."""
        if not _ORDINAL.fullmatch(self.word(at)):
            return None
        after = self.word(at + 1)
        is_day = self.word(at - 1) in _BEFORE_AN_ORDINAL and not (after.isalpha() and after not in _AFTER_A_DAY)
        day = _day_number(self.word(at))
        if day is None or (weekday is None and not is_day):
            return None
        month = unit_start(self.now, Unit.MONTH)
        months = (shifted(month, Unit.MONTH, offset) for offset in _MONTHS_NEAR)
        found = [each for near in months if (each := _valid(near.year, near.month, day))]
        found = [each for each in found if weekday in (None, each.weekday())] or found
        past, ahead = [each for each in found if each <= self.now], [each for each in found if each > self.now]
        nearest, *other = [unit_range(each, Unit.DAY) for each in (*past[-1:], *ahead[:1])]
        is_today = nearest.least == self.now
        return Period(at + 1, nearest, upcoming=None if is_today else next(iter(other), None), monthless=True)


def _three_months(year: int, month: int) -> DateRange:
    first = date(year, month, 1)
    return DateRange(first, shifted(first, Unit.MONTH, 3))


def _half_of(month: Period, which: int) -> Period:
    """The first or the second half of a month."""

    def half(days: DateRange | None) -> DateRange | None:
        if days is None or days.least is None:
            return None
        middle = shifted(days.least, Unit.DAY, 15)
        return DateRange(days.least, middle) if which == 1 else DateRange(middle, days.below)

    return replace(month, days=half(month.days) or month.days, upcoming=half(month.upcoming))


def _year(word: str) -> int | None:
    return int(word) if len(word) == 4 and word.isascii() and word.isdigit() and "1950" <= word <= "2099" else None


def _day_number(word: str) -> int | None:
    for ending in ("st", "nd", "rd", "th"):
        word = word.removesuffix(ending)
    return int(word) if word.isascii() and word.isdigit() and 1 <= int(word) <= 31 else None


def _valid(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _iso(word: str) -> DateRange | None:
    parts = word.split("-")
    if len(parts) not in {2, 3} or not all(part.isascii() and part.isdigit() for part in parts) or len(parts[0]) != 4:
        return None
    found = _valid(int(parts[0]), int(parts[1]), int(parts[2]) if len(parts) == 3 else 1)
    return unit_range(found, Unit.DAY if len(parts) == 3 else Unit.MONTH) if found else None


def _dotted(word: str) -> DateRange | None:
    """31.12.2024 and 31/12/2024, the day first unless only the month can be."""
    parts = word.replace("/", ".").split(".")
    if len(parts) != 3 or not all(part.isascii() and part.isdigit() for part in parts):
        return None
    first, second, year = (int(part) for part in parts)
    found = _valid(year, second, first) or _valid(year, first, second)
    return unit_range(found, Unit.DAY) if found else None
