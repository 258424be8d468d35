"""Concepts: words of nine languages for the same thing, so that what is learnt in one language serves in the others.

A concept decides nothing. It is a feature like any other, and the examples give it its weight.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct

from cicada.understanding.intent.reading import is_ideograph

_WORD = re.compile(r"[^\W_]+")
# Most words begin like none of the lexicon, which these many characters show.
_HEAD = 3

Step: TypeAlias = tuple[int, ...]
Placed: TypeAlias = tuple[int, Step]
_Entries: TypeAlias = Mapping[str, tuple[int, ...]]


class Lexicon(Struct, frozen=True):
    """The numbers of the concepts of whole words and phrases, of the beginnings of words, and of character strings.

    The last serve languages that do not separate words. `heads`: the first characters of the words and beginnings.
    """

    whole: _Entries
    beginnings: _Entries
    strings: _Entries
    heads: frozenset[str]
    longest_word: int
    longest_string: int

    def steps(self, text: str, is_ideographic: bool) -> list[Step]:
        """The concepts in the order of the text; several that begin at one place are one step."""
        return [step for _, step in self.placed(text, is_ideographic)]

    def placed(self, text: str, is_ideographic: bool) -> list[Placed]:
        """The steps, each with the place in the text where it begins."""
        found = [*self._in_words(text)]
        if is_ideographic:
            found += self._in_strings(text)
            found.sort()
        return found

    def _in_words(self, text: str) -> Iterator[Placed]:
        spans = [match.span() for match in _WORD.finditer(text) if not is_ideograph(match.group()[0])]
        ends = {end for _, end in spans}
        for start, _ in spans:
            concepts = self._at_word(text, start, ends)
            if concepts:
                yield start, tuple(sorted(concepts))

    def _at_word(self, text: str, start: int, ends: set[int]) -> set[int]:
        found: set[int] = set()
        longest = self.longest_word if text[start : start + _HEAD] in self.heads else _HEAD - 1
        for end in range(start + 1, min(start + longest, len(text)) + 1):
            piece = text[start:end]
            if piece in self.beginnings:
                found.update(self.beginnings[piece])
            if piece in self.whole and (end in ends or not piece[-1].isalnum()):
                found.update(self.whole[piece])
        return found

    def _in_strings(self, text: str) -> Iterator[Placed]:
        strings, longest = self.strings, self.longest_string
        for start in range(len(text)):
            found: set[int] = set()
            for end in range(start + 1, min(start + longest, len(text)) + 1):
                piece = text[start:end]
                if piece in strings:
                    found.update(strings[piece])
            if found:
                yield start, tuple(sorted(found))


def lexicon(concepts: Iterable[Mapping[str, Iterable[str]]]) -> Lexicon:
    """`concepts`: for each, its words by language. A word that ends with `*` stands for all that begin like it."""
    whole: dict[str, tuple[int, ...]] = {}
    beginnings: dict[str, tuple[int, ...]] = {}
    strings: dict[str, tuple[int, ...]] = {}
    for number, by_language in enumerate(concepts, start=1):
        for words in by_language.values():
            for word in words:
                entries = strings if is_ideograph(word[0]) else beginnings if word.endswith("*") else whole
                key = word.rstrip("*")
                entries[key] = tuple(sorted({*entries.get(key, ()), number}))
    heads = frozenset(word[:_HEAD] for word in (*whole, *beginnings))
    return Lexicon(whole, beginnings, strings, heads, _longest(whole, beginnings), _longest(strings))


def _longest(*entries: _Entries) -> int:
    return max((len(word) for each in entries for word in each), default=0)
