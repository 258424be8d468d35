"""The words of a text as they are compared with those of its evidence: stems, numbers, dates."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from msgspec import Struct

from cicada.languages.terms import is_cjk, without_ending


def listed(words: str) -> list[str]:
    """The words of a text, which reads better than a list of literals."""
    return words.split()


MONTHS = listed(
    "january february march april may june july august september october november december "
    "jan feb mar apr may jun jul aug sep oct nov dec"
)
_MONTH = rf"(?:{'|'.join(MONTHS)})\b\.?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = re.compile(
    rf"\b(?P<iso>\d{{4}}-\d\d-\d\d)\b|\b(?P<day>{_DAY})\s(?:of\s)?(?P<month>{_MONTH})(?:,?\s(?P<year>\d{{4}})\b)?"
    r"|\b(?P<day3>\d{1,2})\.\s?(?P<month3>\d{1,2})\.\s?(?P<year3>\d{4})\b"
    rf"|\b(?P<month2>{_MONTH})\s(?P<day2>{_DAY})\b(?:,?\s(?P<year2>\d{{4}})\b)?",
    re.IGNORECASE,
)
_TOKEN = re.compile(
    r"\d+(?:[.,:]\d+)*(?:(?:st|nd|rd|th)\b)?|n't\b|[^\W\d_]+?(?=n't\b)"
    r"|[^\W\d_]+(?:'(?!(?:s|t|re|ve|ll|d|m)\b)[^\W\d_]+)*",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")
# Not "one", which mostly is a pronoun.
_SMALL = {
    word: number
    for number, word in enumerate(
        listed(
            "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
            "eighteen nineteen"
        ),
        start=2,
    )
}
_TENS = {
    word: 10 * number
    for number, word in enumerate(listed("twenty thirty forty fifty sixty seventy eighty ninety"), start=2)
}
# Digits; a longer figure is none that a scale follows.
_LONGEST_NUMBER = 30
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}


class Word(Struct, frozen=True):
    """`figure`: the normal form of a number or a date (`1500`, `03-05`, `month 3`); empty for other words."""

    raw: str
    text: str
    stem: str
    figure: str = ""

    @property
    def is_capitalised(self) -> bool:
        return self.raw[:1].isupper()


def words_of(text: str) -> list[Word]:
    """The words in order. A date is its day in the year and its year; a run of Chinese or the like is pairs."""
    text = unicodedata.normalize("NFKC", text).replace("’", "'")
    found: list[Word] = []
    at = 0
    for date in _DATE.finditer(text):
        found += _plain(text[at : date.start()])
        found += _date(date)
        at = date.end()
    return _with_numbers([*found, *_plain(text[at:])])


def _plain(text: str) -> Iterator[Word]:
    for match in _TOKEN.finditer(text):
        raw = match[0]
        if raw[0].isdigit():
            yield _figure(raw, _number(raw.rstrip("stndrhSTNDRH")))
        elif is_cjk(raw):
            yield from (Word(pair, pair, pair) for pair in (raw[i : i + 2] for i in range(max(1, len(raw) - 1))))
        else:
            yield Word(raw, raw.lower(), without_ending(raw.lower()))


def _figure(raw: str, figure: str) -> Word:
    return Word(raw, raw.lower(), figure, figure)


def _number(digits: str) -> str:
    if ":" in digits:
        return digits.lstrip("0") or "0"
    plain = re.sub("[.,]", "", digits) if _THOUSANDS.fullmatch(digits) else digits.replace(",", ".")
    whole, point, rest = plain.partition(".")
    rest = rest.rstrip("0")
    return (whole.lstrip("0") or "0") + (point + rest if rest else "")


def _date(found: re.Match[str]) -> Iterator[Word]:
    if iso := found["iso"]:
        year, month, day = iso.split("-")
    elif found["day3"]:
        year, month, day = found["year3"], found["month3"].zfill(2), found["day3"].zfill(2)
    else:
        year = found["year"] or found["year2"] or ""
        # The first letters: "APRİL" matches without regard to case, and is no name in the list.
        month = f"{MONTHS.index((found['month'] or found['month2']).casefold()[:3]) % 12 + 1:02}"
        day = re.sub(r"\D", "", found["day"] or found["day2"]).zfill(2)
    yield _figure(found[0], f"{month}-{day}")
    if year:
        yield _figure(year, year)


def _with_numbers(words: Sequence[Word]) -> list[Word]:
    """The words with "twenty five" and "3 million" as one number each."""
    found: list[Word] = []
    for word in words:
        last = found[-1] if found else None
        small, tens = _SMALL.get(word.text), _TENS.get(word.text)
        if last and last.text in _TENS and small and small < 10:
            found[-1] = _figure(f"{last.raw} {word.raw}", str(_TENS[last.text] + small))
        elif last and last.figure.isdecimal() and len(last.figure) < _LONGEST_NUMBER and word.text in _SCALES:
            found[-1] = _figure(f"{last.raw} {word.raw}", str(int(last.figure) * _SCALES[word.text]))
        elif small or tens:
            found.append(_figure(word.raw, str(small or tens)))
        else:
            found.append(word)
    return found
