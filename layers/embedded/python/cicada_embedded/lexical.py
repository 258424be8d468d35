"""The lexical retriever: BM25 over inverted lists that each process keeps in memory.

Not FTS5, which stems English only and knows one length over all fields (docs/figures/bm25-variants.json compares their
rankings). The file holds the terms of each passage; lists are made of them when a collection is first searched, and
follow by what was added.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from cicada.documents.model import Passage
from cicada.languages.stemming import stemmed_language
from cicada.languages.terms import MAX_TERMS
from cicada.retrieval.bm25 import Bm25
from cicada_embedded.analysis import analyzer
from cicada_embedded.cache import KnowledgeBaseCache, Selected, all_numbers, best_places, portions
from cicada_embedded.filters import KnowledgeBaseState
from cicada_embedded.inverted import FIELDS, MAX_COUNT, ScoredLanguage, Segment, merged, new_segment, scored_language

_COUNTS = np.dtype([("term", "<u8"), *((field, "u1") for field in FIELDS)])
# Passages that lists are made of at once. The lists are merged, and few of them take few merges.
PORTION = 100_000
_LENGTHS = np.dtype([(field, "<f4") for field in FIELDS])


@dataclass(frozen=True, slots=True)
class _Lists:
    """The inverted lists of a collection, by language."""

    revision: int
    last: int
    languages: tuple[ScoredLanguage, ...]

    @property
    def size(self) -> int:
        return sum(segment.size for language in self.languages for segment in language.segments)


def add_words(connection: sqlite3.Connection, number: int, passage: Passage) -> None:
    """Store the terms of a passage. Where the context holds the title already, its words count no second time."""
    language = stemmed_language(passage.language)
    terms_of = analyzer(language).terms
    title, context, text = (Counter(terms_of(each)) for each in (passage.title, passage.context, passage.text))
    words = text + context + (Counter() if passage.title in passage.context else title)
    by_field = (words, title, context)
    counts = np.array(
        [(term, *(min(field[term], MAX_COUNT) for field in by_field)) for term in words.keys() | title.keys()], _COUNTS
    )
    lengths = np.array([tuple(field.total() for field in by_field)], _LENGTHS)
    connection.execute("INSERT INTO words VALUES (?, ?, ?, ?)", (number, language, lengths.tobytes(), counts.tobytes()))


class LexicalRetriever:
    """Safe to share between threads; follows what other processes write."""

    def __init__(self, bm25: Bm25) -> None:
        self._bm25 = bm25
        self._cache = KnowledgeBaseCache(_Lists(-1, 0, ()), self._refreshed)

    def search(
        self,
        connection: sqlite3.Connection,
        base_key: KnowledgeBaseState,
        text: str,
        allowed: Selected,
        limit: int,
    ) -> list[tuple[int, float]]:
        """Numbers and BM25 scores of the best passages, in falling order; none for a text without telling words.

        The question's language is not known: it is read as each of the languages that the collection holds.
        """
        numbers, scores = [np.empty(0, np.int64)], [np.empty(0, np.float32)]
        for language in self._cache.of(connection, base_key).languages:
            name = language.segments[0].language
            terms = list(dict.fromkeys(analyzer(name).terms(text)))[:MAX_TERMS]
            for segment, found in zip(language.segments, language.scores(terms), strict=True):
                places = np.flatnonzero(found > 0)
                numbers.append(segment.numbers[places])
                scores.append(found[places])
        found_numbers, found_scores = np.concatenate(numbers), np.concatenate(scores)
        shown = allowed.among(found_numbers)
        found_numbers, found_scores = found_numbers[shown], found_scores[shown]
        best = best_places(found_numbers, found_scores, limit)
        return list(zip(found_numbers[best].tolist(), found_scores[best].tolist(), strict=True))

    def _refreshed(self, connection: sqlite3.Connection, base_key: KnowledgeBaseState, old: _Lists) -> _Lists:
        numbers = all_numbers(connection, base_key.number)
        cache = [segment.living(numbers) for language in old.languages for segment in language.segments]
        added = _added(connection, base_key.number, old.last)
        by_language: dict[str, list[Segment]] = {}
        for segment in (*cache, *added):
            if segment.is_alive.any():
                by_language.setdefault(segment.language, []).append(segment)
        last = int(numbers[-1]) if len(numbers) else 0
        languages = tuple(scored_language(_few(each), self._bm25) for each in by_language.values())
        return _Lists(base_key.revision, max(old.last, last), languages)


def _added(connection: sqlite3.Connection, base_key: int, last: int) -> list[Segment]:
    """Segments of the passages with numbers above `last`, whose numbers rise from one to the next of a language."""
    rows = connection.execute(
        # The plus sign has SQLite begin at the last number, and not go through the whole collection.
        "SELECT language, number, lengths, counts FROM passage JOIN words USING (number) "
        "WHERE number > ? AND +collection = ? ORDER BY number",
        (last, base_key),
    )
    return [
        _segment(language, list(found))
        for portion in portions(rows, PORTION)
        for language, found in groupby(sorted(portion), key=lambda row: row[0])
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
    """At most about log2 of them: two neighbours become one where the first is not twice as large as the second."""
    few: list[Segment] = []
    for segment in segments:
        few.append(segment)
        while len(few) > 1 and few[-2].size < 2 * few[-1].size:
            few[-2:] = [merged(few[-2:])]
    return tuple(few)
