"""Ranges of dates as people write them: "since 2024", "between March and June", "older than two years".

The grammar is of English; the words of other languages are read as the English ones.
"""

from __future__ import annotations

import calendar
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from itertools import product, zip_longest
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from cicada.understanding.periods import DateRange, Period, PeriodReader, Unit, may_be_dated, shifted
from cicada.understanding.words import Token, lexicon

_SINCE = ("since", "as of", "starting", "starting in", "starting from", "starting on", "beginning", "beginning in",
          "on or after", "from", "not before", "no earlier than", "not earlier than", "ever since",
          "at or after")  # fmt: skip
_AFTER = ("after", "after of", "later than", "newer than", "following", "past", "more recent than", "younger than",
          "beyond")  # fmt: skip
_BEFORE = ("before", "before of", "prior to", "earlier than", "older than", "preceding", "pre", "ahead of", "predating",
           "from before")  # fmt: skip
_UNTIL = ("until", "till", "til", "through", "thru", "up to", "up until", "up till", "no later than", "not later than",
          "on or before", "not after", "by", "at the latest by", "up to and including", "to")  # fmt: skip
_IN = ("in", "during", "within", "on", "over", "throughout", "for", "of", "dated", "at", "from", "in the course of")
_LONGER = ("more than", "over", "longer than", "greater than", "at least", "upwards of", "older than", "above")
_SHORTER = ("less than", "under", "fewer than", "at most", "not more than", "no more than", "within", "up to",
            "younger than", "newer than", "not older than", "no older than", "within the last", "below")  # fmt: skip
_ONWARD = ("onwards", "onward", "on", "forward", "or later", "and later", "or newer", "and newer", "or after",
           "and after", "and onwards", "and beyond", "or more recent", "and onward", "upwards")  # fmt: skip
_BACKWARD = ("or earlier", "or before", "and earlier", "and before", "or older", "and older", "and prior", "or prior")
# What is over by now, without a period: "overdue", "has already passed", "past its deadline".
_ELAPSED = ("overdue", "past due", "in the past", "already passed", "already past", "has passed", "have passed",
            "is past", "are past", "has already passed", "have already passed", "past its", "past their", "gone by",
            "already gone by", "has gone by", "have gone by", "has already gone by",
            "have already gone by", "behind us", "already behind us", "already over", "over already")  # fmt: skip
_BY_NOW = ("as of today", "as of now", "by now", "by today", "today", "now", "already")
_ELAPSED_WORDS = frozenset({"overdue", "past", "passed", "gone", "behind", "over"})
_BEGINS = frozenset({"effective", "valid", "force", "effect", "applicable", "starting", "beginning"})
_JOINED_BY = frozenset({"to", "until", "till", "through", "thru", "-", "and", "up"})
_JOINS = frozenset({"or", "and"})
_NUMBERS: Final = range(2, 13)
_UNITS = frozenset({"day", "week", "month", "quarter", "year"})
_OFFSETS = frozenset({"last", "next"})


class DatePhrase(Struct, frozen=True):
    """The tokens from `start` to `end` (not included) that state a range.

    `duration`: a length of time such as "within 90 days", which is a range only of something that is still to come:
    days from now on. `yearless`: the latest such month, because the message names no year. `upcoming`: the next such
    days, where the message does not say whether it means these or the latest. `when`: where the days are, as seen from
    now: past, now, ahead, since a day or until a day.
    """

    start: int
    end: int
    days: DateRange
    duration: bool = False
    yearless: bool = False
    upcoming: DateRange | None = None
    when: str = ""


# Words that may stand in a phrase before its first word that can be of a date: "at any time between the end of May".
_MOST_BEFORE_DATED = 8


# Words that may stand between "past" or "overdue" and "today": "past their review date today".
_MOST_BEFORE_NOW = 4


def date_phrases(tokens: Sequence[Token], now: date) -> list[DatePhrase]:
    """The ranges of dates that a message states, in order. `now` is a day in the user's time zone."""
    tokens = in_english(tokens)
    dated = [at for at, token in enumerate(tokens) if may_be_dated(token.text) or token.text in _ELAPSED_WORDS]
    near = {at - i for at in dated for i in range(_MOST_BEFORE_DATED + 1)}
    grammar = _DateGrammar(PeriodReader(tokens, now))
    found: list[DatePhrase] = []
    at = 0
    while at < len(tokens):
        phrase = grammar.phrase(at) if at in near else None
        if phrase:
            is_today = phrase.days.least == now and tokens[at].text in _BY_NOW
            is_over = is_today and any(
                each.text in _ELAPSED_WORDS for each in tokens[max(0, at - _MOST_BEFORE_NOW) : at]
            )
            phrase = replace(phrase, days=DateRange(below=now)) if is_over else phrase
            if not (is_over and found and found[-1].days == phrase.days):
                found.append(phrase)
        at = phrase.end if phrase else at + 1
    phrases = [_in_the_year_of(each, after, tokens) for each, after in zip_longest(found, found[1:])]
    return [replace(each, when=_when(each, now)) for each in phrases]


def _when(phrase: DatePhrase, now: date) -> str:
    least, below = phrase.days.least, phrase.days.below
    if phrase.upcoming:
        return "either"
    if least is None or below is None:
        return "since" if least else "until"
    return "past" if below <= now else "ahead" if least > now else "now"


def _in_the_year_of(phrase: DatePhrase, after: DatePhrase | None, tokens: Sequence[Token]) -> DatePhrase:
    """The phrase in the year of the next one, where an "or" or "and" joins a month to one with a year."""
    if after is None or not phrase.yearless or after.yearless or not after.days.is_part_of_a_year:
        return phrase
    if after.start - phrase.end != 1 or tokens[phrase.end].text not in _JOINS:
        return phrase
    least, below, other = phrase.days.least, phrase.days.below, after.days.least
    if least is None or below is None or other is None:
        return phrase
    years = other.year - least.year
    days = DateRange(shifted(least, Unit.YEAR, years), shifted(below, Unit.YEAR, years))
    return replace(phrase, days=days, yearless=False, upcoming=None)


class _DateGrammar(Struct, frozen=True):
    reader: PeriodReader

    def phrase(self, at: int) -> DatePhrase | None:
        """The range that begins at this token, from the most specific form to the bare period."""
        word = self.reader.word(at)
        if not word or not (word[0].isalnum()):
            return None
        return (
            self._between(at)
            or self._age(at)
            or self._open(at)
            or self._to_come(at)
            or self._inside(at)
            or self._plain(at, at)
            or self._elapsed(at)
        )

    def _after_words(self, at: int, phrases: Sequence[str]) -> int:
        """The position after the longest of the phrases that stands here, or -1."""
        first = self.reader.word(at)
        if not first:
            return -1
        near = (phrase.split() for phrase in phrases if phrase.startswith(first))
        return max((at + len(words) for words in near if self._stands(words, at)), default=-1)

    def _stands(self, words: list[str], at: int) -> bool:
        return all(self.reader.word(at + i) == word for i, word in enumerate(words))

    def _between(self, at: int) -> DatePhrase | None:
        """Between A and B, from A to B, A to B; both included. A takes B's year."""
        opened = self.reader.word(at) in {"between", "from", "in", "during"}
        first = self.reader.period(at + opened) or (self.reader.bare_day(at + opened) if opened else None)
        if first is None or first.rolling:
            return None
        joint = first.end
        if self.reader.word(joint) not in _JOINED_BY and not self._glued_years(joint):
            return None
        if self.reader.word(joint) == "and" and self.reader.word(at) != "between":
            return None
        after = joint + (self.reader.word(joint) in _JOINED_BY)
        after += self.reader.word(joint) == "up" and self.reader.word(after) == "to"
        last = self.reader.period(after)
        if last is None or last.rolling or (first.monthless and not last.is_of_a_day):
            return None
        (least, below), upcoming = _spanned(first, last)
        end = last.end + (self.reader.word(last.end) == "inclusive")
        return DatePhrase(at, end, DateRange(least, below), upcoming=upcoming)

    def _glued_years(self, at: int) -> bool:
        """2022-2023."""
        return at < len(self.reader.tokens) and self.reader.tokens[at].glued and self.reader.word(at).isdigit()

    def _age(self, at: int) -> DatePhrase | None:
        """Older than two years, more than 18 months old, less than a year ago, not older than 90 days."""
        long, short = self._after_words(at, _LONGER), self._after_words(at, _SHORTER)
        start = max(long, short)
        counted = self.reader.duration(start) if start > 0 else None
        if counted is None:
            return None
        unit, count, end = counted
        stated = self.reader.word(end) in {"old", "ago"}
        stated_by_for = start > 0 and self.reader.word(at - 1) == "for" and self.reader.word(at - 2) in _BEGINS
        compared = stated_by_for or self.reader.word(start - 2) in {"older", "newer", "younger"}
        if not stated and not compared:
            return None
        limit = shifted(self.reader.now, unit, -count)
        days = DateRange(below=limit) if long > short else DateRange(least=limit)
        return DatePhrase(at, end + stated, days)

    def _open(self, at: int) -> DatePhrase | None:
        """Since, after, before, until a period; a period "onwards" or "or earlier"."""
        return (
            self._onward(at)
            or self._bounded(at, _BEFORE, "below", "least")
            or self._bounded(at, _AFTER, "least", "below")
            or self._bounded(at, _SINCE, "least", "least", is_over=True)
            or self._bounded(at, _UNTIL, "below", "below")
        )

    def _bounded(
        self, at: int, phrases: Sequence[str], bound: str, edge: str, *, is_over: bool = False
    ) -> DatePhrase | None:
        start = self._after_words(at, phrases)
        word = self.reader.word(at)
        is_place = word == "from" and start == at + 1 and self.reader.word(at - 1) not in _BEGINS
        if start < 0 or word == "to" or is_place:
            return None
        period = self.reader.period(start)
        if period is None:
            return None
        is_to_end = self.reader.word(start + (self.reader.word(start) == "the")) == "end"
        if bound == "below" and edge == "least" and is_to_end:
            edge = "below"  # "before the end of 2025" includes its last day

        def bounded(days: DateRange) -> DateRange:
            value = days.least if edge == "least" else days.below
            return DateRange(least=value) if bound == "least" else DateRange(below=value)

        upcoming = bounded(period.upcoming) if period.upcoming and not is_over else None
        return DatePhrase(at, period.end, bounded(period.days), yearless=period.yearless, upcoming=upcoming)

    def _onward(self, at: int) -> DatePhrase | None:
        start = max(at, self._after_words(at, ("from", "in", "of")))
        period = self.reader.period(start)
        if period is None or period.rolling:
            return None
        later, earlier = self._after_words(period.end, _ONWARD), self._after_words(period.end, _BACKWARD)
        if later > 0 and not (self.reader.word(period.end) == "on" and start == at):
            return DatePhrase(at, later, DateRange(least=period.days.least))
        if earlier > 0:
            return DatePhrase(at, earlier, DateRange(below=period.days.below))
        return None

    def _to_come(self, at: int) -> DatePhrase | None:
        """Within 90 days, in two months: a length of time from now."""
        start = self._after_words(at, ("within", "in", "in less than", "within less than", "in under"))
        counted = self.reader.duration(start) if start > 0 else None
        if counted is None or self.reader.word(counted[2]) in {"ago", "old"}:
            return None
        unit, count, end = counted
        last = shifted(self.reader.now, unit, count)
        end += 2 * self._stands(["from", "now"], end) + 2 * self._stands(["from", "today"], end)
        return DatePhrase(at, end, DateRange(self.reader.now, shifted(last, Unit.DAY, 1)), duration=True)

    def _elapsed(self, at: int) -> DatePhrase | None:
        """Overdue, has already passed: all days before today."""
        end = self._after_words(at, _ELAPSED)
        if end < 0 or self.reader.duration(end):
            return None  # "In the past two months" is a period.
        return DatePhrase(at, max(end, self._after_words(end, _BY_NOW)), DateRange(below=self.reader.now))

    def _inside(self, at: int) -> DatePhrase | None:
        start = self._after_words(at, _IN)
        return self._plain(at, start) if start > 0 else None

    def _plain(self, at: int, start: int) -> DatePhrase | None:
        period = self.reader.period(start)
        if period is None:
            return None
        joined = self._united(period)
        return DatePhrase(at, joined.end, joined.days, yearless=joined.yearless, upcoming=joined.upcoming)

    def _united(self, period: Period) -> Period:
        """2023 and 2024, 2023 or 2024: one range if they adjoin."""
        if self.reader.word(period.end) not in {"and", "or", "/"}:
            return period
        other = self.reader.period(period.end + 1)
        if other is None or other.rolling or other.days.least != period.days.below:
            return period
        return replace(other, days=DateRange(period.days.least, other.days.below))


def _spanned(first: Period, last: Period) -> tuple[tuple[date | None, date | None], DateRange | None]:
    """The days from the first to the last, and the next such days where it is not said which are meant.

    Of periods that may be the latest or the next, those that are nearest to each other are meant.
    """
    if not (first.upcoming or last.upcoming):
        return _ordered(_in_the_month_of(first, last), last), None
    found = []
    for start, end in product(first.either, last.either):
        least, below = _in_the_month_of(start, end).days.least, end.days.below
        if least and below and least < below:
            found.append((below - least, least, below))
    shortest = min((span for span, _, _ in found), default=None)
    days = sorted({(least, below) for span, least, below in found if span == shortest})
    if not days:
        return _ordered(first, last), None
    return days[0], DateRange(*days[1]) if len(days) > 1 else None


def _in_the_month_of(first: Period, last: Period) -> Period:
    """The first day in the month of the last: "the 25th to the 29th of May"."""
    if not first.monthless or last.monthless or first.days.least is None or last.days.least is None:
        return first
    month = calendar.monthrange(last.days.least.year, last.days.least.month)[1]
    day = last.days.least.replace(day=min(first.days.least.day, month))
    return replace(first, days=DateRange(day, shifted(day, Unit.DAY, 1)))


def _ordered(first: Period, last: Period) -> tuple[date | None, date | None]:
    """The first's beginning and the last's end; a first without a year is in the last's year or the one before."""
    least, below = first.days.least, last.days.below
    if least is None or below is None or last.days.least is None:
        return least, below
    if first.yearless and not last.yearless:
        final = below - timedelta(days=1)
        later = (least.month, least.day) > (final.month, final.day)
        least = shifted(least, Unit.YEAR, final.year - least.year - later)
    return (least, below) if least < below else (last.days.least, first.days.below)


def in_english(tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens with the words of dates in English and in its order; as they are if the message has none.

    Each token stays in its place, so that what is read of them stands where it stood.
    """
    words = max(lexicon().dates.values(), key=lambda words: _own(tokens, words))
    if not _own(tokens, words):
        return tokens
    said = [replace(each, text=_word(each.text, words)) for each in tokens]
    for at in range(len(said) - 1):
        _in_order(said, at)
    return said


def _own(tokens: Sequence[Token], words: Mapping[str, str]) -> int:
    """How many tokens are words of this language, and not of several."""
    return sum(each.text in words and each.text not in lexicon().shared_dates for each in tokens)


def _word(text: str, words: Mapping[str, str]) -> str:
    number = lexicon().numbers.get(text, 0.0)
    return str(int(number)) if number in _NUMBERS else words.get(text, text)


def _in_order(said: list[Token], at: int) -> None:
    """Put "last" and "next" before "month" and before "3 months", where English has them."""
    first, second = said[at], said[at + 1]
    follows_unit = first.text in _UNITS and second.text in _OFFSETS
    unit = said[at + 2].text if at + 2 < len(said) else ""
    follows_number = first.text.isdecimal() and second.text in _OFFSETS and unit in _UNITS
    if follows_unit or follows_number:
        said[at], said[at + 1] = replace(first, text=second.text), replace(second, text=first.text)
