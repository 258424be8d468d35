"""A correction that replaces only a part of an entry, where it is clear which part: "forty-two, not forty"."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

_PHRASE = r"[^,;:.!?\n]{1,100}"
_NOT = r"not|rather than|instead of|nicht|statt|pas|au lieu de|en vez de|em vez de|invece di|non|no|não"
_BUT = r"but|sondern|mais|sino|ma|mas"
_NEW_FIRST = re.compile(rf"(?P<new>{_PHRASE}?),? (?:and |und |et |y |e )?(?:{_NOT}) (?P<old>{_PHRASE})", re.IGNORECASE)
_OLD_FIRST = re.compile(
    rf"\b(?:not|\w+n'?t|nicht|pas|non|no|não) (?P<old>{_PHRASE}?),? (?:{_BUT}) (?P<new>{_PHRASE})", re.IGNORECASE
)
_CHANGE = re.compile(
    rf"\b(?:replace|change|swap) (?P<old>{_PHRASE}?) (?:with|by|to|into|for) (?P<new>{_PHRASE})", re.IGNORECASE
)
_ARROW = re.compile(rf"(?P<old>{_PHRASE}?) ?(?:→|->|=>) ?(?P<new>{_PHRASE})")
_LONGEST = 4
_NUMBERS = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|seventy"
    r"|eighty|ninety|hundred|thousand)"
)
_NUMBER = re.compile(rf"\d[\d.,:]*|{_NUMBERS}(?:-\w+)?", re.IGNORECASE)
_ALONE = (
    re.compile(r"\b(?:1[0-9]|20)\d\d\b"),
    re.compile(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b", re.IGNORECASE),
    re.compile(r"\b(?!(?:1[0-9]|20)\d\d\b)\d+\b"),
)


def corrected(entry: str, message: str, text: str) -> str:
    """The entry's text with the corrected part in its place; empty if that part is not clear.

    `text`: what the message gives as the right words. If they are few, a year, a day of the week or a number that is
    alone of its sort in both needs no wrong one beside it.
    """
    clear = next(((old, new) for old, new in _pairs(message, entry) if new), None)
    if clear:
        old, new = clear
        return re.sub(_whole(old), lambda _: new, entry)
    for sort in _ALONE if len(text.split()) <= _LONGEST else ():
        right, wrong = sort.findall(text), sort.findall(entry)
        if len(right) == len(wrong) == 1 and right != wrong:
            return sort.sub(right[0], entry)
    return ""


def _pairs(message: str, entry: str) -> Iterator[tuple[str, str]]:
    """The words that stand once in the entry with those that are to take their place, which may not be clear."""
    ways: Sequence[tuple[re.Pattern[str], Callable[[str, str], str]]] = (
        (_OLD_FIRST, lambda old, new: _like(old, new.split(), 0)),
        (_NEW_FIRST, lambda old, new: _like(old, new.split(), -1)),
        (_CHANGE, lambda _, new: new),
        (_ARROW, lambda _, new: new),
    )
    for pattern, chosen in ways:
        for found in pattern.finditer(message):
            old = next(_standing(found["old"].split(), entry), "")
            if old:
                yield old, chosen(old, found["new"])


def _standing(words: Sequence[str], entry: str) -> Iterator[str]:
    """The beginnings of a phrase, and of it without its first word, that stand once in the entry, longest first."""
    for first in (0, 1):
        for size in range(_LONGEST, 0, -1):
            part = words[first : first + size]
            says = len(part) == size and any(len(word) > len("the") or _NUMBER.fullmatch(word) for word in part)
            if says and len(re.findall(_whole(" ".join(part)), entry)) == 1:
                yield " ".join(part)


def _like(old: str, words: Sequence[str], end: int) -> str:
    """The words at this end of a phrase that are like others: a number for a number, a name for a name, "in" for "in".

    Empty if none are; only right behind a "but" any words will do.
    """
    if _NUMBER.fullmatch(old):
        return next((word for word in words[:: -1 if end else 1] if _NUMBER.fullmatch(word)), "")
    first = old.split()[0]
    if first in words[1 if end else 0 :] and first.islower():
        at = len(words) - 1 - words[::-1].index(first) if end else words.index(first)
        return " ".join(words[at:] if end else words[at : at + len(old.split())])
    if first[0].isupper():
        run = takewhile(lambda word: word[0].isupper(), words[::-1] if end else words)
        return " ".join([*run][::-1] if end else run)
    return "" if end else " ".join(words[: len(old.split())])


def _whole(phrase: str) -> str:
    return rf"(?i)(?<!\w){re.escape(phrase)}(?!\w)"
