"""The lexical retriever: BM25 over inverted lists that each process caches in memory.

SQLite's FTS5 is not used: it stems English only and has one length over all fields (docs/figures/bm25-variants.json
compares their rankings). The file stores each passage's terms. The lists are built when a knowledge base is first
searched, and later updated with the passages that were added.
"""

from __future__ import annotations

import sqlite3
import unicodedata
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import groupby

import numpy as np
import Stemmer  # type: ignore[import-not-found]  # It has no types.

from cicada.documents.model import Passage
from cicada.languages.stemming import ELISIONS, stemmed_language, stop_words
from cicada.languages.terms import MAX_TERMS, is_cjk, words
from cicada.retrieval.bm25 import Bm25
from cicada_embedded.cache import KnowledgeBaseCache, Selected, all_numbers, batches, best_rows
from cicada_embedded.filters import KnowledgeBaseState
from cicada_embedded.inverted import FIELDS, MAX_COUNT, ScoredLanguage, Segment, merged, new_segment, scored_language

# Cached words for each language and process; a word takes about 150 bytes.
_MAX_REMEMBERED = 200_000
_COUNTS = np.dtype([("term", "<u8"), *((field, "u1") for field in FIELDS)])
# Passages for each new segment. Segments are merged; large ones need fewer merges.
BATCH_SIZE = 100_000
_LENGTHS = np.dtype([(field, "<f4") for field in FIELDS])


@dataclass(frozen=True, slots=True)
class _Lists:
    """A knowledge base's inverted lists by language. `last` is the highest passage number in them."""

    revision: int
    last: int
    languages: tuple[ScoredLanguage, ...]

    @property
    def size(self) -> int:
        return sum(segment.size for language in self.languages for segment in language.segments)


def add_words(connection: sqlite3.Connection, number: int, passage: Passage) -> None:
    """Store the terms of a passage. If the context already contains the title, the title's words count once."""
    language = stemmed_language(passage.language)
    terms_of = analyzer(language).terms
    title, context, text = (Counter(terms_of(each)) for each in (passage.title, passage.context, passage.text))
    scored = text + context + (Counter() if passage.title in passage.context else title)
    by_field = (scored, title, context)
    counts = np.array(
        [(term, *(min(field[term], MAX_COUNT) for field in by_field)) for term in scored.keys() | title.keys()], _COUNTS
    )
    lengths = np.array([tuple(field.total() for field in by_field)], _LENGTHS)
    connection.execute("INSERT INTO words VALUES (?, ?, ?, ?)", (number, language, lengths.tobytes(), counts.tobytes()))


class LexicalRetriever:
    """Thread-safe; sees what other processes write."""

    def __init__(self, bm25: Bm25) -> None:
        self._bm25 = bm25
        self._cache = KnowledgeBaseCache(_Lists(-1, 0, ()), self._refreshed)

    def search(
        self,
        connection: sqlite3.Connection,
        state: KnowledgeBaseState,
        text: str,
        allowed: Selected,
        limit: int,
    ) -> list[tuple[int, float]]:
        """Numbers and BM25 scores of the best passages, best first; none for a text of stop words only.

        The question's language is unknown, so it is analyzed in each language of the knowledge base.
        """
        numbers, scores = [np.empty(0, np.int64)], [np.empty(0, np.float32)]
        for language in self._cache.of(connection, state).languages:
            name = language.segments[0].language
            terms = list(dict.fromkeys(analyzer(name).terms(text)))[:MAX_TERMS]
            for segment, found in zip(language.segments, language.scores(terms), strict=True):
                rows = np.flatnonzero(found > 0)
                numbers.append(segment.numbers[rows])
                scores.append(found[rows])
        found_numbers, found_scores = np.concatenate(numbers), np.concatenate(scores)
        shown = allowed.among(found_numbers)
        found_numbers, found_scores = found_numbers[shown], found_scores[shown]
        best = best_rows(found_numbers, found_scores, limit)
        return list(zip(found_numbers[best].tolist(), found_scores[best].tolist(), strict=True))

    def _refreshed(self, connection: sqlite3.Connection, state: KnowledgeBaseState, old: _Lists) -> _Lists:
        numbers = all_numbers(connection, state.number)
        kept = [segment.living(numbers) for language in old.languages for segment in language.segments]
        added = _added(connection, state.number, old.last)
        by_language: dict[str, list[Segment]] = {}
        for segment in (*kept, *added):
            if segment.is_alive.any():
                by_language.setdefault(segment.language, []).append(segment)
        last = int(numbers[-1]) if len(numbers) else 0
        languages = tuple(scored_language(_few(each), self._bm25) for each in by_language.values())
        return _Lists(state.revision, max(old.last, last), languages)


def _added(connection: sqlite3.Connection, base_number: int, last: int) -> list[Segment]:
    """Segments of the passages with numbers above `last`; within a language, numbers rise from one to the next."""
    rows = connection.execute(
        # The plus sign makes SQLite start at the last number instead of scanning the whole knowledge base.
        "SELECT language, number, lengths, counts FROM passage JOIN words USING (number) "
        "WHERE number > ? AND +collection = ? ORDER BY number",
        (last, base_number),
    )
    return [
        _segment(language, list(found))
        for batch in batches(rows, BATCH_SIZE)
        for language, found in groupby(sorted(batch), key=lambda row: row[0])
    ]


def _segment(language: str, rows: list[tuple[str, int, bytes, bytes]]) -> Segment:
    numbers = np.array([number for _, number, _, _ in rows], np.int64)
    lengths = np.frombuffer(b"".join(lengths for _, _, lengths, _ in rows), np.float32).reshape(-1, len(FIELDS)).T
    counts = np.frombuffer(b"".join(counts for _, _, _, counts in rows), _COUNTS)
    terms_of = [len(counts) // _COUNTS.itemsize for _, _, _, counts in rows]
    return new_segment(
        language, numbers, lengths, terms_of, counts["term"], np.stack([counts[field] for field in FIELDS])
    )


def _few(segments: list[Segment]) -> tuple[Segment, ...]:
    """Merge them to about log2 segments: neighbours merge unless the first is at least twice as large as the second."""
    few: list[Segment] = []
    for segment in segments:
        few.append(segment)
        while len(few) > 1 and few[-2].size < 2 * few[-1].size:
            few[-2:] = [merged(few[-2:])]
    return tuple(few)


class Analyzer:
    """Text to terms: stemmed by the passage's language, without stop words.

    Terms are 64-bit hashes, which need no dictionary; the chance of a collision among a million is 3 in 10⁸.

    Chinese, Japanese and Korean text is split into pairs of characters, whatever the language is. Accents on Latin
    letters are dropped after stemming, so that a question typed without them finds the same passages.
    """

    def __init__(self, language: str) -> None:
        self._language = language
        self._stemmer = Stemmer.Stemmer(language) if language else None
        self._elisions = ELISIONS.get(language, frozenset())
        self._stop_words = stop_words(language)
        self._remembered: dict[str, int | None] = {}

    def terms(self, text: str) -> list[int]:
        """The text's terms in order, with repetitions."""
        found = (self._term(word) for word in words(text))
        return [term for term in found if term is not None]

    def _term(self, word: str) -> int | None:
        if word in self._remembered:
            return self._remembered[word]
        if len(self._remembered) >= _MAX_REMEMBERED:
            self._remembered.clear()
        term = self._remembered[word] = self._analyzed(word)
        return term

    def _analyzed(self, word: str) -> int | None:
        if word in self._stop_words:
            return None
        if not is_cjk(word):
            word = self._without_article(word)
            if word in self._stop_words:
                return None
            word = _without_accents(self._stemmer.stemWord(word) if self._stemmer else word)
        return int.from_bytes(blake2b(word.encode("utf-8", "replace"), digest_size=8).digest(), "little")

    def _without_article(self, word: str) -> str:
        article, apostrophe, rest = word.partition("'")
        return rest if apostrophe and article in self._elisions else word


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
