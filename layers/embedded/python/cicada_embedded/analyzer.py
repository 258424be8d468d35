"""Text to the terms of BM25."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from hashlib import blake2b

import Stemmer  # type: ignore[import-not-found]  # It has no types.

from cicada.languages.terms import ELISIONS, is_cjk, stop_words, words

# Cached words for each language and process; a word takes about 150 bytes.
_MAX_REMEMBERED = 200_000


class Analyzer:
    """Text to terms: stemmed by the passage's language, without stop words.

    Terms are 64-bit hashes of language and word, which need no dictionary; the chance of a collision among a million is
    3 in 10⁸.

    Chinese, Japanese and Korean text is split into pairs of characters, whatever the language is. Accents on Latin
    letters are dropped after stemming, so that a question typed without them finds the same passages.
    """

    def __init__(self, language: str) -> None:
        self._language = language
        self._stemmer = Stemmer.Stemmer(language) if language else None
        self._elisions = ELISIONS.get(language, frozenset())
        self._stop_words = stop_words(language)
        self._term = lru_cache(_MAX_REMEMBERED)(self._analyzed)

    def terms(self, text: str) -> list[int]:
        """The text's terms in order, with repetitions."""
        return [term for term in map(self._term, words(text)) if term is not None]

    def _analyzed(self, word: str) -> int | None:
        if word in self._stop_words:
            return None
        if not is_cjk(word):
            article, apostrophe, rest = word.partition("'")
            word = rest if apostrophe and article in self._elisions else word
            if word in self._stop_words:
                return None
            word = _without_accents(self._stemmer.stemWord(word) if self._stemmer else word)
        named = f"{self._language}\0{word}".encode("utf-8", "replace")
        return int.from_bytes(blake2b(named, digest_size=8).digest(), "little")


@lru_cache(maxsize=32)
def analyzer(language: str) -> Analyzer:
    """The analyzer of a stemmed language; the empty name is for all other languages."""
    return Analyzer(language)


def _without_accents(word: str) -> str:
    if word.isascii():
        return word
    return "".join(_base(character) for character in word)


def _base(character: str) -> str:
    base = unicodedata.normalize("NFD", character)[0]
    return base if base.isascii() else character
