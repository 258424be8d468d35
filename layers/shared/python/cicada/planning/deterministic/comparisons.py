"""Comparisons with numbers: "more than 50,000", "between 5 and 10"."""

from __future__ import annotations

from msgspec import Struct

from cicada.documents.model import Range
from cicada.planning.deterministic.sentence import Sentence

_SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "mio": 1e6, "billion": 1e9, "bn": 1e9}


class Bounds(Struct, frozen=True):
    """The bounds of a number; see `Range`."""

    least: float | None = None
    above: float | None = None
    most: float | None = None
    below: float | None = None

    def of(self, field: str) -> Range:
        return Range(field, least=self.least, above=self.above, most=self.most, below=self.below)


def comparison(sentence: Sentence, at: int) -> tuple[Bounds, int] | None:
    """The bounds that are stated here and the position after them; None if no comparison with a number is."""
    if sentence.word(at) == "between":
        return _between(sentence, at + 1)
    for name in ("more_than", "at_least", "less_than", "at_most"):
        end = sentence.phrase_end(at, sentence.english.phrases[name])
        read = number(sentence, end) if end > at else None
        if read:
            value, after = read
            return _bounds(name, value), after
    return None


def number(sentence: Sentence, at: int) -> tuple[float, int] | None:
    """A number and the position after it: 50,000, 1.5 million, 20k, EUR 30."""
    at += sentence.is_in(at, "currencies")
    word = sentence.word(at)
    scale = _SCALES.get(word[-1:], 1) if word[:-1].isdigit() else 1
    digits = (word[:-1] if scale != 1 else word).replace(",", "")
    if not digits.isascii() or not digits.replace(".", "", 1).isdigit():
        return None
    after = at + 1
    if sentence.word(after) in _SCALES:
        return float(digits) * _SCALES[sentence.word(after)], after + 1
    return float(digits) * scale, after


def _between(sentence: Sentence, at: int) -> tuple[Bounds, int] | None:
    first = number(sentence, at)
    if first is None or sentence.word(first[1]) not in {"and", "to"}:
        return None
    last = number(sentence, first[1] + 1)
    return (Bounds(least=min(first[0], last[0]), most=max(first[0], last[0])), last[1]) if last else None


def _bounds(name: str, value: float) -> Bounds:
    if name == "more_than":
        return Bounds(above=value)
    if name == "at_least":
        return Bounds(least=value)
    return Bounds(below=value) if name == "less_than" else Bounds(most=value)
