"""Texts with their vectors in plain arrays: BM25 and exact kNN over all of a knowledge base's passages, or cards.

SQLite's FTS5 is not used: it stems English only and has one length over all fields (docs/figures/bm25-variants.json
compares their rankings).
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache, reduce
from hashlib import blake2b
from typing import Any

import numpy as np
import Stemmer  # type: ignore[import-not-found]  # It has no types.
from msgspec import Struct
from numpy.typing import NDArray

from cicada.documents.model import MetadataValue
from cicada.languages.terms import ELISIONS, MAX_TERMS, is_cjk, stop_words, words
from cicada.retrieval.fusion import Bm25, idf

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


_MAX_COUNT = 255
_LENGTH = np.dtype("<f4")

Mask = NDArray[np.bool_]
Found = list[tuple[int, float]]
"""Numbers of texts with their scores, best first."""


class Facts(Struct, frozen=True):
    """What filters look at. Texts that have the same facts share them."""

    metadata: Mapping[str, MetadataValue]
    readers: tuple[str, ...]


class Row(Struct, frozen=True):
    """A text as the file has it. `vector` is empty for a text that only words find; `terms` is that of `term_bytes`."""

    number: int
    document: int
    facts: Facts
    language: str
    lengths: bytes
    terms: bytes
    vector: bytes


class Texts(Struct, frozen=True):
    """Arrays of one entry a text, in ascending order of `numbers`; `documents` are the numbers of their documents.

    `lengths` has a column for each field. An entry of `terms`, which are sorted, is a term of the text `rows[i]`, with
    its `counts` in each field.
    """

    numbers: NDArray[np.int64]
    documents: NDArray[np.int64]
    facts: tuple[Facts, ...]
    facts_of: NDArray[np.int64]
    languages: NDArray[np.str_]
    lengths: NDArray[np.float32]
    vectors: NDArray[np.float32]
    has_vector: Mask
    terms: NDArray[np.uint64]
    rows: NDArray[np.int64]
    counts: NDArray[np.uint8]

    def extended(self, living: NDArray[np.int64], added: Texts) -> Texts:
        """Without the texts of documents that are not `living`, and with these, whose numbers are higher."""
        kept = np.isin(self.documents, living)
        place, held = np.cumsum(kept) - 1, kept[self.rows]
        pairs = ((getattr(self, name)[kept], getattr(added, name)) for name in _PARALLEL)
        used, facts_of = np.unique(self.facts_of[kept], return_inverse=True)
        terms = np.concatenate([self.terms[held], added.terms])
        # The sort finds two sorted runs and merges them.
        order = np.argsort(terms, kind="stable")
        return Texts(
            **dict(zip(_PARALLEL, map(np.concatenate, pairs), strict=True)),
            facts=(*(self.facts[each] for each in used), *added.facts),
            facts_of=np.concatenate([facts_of, added.facts_of + len(used)]),
            terms=terms[order],
            rows=np.concatenate([place[self.rows[held]], added.rows + np.count_nonzero(kept)])[order],
            counts=np.concatenate([self.counts[held], added.counts])[order],
        )

    def having(self, facts: Sequence[bool]) -> Mask:
        """A mask of the texts, by an answer for each of `facts`."""
        return np.array(facts, np.bool_)[self.facts_of]

    def lexical(
        self, text: str, readable: Mask, shown: Mask, limit: int, bm25: Bm25, weights: Sequence[float]
    ) -> Found:
        """BM25, with the statistics of the `readable` texts; only `shown` ones are found.

        The question's language is not known, so it is analysed as each of the languages.
        """
        scores = np.zeros(len(self.numbers))
        for language in np.unique(self.languages[readable]).tolist():
            spoken = self.lengths[readable & (self.languages == language)]
            having = np.count_nonzero(spoken, axis=0)
            means = np.maximum(spoken.sum(axis=0, dtype=np.float64), 1) / np.maximum(having, 1)
            for term in list(dict.fromkeys(analyzer(language).terms(text)))[:MAX_TERMS]:
                rows, counts = self._postings(term, readable)
                for field, weight in enumerate(weights):
                    held = counts[:, field] > 0
                    if weight <= 0 or not held.any():
                        continue
                    count, length = counts[held, field].astype(np.float64), self.lengths[rows[held], field]
                    norms = bm25.k1 * (1 - bm25.b + bm25.b * length / means[field])
                    # A term has one entry for a text, so the indexed addition loses nothing.
                    scores[rows[held]] += weight * idf(int(having[field]), len(count)) * count / (count + norms)
        return self._best(np.flatnonzero(shown & (scores > 0)), scores, limit)

    def semantic(self, vector: NDArray[np.float32], shown: Mask, limit: int) -> Found:
        """The cosines of the nearest texts."""
        rows = np.flatnonzero(shown & self.has_vector)
        # Picking scattered rows costs several times as much for a row as reading all of them in sequence.
        near = self.vectors[rows] @ vector if len(rows) * 5 < len(self.numbers) else (self.vectors @ vector)[rows]
        rows = rows[_best(self.numbers[rows], near, limit)]
        cosines = np.zeros(len(self.numbers))
        # Each product on its own: the last digits of a matrix product depend on the rows around it.
        cosines[rows] = (self.vectors[rows].astype(np.float64) * vector).sum(axis=1)
        return self._best(rows, cosines, limit)

    def holding(self, text: str, readable: Mask) -> int:
        """How many of the readable texts have all terms of this one; 0 for stop words alone."""
        return sum(self._with_all(set(analyzer(each).terms(text)), readable) for each in np.unique(self.languages))

    def _with_all(self, terms: set[int], readable: Mask) -> int:
        found = [self._postings(term, readable)[0] for term in terms]
        return len(reduce(np.intersect1d, found)) if found else 0

    def _postings(self, term: int, readable: Mask) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """The readable texts that have the term, and its counts in their fields."""
        wanted = np.uint64(term)
        found = slice(np.searchsorted(self.terms, wanted), np.searchsorted(self.terms, wanted, side="right"))
        rows, counts = self.rows[found], self.counts[found]
        seen = readable[rows]
        return rows[seen], counts[seen]

    def _best(self, rows: NDArray[np.intp], scores: NDArray[np.float64], limit: int) -> Found:
        best = rows[_best(self.numbers[rows], scores[rows], limit)]
        return list(zip(self.numbers[best].tolist(), scores[best].tolist(), strict=True))


_PARALLEL = ("numbers", "documents", "languages", "lengths", "vectors", "has_vector")


def texts(rows: Sequence[Row], dimension: int, fields: int) -> Texts:
    """`fields`: how many each text has."""
    facts = {id(each.facts): each.facts for each in rows}
    places = {key: place for place, key in enumerate(facts)}
    entries = np.frombuffer(b"".join(each.terms for each in rows), _entry(fields))
    order = np.argsort(entries["term"], kind="stable")
    lengths_of = [len(each.terms) // entries.dtype.itemsize for each in rows]
    nothing = bytes(4 * dimension)
    return Texts(
        numbers=np.array([each.number for each in rows], np.int64),
        documents=np.array([each.document for each in rows], np.int64),
        facts=tuple(facts.values()),
        facts_of=np.array([places[id(each.facts)] for each in rows], np.int64),
        languages=np.array([each.language for each in rows], np.dtype("<U16")),
        lengths=np.frombuffer(b"".join(each.lengths for each in rows), _LENGTH).reshape(-1, fields),
        vectors=np.frombuffer(b"".join(each.vector or nothing for each in rows), np.float32).reshape(-1, dimension),
        has_vector=np.array([bool(each.vector) for each in rows], np.bool_),
        terms=entries["term"][order],
        rows=np.repeat(np.arange(len(rows)), lengths_of)[order],
        counts=entries["counts"][order].reshape(-1, fields),
    )


def term_bytes(language: str, fields: Sequence[str]) -> tuple[bytes, bytes]:
    """The lengths of the fields in terms, and each term with its counts in them, as `Row` has them."""
    counted = [Counter(analyzer(language).terms(text)) for text in fields]
    terms = dict.fromkeys(term for field in counted for term in field)
    entries = [(term, [min(field[term], _MAX_COUNT) for field in counted]) for term in terms]
    lengths = np.array([field.total() for field in counted], _LENGTH)
    return lengths.tobytes(), np.array(entries, _entry(len(fields))).tobytes()


def _entry(fields: int) -> np.dtype[np.void]:
    """A term with its count in each field."""
    return np.dtype([("term", "<u8"), ("counts", "u1", (fields,))])


def _best(numbers: NDArray[np.int64], scores: NDArray[np.floating[Any]], limit: int) -> NDArray[np.intp]:
    """Places of the `limit` highest scores; ties go to the lower number."""
    rows = np.arange(len(scores))
    if len(scores) > limit:
        # With ties for the lowest score, these may be more than `limit`.
        rows = np.flatnonzero(scores >= np.partition(scores, -limit)[-limit])
    return rows[np.lexsort((numbers[rows], -scores[rows]))[:limit]]
