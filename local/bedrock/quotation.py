"""Finds the line that somebody quotes from memory: "who says 'the lady doth protest too much'?"."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from cicada.text import QUOTATION
from local.bedrock.spans import Span
from local.bedrock.words import STOP_WORDS, stem, words

_ASKS_OF_IT = re.compile(
    r"\b(?:who|whom|whose|which|where)\b.*\b(?:says?|said|speaks?|spoken?|lines?|words?)\b", re.IGNORECASE
)
_LITTLE_WORDS = frozenset(map(stem, STOP_WORDS))
_LEAST_WORDS = 3
ALIKE = 0.55  # of the words, by their weights, in one place of a line
_LITTLE = 0.3  # the weight of a word such as "the"
_MORE = 3  # words that the line may have between those of the quotation


def quoted_words(question: str) -> list[str]:
    """The words that the question quotes, if it asks who says them or where; else none."""
    quoted = max(QUOTATION.findall(question), key=len, default="")
    found = list(map(stem, words(quoted)))
    return found if len(found) >= _LEAST_WORDS and _ASKS_OF_IT.search(QUOTATION.sub(" ", question)) else []


def likeness(quoted: Sequence[str], span: Span) -> float:
    """0 to 1: the greatest share of the quoted words that stand in one place of the span."""
    wanted, whole = Counter(quoted), _weight(quoted)
    shared = (_weight((wanted & Counter(place)).elements()) for place in _places(span, len(quoted)))
    return max(shared) / whole


def _places(span: Span, length: int) -> Iterator[list[str]]:
    said = list(map(stem, words(span.text)))
    for start in range(max(1, len(said) - length - _MORE + 1)):
        yield said[start : start + length + _MORE]


def _weight(said: Iterable[str]) -> float:
    return sum(_LITTLE if word in _LITTLE_WORDS else 1.0 for word in said)
