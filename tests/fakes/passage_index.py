"""A `PassageIndex` in memory, and an `IndexRebuild` of it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock

from cicada.documents.card import Card
from cicada.documents.catalogue import TITLE, DocumentRow, RowPage, Sort, row_of
from cicada.documents.filter import PassageFilter, Scalar, meets
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, MetadataValue, Passage
from cicada.errors import ConfigurationError, UnavailableError
from cicada.languages.terms import STOP_WORDS, query_terms, words
from cicada.retrieval.bm25 import CARD_FIELDS
from cicada.retrieval.cards import card_texts
from cicada.retrieval.model import (
    CardHit,
    CardHits,
    CardQuery,
    EmbeddedPassage,
    Hit,
    IndexHits,
    IndexQuery,
    Vector,
)

Documents = dict[DocumentKey, tuple[EmbeddedPassage, ...]]
Rows = dict[DocumentKey, DocumentRow]
Cards = dict[DocumentKey, tuple[DocumentRow, Card, Vector]]


@dataclass(slots=True)
class Build:
    """An index that is not searched yet."""

    documents: Documents = field(default_factory=dict)
    rows: Rows = field(default_factory=dict)
    cards: Cards = field(default_factory=dict)


@dataclass(slots=True)
class IndexContents:
    """What outlives the index object: the documents, and whose vectors they have."""

    model_id: str
    dimension: int
    documents: Documents = field(default_factory=dict)
    rows: Rows = field(default_factory=dict)
    cards: Cards = field(default_factory=dict)
    building: Build | None = None
    lock: Lock = field(default_factory=Lock)


class InMemoryPassageIndex:
    """BM25 as tf · idf, kNN by cosine. Replaces a document by one assignment, so threads see it whole."""

    def __init__(
        self, model_id: str, dimension: int, contents: IndexContents | None = None, build: Build | None = None
    ) -> None:
        self._contents = contents or IndexContents(model_id, dimension)
        self._embedder = (model_id, dimension)
        self._build = build

    def search(self, query: IndexQuery) -> IndexHits:
        self._check(query.vector)
        found = self._matching(query.filter)
        words = {_stem(term) for term in query_terms(query.text)}
        texts = {each.passage.passage_id: Counter(_stems(each.passage)) for each in found}
        weights = {
            word: math.log(1 + len(found) / (1 + sum(word in text for text in texts.values()))) for word in words
        }
        lexical = [
            Hit(each.passage, sum(weights[word] * texts[each.passage.passage_id][word] for word in words))
            for each in found
        ]
        semantic = [Hit(each.passage, _cosine(each.vector, query.vector)) for each in found]
        return IndexHits(_best([hit for hit in lexical if hit.score > 0], query.limit), _best(semantic, query.limit))

    def replace(
        self,
        document: DocumentKey,
        passages: Sequence[EmbeddedPassage],
        row: DocumentRow | None = None,
        card_vector: Vector = (),
    ) -> None:
        row = row or row_of([each.passage for each in passages])
        for vector in (*(each.vector for each in passages), *([card_vector] if len(card_vector) else [])):
            self._check(vector)
        with self._contents.lock:
            for build in self._written_to():
                build.documents[document] = tuple(passages)
                if row and passages:
                    build.rows[document] = row
                else:
                    build.rows.pop(document, None)
                if row and passages and row.card:
                    build.cards[document] = (row, row.card, tuple(card_vector))
                else:
                    build.cards.pop(document, None)

    def delete(self, document: DocumentKey) -> None:
        with self._contents.lock:
            for build in self._written_to():
                build.documents.pop(document, None)
                build.rows.pop(document, None)
                build.cards.pop(document, None)

    def count(self, filter: PassageFilter) -> int:
        self._check()
        return len(self._matching(filter))

    def passages_with(self, filter: PassageFilter, terms: Sequence[str]) -> Mapping[str, int]:
        readable = PassageFilter(filter.base_key, reader=filter.reader)
        texts = [set(_stems(each.passage)) for each in self._matching(readable)]
        return {term: sum(_holds(text, term) for text in texts) for term in terms}

    def find_cards(self, query: CardQuery) -> CardHits:
        cards = [
            (row, card, vector) for row, card, vector in list(self._cards().values()) if _matches(query.filter, row)
        ]
        words = {_stem(term) for term in query_terms(query.text)}
        texts = [
            (
                row,
                {name: Counter(_text_stems(text)) for name, text in card_texts(card, row.document.document_id).items()},
            )
            for row, card, _ in cards
        ]
        weights = {
            word: math.log(1 + len(texts) / (1 + sum(word in each["head"] + each["body"] for _, each in texts)))
            for word in words
        }
        lexical = [
            CardHit(
                row,
                sum(CARD_FIELDS[name] * weights[word] * text[word] for name, text in fields.items() for word in words),
            )
            for row, fields in texts
        ]
        if not len(query.vector):
            return CardHits(_best_cards([hit for hit in lexical if hit.score > 0], query.limit))
        self._check(query.vector)
        semantic = [CardHit(row, _cosine(vector, query.vector)) for row, _, vector in cards if vector]
        return CardHits(
            _best_cards([hit for hit in lexical if hit.score > 0], query.limit), _best_cards(semantic, query.limit)
        )

    def row(self, document: DocumentKey) -> DocumentRow | None:
        return self._rows().get(document)

    def rows(self, filter: PassageFilter, sort: Sort, limit: int, offset: int = 0) -> RowPage:
        rows = sorted(self._matching_rows(filter), key=lambda row: row.document.document_id)
        with_key = [row for row in rows if _sort_key(row, sort) is not None]
        without = [row for row in rows if _sort_key(row, sort) is None]
        ordered = [*sorted(with_key, key=lambda row: _sort_key(row, sort), reverse=sort.descending), *without]  # type: ignore[arg-type, return-value]
        page = tuple(ordered[offset : offset + limit])
        end = offset + len(page)
        return RowPage(page, len(ordered), end if page and end < len(ordered) else None)

    def count_documents(self, filter: PassageFilter) -> int:
        return len(self._matching_rows(filter))

    def count_by(self, filter: PassageFilter, field: str) -> Mapping[Scalar, int]:
        return Counter(
            value for row in self._matching_rows(filter) for value in set(_values(row.metadata.get(field, ())))
        )

    def copies_of(self, document: DocumentKey, content_hash: str) -> tuple[str, ...]:
        return tuple(
            sorted(
                other.document_id
                for other, row in list(self._rows().items())
                if other.base_key == document.base_key
                and other != document
                and content_hash
                and row.content_hash == content_hash
            )
        )

    def readers_of(self, base_key: KnowledgeBaseKey, document_ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        rows = ((name, self._rows().get(DocumentKey(base_key, name))) for name in document_ids)
        return {name: row.readers for name, row in rows if row}

    def _matching_rows(self, filter: PassageFilter) -> list[DocumentRow]:
        return [row for row in list(self._rows().values()) if _matches(filter, row)]

    def passages_of(self, document: DocumentKey) -> tuple[Passage, ...]:
        kept = self._documents().get(document, ())
        return tuple(sorted((each.passage for each in kept), key=lambda passage: passage.passage_id))

    def vectors_of(self, base_key: KnowledgeBaseKey, passage_ids: Sequence[str]) -> Mapping[str, Vector]:
        return {
            each.passage.passage_id: each.vector
            for document, kept in list(self._documents().items())
            if document.base_key == base_key
            for each in kept
            if each.passage.passage_id in passage_ids
        }

    def _documents(self) -> Documents:
        return self._contents.documents if self._build is None else self._build.documents

    def _rows(self) -> Rows:
        return self._contents.rows if self._build is None else self._build.rows

    def _cards(self) -> Cards:
        return self._contents.cards if self._build is None else self._build.cards

    def _written_to(self) -> list[IndexContents | Build]:
        building = self._contents.building
        if self._build is not None:
            if self._build is not building:
                raise UnavailableError("This index is not being built any more.")
            return [self._build]
        return [self._contents, *([building] if building else [])]

    def _check(self, vector: Vector | None = None) -> None:
        model_id, dimension = self._embedder
        if (self._contents.model_id, self._contents.dimension) != (model_id, dimension):
            raise ConfigurationError(
                f"The index holds vectors of {self._contents.model_id} ({self._contents.dimension}), "
                f"and the embedder is {model_id} ({dimension})."
            )
        if vector is not None and len(vector) != dimension:
            raise ConfigurationError(f"A vector has {len(vector)} dimensions instead of {dimension}.")

    def _matching(self, filter: PassageFilter) -> list[EmbeddedPassage]:
        return [
            each
            for document, kept in list(self._documents().items())
            if document.base_key == filter.base_key
            and (filter.document_ids is None or document.document_id in filter.document_ids)
            for each in kept
            if meets(each.passage.metadata, filter.conditions) and _may_read(filter, each.passage.readers)
        ]


@dataclass(slots=True)
class InMemoryIndexRebuild:
    """Switches by one assignment."""

    contents: IndexContents
    begun: Build | None = None

    def begin(self) -> InMemoryPassageIndex:
        with self.contents.lock:
            self.begun = self.contents.building = Build()
        return InMemoryPassageIndex(self.contents.model_id, self.contents.dimension, self.contents, self.begun)

    def building(self) -> InMemoryPassageIndex | None:
        with self.contents.lock:
            self.begun = self.contents.building
        if self.begun is None:
            return None
        return InMemoryPassageIndex(self.contents.model_id, self.contents.dimension, self.contents, self.begun)

    def switch(self) -> None:
        with self.contents.lock:
            if self.begun is None or self.begun is not self.contents.building:
                raise UnavailableError("The new index is not being built any more.")
            self.contents.documents, self.contents.rows = self.begun.documents, self.begun.rows
            self.contents.cards = self.begun.cards
            self.contents.building = None

    def abandon(self) -> None:
        with self.contents.lock:
            if self.begun is self.contents.building:
                self.contents.building = None


def _values(value: MetadataValue) -> tuple[Scalar, ...]:
    return value if isinstance(value, tuple) else (value,)


def _sort_key(row: DocumentRow, sort: Sort) -> tuple[bool, Scalar] | None:
    """Numbers before texts, as both engines have it."""
    values = (row.title,) if sort.field == TITLE else _values(row.metadata.get(sort.field, ()))
    return (isinstance(values[0], str), values[0]) if values else None


def _may_read(filter: PassageFilter, readers: tuple[str, ...]) -> bool:
    return filter.reader is None or not readers or bool(filter.reader.intersection(readers))


def _best(hits: list[Hit], limit: int) -> tuple[Hit, ...]:
    return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.passage.passage_id))[:limit])


def _best_cards(hits: list[CardHit], limit: int) -> tuple[CardHit, ...]:
    return tuple(sorted(hits, key=lambda hit: (-hit.score, hit.row.document.document_id))[:limit])


def _matches(filter: PassageFilter, row: DocumentRow) -> bool:
    return (
        row.document.base_key == filter.base_key
        and (filter.document_ids is None or row.document.document_id in filter.document_ids)
        and meets(row.metadata, filter.conditions)
        and _may_read(filter, row.readers)
    )


def _holds(stems: set[str], term: str) -> bool:
    telling = {_stem(each) for each in words(term) if each not in STOP_WORDS}
    return bool(telling) and telling <= stems


def _stems(passage: Passage) -> list[str]:
    return _text_stems(f"{passage.title} {passage.context} {passage.text}")


def _text_stems(text: str) -> list[str]:
    return [_stem(term) for word in text.split() for term in query_terms(word)]


def _stem(term: str) -> str:
    return term.removesuffix("s")


def _cosine(one: Vector, other: Vector) -> float:
    lengths = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / lengths if lengths else 0.0
