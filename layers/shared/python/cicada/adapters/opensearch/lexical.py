"""BM25 of what a user may read, computed from OpenSearch's term statistics."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from cicada.adapters.opensearch.schema import ANALYZERS, OTHER_ANALYZER
from cicada.languages.terms import is_cjk, query_terms, runs
from cicada.retrieval.fusion import Bm25, idf
from cicada.retrieval.quality import stem

# A longer token is split: `max_token_length` of the analyzers.
# https://docs.opensearch.org/latest/analyzers/tokenizers/standard/
MAX_LENGTH = 255

# Word characters: those that Lucene's standard tokenizer joins with letters and digits, and those of Southeast
# Asia, which it joins with each other only; as OpenSearch 3.6 analyzes them. Every other one counts as a token.
_JOINED = (
    r"0-9_a-z\u00df-\u086a\u08a0-\u08b4\u0904-\u09f1\u09fc-\u0b71\u0b83-\u0bef\u0c05-\u0c5a\u0c60-\u0c6f\u0c80-\u0cbd"
    r"\u0cde-\u0cf2\u0d05-\u0d56\u0d5f-\u0d6f\u0d7a-\u0def\u0e50-\u0e59\u0ed0-\u0ed9\u0f00-\u0f29\u0f40-\u0f8c"
    r"\u1040-\u1049\u1090-\u135a\u1380-\u170c\u17e0-\u17e9\u1810-\u194f\u19d0-\u19d9\u1b50-\u2188\u2c30-\u2c5e"
)
_SOUTHEAST_ASIAN = r"\u0e01-\u0e46\u0e81-\u0ec6\u0ede\u0edf\u1000-\u103f\u1050-\u108e\u1780-\u17dc\u1950-\u19c9"
# An apostrophe or a full stop is inside a token only between two letters or two digits.
# https://unicode.org/reports/tr29/#Word_Boundary_Rules
_INSIDE = r"(?:(?<=\d)[.'](?=\d)|(?<=[^\W\d_])[.'](?=[^\W\d_]))"
_TOKEN = re.compile(rf"[{_JOINED}]+(?:{_INSIDE}[{_JOINED}]+)*|[{_SOUTHEAST_ASIAN}]+|\w")


def first_tokens(terms: list[str], most: int) -> Iterator[str]:
    """The first terms, of which Lucene makes at most `most` tokens; the last term is cut to fit."""
    left = most
    for term in terms:
        tokens = list(_TOKEN.finditer(term, 0, MAX_LENGTH))[:left]
        if not tokens:
            return
        yield term[: tokens[-1].end()]
        left -= len(tokens)


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


# BM25 with the statistics of what the asker may read, in two requests.
#
# The server's own BM25 counts the documents of the whole index, so scores would tell of documents that the asker may
# not read. Here the server only matches words, with its analyzers. The first request counts in how many readable
# passages each word stands. The second takes the passages with the greatest sum of their words' idf. Their BM25 is
# computed here, from their texts. docs/retrieval.md compares it with the server's.

# Lucene refuses a query of more than 1,024 clauses. A word takes one for each field and analyzer. The rest is left for
# filters. `indices.query.bool.max_clause_count` in
# https://docs.opensearch.org/latest/install-and-configure/configuring-opensearch/index-settings/
_MAX_CLAUSES = 1000
# Candidates for each hit that is wanted: with twice as many, no figure of quality differs from BM25 of all passages.
_CANDIDATES = 2
# Repeated words of a question this short count in the choice of candidates: so many occurrences or more add this
# share of the word's weight, as BM25 does in a passage of mean length.
_FEW_WORDS = 4
_REPEATED = {2: 0.4, 3: 0.2, 5: 0.2}
_ANYWHERE = 1_000_000
# `index.max_result_window`.
_MOST_CANDIDATES = 10_000
# Sums of multiples of this are exact, so that no order of addition changes the order of candidates.
_STEP = 1 / 1024
_EVERYTHING = "*"

Body = dict[str, Any]
Hit = Mapping[str, Any]
Response = Mapping[str, Any]
Idfs = Mapping[str, float]
TextsOf = Callable[[Mapping[str, Any]], Mapping[str, str]]


class Fields(Struct, frozen=True):
    """The searched fields and their weights.

    A field has a field of the mapping for each analyzer, whose name begins with `prefix`. `texts_of` gives the fields'
    texts from a hit's source.
    """

    weights: Mapping[str, float]
    prefix: str
    texts_of: TextsOf

    def named(self, field: str, word: str) -> list[str]:
        """The fields of the mapping in which the word may stand."""
        analyzers = ("cjk", OTHER_ANALYZER) if is_cjk(word) else ANALYZERS
        return [f"{self.prefix}{field}_{each}" for each in analyzers]


class LexicalSearch(Struct, frozen=True):
    """A question to `fields`. `readable` are the conditions of what the asker may read, `allowed` those of a hit."""

    words: tuple[str, ...]
    fields: Fields
    bm25: Bm25
    readable: list[Body]
    allowed: list[Body]
    limit: int
    source: list[str]

    def statistics_body(self) -> Body:
        """Counts the readable passages, and those that have each word in each field."""
        counted: Body = {name: self._with(number, field) for name, number, field in self._named()}
        counted[_EVERYTHING] = {"match_all": {}}
        return {
            "size": 0,
            "query": {"bool": {"filter": self.readable}},
            "aggs": {"words": {"filters": {"filters": counted}}},
        }

    def idfs(self, response: Response) -> Idfs:
        """The idf of each word in each field in which a readable passage has it."""
        buckets = response["aggregations"]["words"]["buckets"]
        passages = int(buckets[_EVERYTHING]["doc_count"])
        counts = {name: int(buckets[name]["doc_count"]) for name, _, _ in self._named()}
        return {name: idf(passages, count) for name, count in counts.items() if count}

    def candidates_body(self, idfs: Idfs) -> Body:
        """The passages with the greatest sums of idfs, each hit with the names of what it matches."""
        return {
            "query": {"bool": {"filter": self.allowed, "should": list(self._clauses(idfs)), "minimum_should_match": 1}},
            "sort": [{"_score": "desc"}, {"passage_id": "asc"}],
            "size": min(self.limit * _CANDIDATES, _MOST_CANDIDATES),
            "_source": self.source,
        }

    def scored(self, hits: Sequence[Hit], idfs: Idfs) -> list[Body]:
        """The hits with their BM25 as `_score`, the best `limit` first."""
        counter = WordCounter(self.words)
        counted = [{name: counter.of(text) for name, text in self._texts(hit)} for hit in hits]
        means = {field: _mean(each[field].length for each in counted) for field in self.fields.weights}
        scored = [
            {**hit, "_score": self._score(hit, each, idfs, means)} for hit, each in zip(hits, counted, strict=True)
        ]
        return sorted(scored, key=lambda hit: (-hit["_score"], hit["_source"]["passage_id"]))[: self.limit]

    def _named(self) -> Iterator[tuple[str, int, str]]:
        """A name for each word in each field, with the word's number and the field."""
        for number in range(len(self.words)):
            for field in self.fields.weights:
                yield f"{field} {number}", number, field

    def _clauses(self, idfs: Idfs) -> Iterator[Body]:
        for name, number, field in self._named():
            if name in idfs:
                weight = idfs[name] * self.fields.weights[field]
                yield {"constant_score": {"filter": self._with(number, field), "boost": _boost(weight), "_name": name}}
                if len(self.words) <= _FEW_WORDS:
                    yield from self._repeated(number, field, weight)

    def _repeated(self, number: int, field: str, weight: float) -> Iterator[Body]:
        """Prefers passages that have the word often. Of few words, more passages have all than are candidates."""
        word = self.words[number]
        for times, share in _REPEATED.items():
            repeated = {"query": " ".join([word] * times), "type": "phrase", "slop": _ANYWHERE}
            found = {"multi_match": {**repeated, "fields": self.fields.named(field, word)}}
            yield {"constant_score": {"filter": found, "boost": _boost(weight * share)}}

    def _with(self, number: int, field: str) -> Body:
        word = self.words[number]
        return {"multi_match": {"query": word, "operator": "and", "fields": self.fields.named(field, word)}}

    def _texts(self, hit: Hit) -> Iterable[tuple[str, str]]:
        texts = self.fields.texts_of(hit["_source"])
        return ((field, texts[field]) for field in self.fields.weights)

    def _score(self, hit: Hit, counted: Mapping[str, Occurrences], idfs: Idfs, means: Mapping[str, float]) -> float:
        matched = set(hit.get("matched_queries", ()))
        return math.fsum(
            idfs[name] * self.fields.weights[field] * self._frequency(counted[field], number, means[field])
            for name, number, field in self._named()
            if name in matched
        )

    def _frequency(self, counted: Occurrences, number: int, mean: float) -> float:
        # The server's analyzer may find a word in a form that is not counted here.
        return self.bm25.saturated(max(1, counted.counts[number]), counted.length, mean)


def question_words(text: str, fields: Mapping[str, float]) -> tuple[str, ...]:
    """The words to search for: so many that a query has no more clauses than Lucene takes; none of a text without."""
    terms = query_terms(text)
    pairs = [term for term in terms if is_cjk(term)]
    # The standard analyzer makes one token of each character of a pair.
    of_pairs = sum(map(len, pairs)) * 2 * len(fields)
    most = (_MAX_CLAUSES - of_pairs) // (len(ANALYZERS) * len(fields))
    return (*first_tokens([term for term in terms if not is_cjk(term)], most), *pairs)


def _boost(weight: float) -> float:
    return max(1, round(weight / _STEP)) * _STEP


def _mean(lengths: Iterable[int]) -> float:
    """The mean of those that are not empty."""
    found = [each for each in lengths if each]
    return sum(found) / len(found) if found else 1.0
