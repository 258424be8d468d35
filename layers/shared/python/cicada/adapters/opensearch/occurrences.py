"""How often the words of a question stand in a text, whatever their endings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from cicada.languages.terms import is_cjk, runs
from cicada.retrieval.quality.content_words import stem

# Letters of which no stem is without. Most words of a text begin otherwise and need not be stemmed.
_START = 2


class Occurrences(Struct, frozen=True):
    """`counts[i]`: how often word i stands in a text. `length`: words of the text."""

    counts: tuple[int, ...]
    length: int


class WordCounter:
    """Counts the words of one question in any number of texts."""

    def __init__(self, words: Sequence[str]) -> None:
        self._stems = [stem(word) for word in words]
        self._starts = {word[:_START] for word in words if not is_cjk(word)}
        self._pairs = [word for word in words if is_cjk(word)]

    def of(self, text: str) -> Occurrences:
        found = runs(text)
        counts: Counter[str] = Counter()
        for word, count in Counter(found).items():
            if word[:_START] in self._starts:
                counts[stem(word.removesuffix("'s"))] += count
        length = len(found)
        if not text.isascii():
            length += self._count_pairs(found, counts)
        return Occurrences(tuple(counts[each] for each in self._stems), length)

    def _count_pairs(self, found: Sequence[str], counts: Counter[str]) -> int:
        """Returns how many more words there are than runs: as many as pairs in a run of characters, less one."""
        more = 0
        for run in filter(is_cjk, found):
            more += max(0, len(run) - 2)
            for pair in self._pairs:
                counts[pair] += run.count(pair)
        return more
