"""The lexical retriever: BM25 over inverted lists that each process caches in memory.

SQLite's FTS5 is not used: it stems English only and has one length over all fields (docs/figures/bm25-variants.json
compares their rankings). The file stores each passage's terms. The lists are built when a knowledge base is first
searched, and later updated with the passages that were added.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import groupby

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from cicada.documents.card import Card
from cicada.documents.model import Passage
from cicada.languages.stemming import stemmed_language
from cicada.languages.terms import MAX_TERMS
from cicada.retrieval.bm25 import CARD_FIELDS, Bm25
from cicada.retrieval.cards import card_texts
from cicada_embedded.analyzer import analyzer
from cicada_embedded.cache import KnowledgeBaseCache, Selected, all_numbers, batches, best_rows
from cicada_embedded.filters import DOCUMENTS, PASSAGES, KnowledgeBaseState, Tables
from cicada_embedded.inverted import MAX_COUNT, Numbers, ScoredLanguage, Segment, merged, new_segment, scored_language

# Passages for each new segment. Segments are merged; large ones need fewer merges.
BATCH_SIZE = 100_000
_PASSAGE_FIELDS = ("words", "title", "context")
_LENGTH = np.dtype("<f4")
NO_NUMBERS: Numbers = np.empty(0, np.int64)


class _Lists(Struct, frozen=True):
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
    _insert(connection, PASSAGES, number, language, (scored, title, context))


def add_card_words(connection: sqlite3.Connection, number: int, card: Card, document_id: str) -> None:
    """Store the terms of the fields of a document's card."""
    language, texts = stemmed_language(card.language), card_texts(card, document_id)
    fields = [Counter(analyzer(language).terms(texts[field])) for field in CARD_FIELDS]
    _insert(connection, DOCUMENTS, number, language, fields)


def passage_retriever(bm25: Bm25) -> LexicalRetriever:
    """BM25 of passages, over the fields of `add_words`."""
    return LexicalRetriever(bm25, PASSAGES, tuple(bm25.fields.get(field, 0.0) for field in _PASSAGE_FIELDS))


def card_retriever(bm25: Bm25) -> LexicalRetriever:
    """BM25 of cards; `bm25` gives all but the weights of the fields."""
    return LexicalRetriever(bm25, DOCUMENTS, tuple(CARD_FIELDS.values()))


def _insert(
    connection: sqlite3.Connection, tables: Tables, number: int, language: str, fields: Sequence[Counter[int]]
) -> None:
    terms = dict.fromkeys(term for field in fields for term in field)
    counts = np.array(
        [(term, [min(field[term], MAX_COUNT) for field in fields]) for term in terms], _counts(len(fields))
    )
    lengths = np.array([field.total() for field in fields], _LENGTH)
    connection.execute(
        f"INSERT INTO {tables.words} VALUES (?, ?, ?, ?)",  # noqa: S608 - a constant
        (number, language, lengths.tobytes(), counts.tobytes()),
    )


def _counts(fields: int) -> np.dtype[np.void]:
    """A term with its count in each field."""
    return np.dtype([("term", "<u8"), ("counts", "u1", (fields,))])


class LexicalRetriever:
    """Thread-safe; sees what other processes write. `weights`: of the fields, in the order in which they are stored."""

    def __init__(self, bm25: Bm25, tables: Tables, weights: Sequence[float]) -> None:
        self._bm25 = bm25
        self._tables = tables
        self._weights = tuple(weights)
        self._cache = KnowledgeBaseCache(_Lists(-1, 0, ()), self._refreshed)

    def search(
        self,
        connection: sqlite3.Connection,
        state: KnowledgeBaseState,
        text: str,
        allowed: Selected,
        limit: int,
        hidden: Numbers = NO_NUMBERS,
    ) -> list[tuple[int, float]]:
        """Numbers and BM25 scores of the best passages, best first; none for a text of stop words only.

        The question's language is unknown, so it is analyzed in each language of the knowledge base. Statistics are
        those of the passages that are not `hidden`, as if there were no others.
        """
        numbers, scores = [np.empty(0, np.int64)], [np.empty(0, np.float32)]
        for language in self._languages(connection, state, hidden):
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

    def holding(
        self, connection: sqlite3.Connection, state: KnowledgeBaseState, texts: Iterable[str], hidden: Numbers
    ) -> dict[str, int]:
        """For each text, how many passages have all of its terms in one of their fields; 0 for stop words alone."""
        languages = self._languages(connection, state, hidden)
        return {text: sum(_holding(language, text) for language in languages) for text in texts}

    def _languages(
        self, connection: sqlite3.Connection, state: KnowledgeBaseState, hidden: Numbers
    ) -> tuple[ScoredLanguage, ...]:
        languages = self._cache.of(connection, state).languages
        if not len(hidden):
            return languages
        return tuple(
            scored_language(tuple(each.without(hidden) for each in language.segments), self._bm25, self._weights)
            for language in languages
        )

    def _refreshed(self, connection: sqlite3.Connection, state: KnowledgeBaseState, old: _Lists) -> _Lists:
        numbers = all_numbers(connection, state.number, self._tables)
        kept = [segment.living(numbers) for language in old.languages for segment in language.segments]
        added = self._added(connection, state.number, old.last)
        by_language: dict[str, list[Segment]] = {}
        for segment in (*kept, *added):
            if segment.is_alive.any():
                by_language.setdefault(segment.language, []).append(segment)
        last = int(numbers[-1]) if len(numbers) else 0
        languages = tuple(scored_language(_few(each), self._bm25, self._weights) for each in by_language.values())
        return _Lists(state.revision, max(old.last, last), languages)

    def _added(self, connection: sqlite3.Connection, base_number: int, last: int) -> list[Segment]:
        """Segments of what has numbers above `last`; within a language, numbers rise from one to the next."""
        rows = connection.execute(
            # The plus sign makes SQLite start at the last number instead of scanning the whole knowledge base.
            "SELECT language, number, lengths, counts "  # noqa: S608 - made of constants; values are bound
            f"FROM {self._tables.rows} JOIN {self._tables.words} USING (number) "
            "WHERE number > ? AND +collection = ? ORDER BY number",
            (last, base_number),
        )
        return [
            _segment(language, list(found), len(self._weights))
            for batch in batches(rows, BATCH_SIZE)
            for language, found in groupby(sorted(batch), key=lambda row: row[0])
        ]


def _segment(language: str, rows: list[tuple[str, int, bytes, bytes]], fields: int) -> Segment:
    numbers = np.array([number for _, number, _, _ in rows], np.int64)
    lengths = np.frombuffer(b"".join(lengths for _, _, lengths, _ in rows), _LENGTH).reshape(-1, fields).T
    form = _counts(fields)
    counts = np.frombuffer(b"".join(counts for _, _, _, counts in rows), form)
    terms_of = [len(counts) // form.itemsize for _, _, _, counts in rows]
    return new_segment(language, numbers, lengths, terms_of, counts["term"], counts["counts"].T)


def _holding(language: ScoredLanguage, text: str) -> int:
    terms = set(analyzer(language.segments[0].language).terms(text))
    return sum(_rows_with(segment, terms) for segment in language.segments) if terms else 0


def _rows_with(segment: Segment, terms: Iterable[int]) -> int:
    found: list[NDArray[np.int32]] = [segment.postings(term)[0] for term in terms]
    return len(reduce(lambda one, other: np.intersect1d(one, other, assume_unique=True), found))


def _few(segments: list[Segment]) -> tuple[Segment, ...]:
    """Merge them to about log2 segments: neighbours merge unless the first is at least twice as large as the second."""
    few: list[Segment] = []
    for segment in segments:
        few.append(segment)
        while len(few) > 1 and few[-2].size < 2 * few[-1].size:
            few[-2:] = [merged(few[-2:])]
    return tuple(few)
