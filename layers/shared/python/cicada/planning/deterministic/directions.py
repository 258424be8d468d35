"""Words for the direction of an order: "descending", "newest first", "from high to low", "a-z"."""

from __future__ import annotations

from msgspec import Struct

from cicada.planning.deterministic.english import word_set
from cicada.planning.deterministic.sentence import Sentence

_VALUES = {"descending": True, "desc": True, "ascending": False, "asc": False, "reverse": True, "reversed": True}
_VALUES |= dict.fromkeys(("alphabetically", "alphabetical", "chronologically", "chronological"), False)
_SIZES = dict.fromkeys(("highest", "largest", "biggest", "greatest"), True)
_SIZES |= dict.fromkeys(("lowest", "smallest"), False)
_DATES = dict.fromkeys(("newest", "latest", "recent"), True) | dict.fromkeys(("oldest", "earliest", "soonest"), False)
_PAIRS = {
    "high": ("low", True),
    "low": ("high", False),
    "large": ("small", True),
    "small": ("large", False),
    "new": ("old", True),
    "old": ("new", False),
    "z": ("a", True),
    "a": ("z", False),
}
_GLUE = word_set(", ( ) - in from to the order first values value")
_BEFORE = word_set("in order sorted the and")


class Direction(Struct, frozen=True):
    """Words from `start` to `end`. `is_of_values`: of any values, and not only of sizes, dates or letters.

    `leads`: "first" stands behind it.
    """

    start: int
    end: int
    descending: bool
    is_of_values: bool = False
    is_of_dates: bool = False
    is_of_letters: bool = False
    leads: bool = False


def direction(sentence: Sentence, at: int) -> Direction | None:
    """The direction that stands here."""
    word = sentence.word(at)
    if word == "most" and sentence.word(at + 1) == "recent":
        return Direction(at, at + 2, descending=True, is_of_dates=True, leads=sentence.word(at + 2) == "first")
    if word in _VALUES:
        return Direction(at, at + 1, _VALUES[word], is_of_values=True)
    if word in _PAIRS:
        return _pair(sentence, at)
    if word not in _SIZES and word not in _DATES:
        return None
    down = _SIZES[word] if word in _SIZES else _DATES[word]
    return Direction(at, at + 1, down, is_of_dates=word in _DATES, leads=sentence.word(at + 1) == "first")


def _pair(sentence: Sentence, at: int) -> Direction | None:
    """High to low, z-a."""
    last, descending = _PAIRS[sentence.word(at)]
    end = sentence.skip(at + 1, {"to", "-"})
    if sentence.word(end) != last:
        return None
    letters = last in {"a", "z"}
    dates = last in {"old", "new"}
    return Direction(at, end + 1, descending, not letters and not dates, is_of_dates=dates, is_of_letters=letters)


def directions_after(sentence: Sentence, at: int) -> list[Direction]:
    """The directions behind the name of a field: "…, from highest to lowest"."""
    found: list[Direction] = []
    while at < len(sentence):
        way = direction(sentence, at)
        if way is None and sentence.word(at) not in _GLUE:
            break
        found += [way] if way else []
        at = way.end if way else at + 1
    return found


def directions_before(sentence: Sentence, at: int) -> list[Direction]:
    """The directions before "by" or "of": "in ascending order by …", the nearest first."""
    found: list[Direction] = []
    at -= 1
    while at >= 0:
        way = direction(sentence, at)
        if way is None and sentence.word(at) not in _BEFORE:
            break
        found += [way] if way and way.is_of_values else []
        at -= 1
    return found
