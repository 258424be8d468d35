"""Words as the extractive generator compares them: lower case, lightly stemmed, function words dropped."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_WORDS = word_set(
    """
    a about after again all also am an and any are as at be because been before being both but by can could did do does
    doing down during each for from further get had has have having he her here hers him his how i if in into is it its
    just let like many me more most much my no not now of off on once one only or other our out over own please same
    shall she should so some such tell than that the their them then there these they thing this those thou thy thee
    through to too under until up upon us use very was we were what when where which while who whom whose why will with
    would you your ye
    """
)
SUFFIXES = (
    ("ies", "y"),
    ("sses", "ss"),
    ("ied", "y"),
    ("ing", ""),
    ("ed", ""),
    ("'d", ""),
    ("es", ""),
    ("s", ""),
    ("e", ""),
)


def words(text: str) -> list[str]:
    """The words of a text in order, lower case; `'s` is cut off, `drown'd` keeps its apostrophe for the stemmer."""
    found = re.findall(r"[^\W_]+(?:'[^\W_]+)*", text.lower().replace("’", "'"))
    return [word.removesuffix("'s") for word in found]


def stem(word: str) -> str:
    """`tells`, `telling` → `tell`; deliberately light: forms with the same stem must mean the same."""
    for suffix, ending in SUFFIXES:
        base = word.removesuffix(suffix)
        if base != word and len(base) >= 3 and not (suffix == "s" and base[-1] in "su"):
            base += ending
            return base[:-1] if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "lsz" else base
    return word


def terms(text: str) -> list[str]:
    """The stems that carry meaning."""
    return [stem(word) for word in words(text) if word not in STOP_WORDS]


def count_tokens(text: str) -> int:
    """Approximately a model's token count: words and punctuation marks."""
    return len(re.findall(r"\w+|[^\w\s]", text))


class Rarity:
    """Inverse document frequency over a few texts, as BM25 has it: ln(1 + (N - n + .5) / (n + .5))."""

    def __init__(self, texts: Sequence[Iterable[str]]) -> None:
        self._size = len(texts)
        self._counts = Counter(term for text in texts for term in set(text))

    def __call__(self, term: str) -> float:
        count = self._counts[term]
        return math.log(1 + (self._size - count + 0.5) / (count + 0.5))

    def total(self, found: Iterable[str]) -> float:
        return sum(self(term) for term in found)
