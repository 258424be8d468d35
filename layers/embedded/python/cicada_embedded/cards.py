"""The cards of documents: stored with their rows, and searched as passages are."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from cicada.adapters.passage_codec import card_to_json, row_from_json
from cicada.documents.card import Card
from cicada.documents.catalogue import DocumentRow
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.retrieval.bm25 import Bm25
from cicada.retrieval.model import CardHit, CardHits, CardQuery
from cicada_embedded.cache import hidden_numbers, selected_numbers
from cicada_embedded.filters import DOCUMENTS, KnowledgeBaseState, selection
from cicada_embedded.lexical import add_card_words, card_retriever
from cicada_embedded.semantic import SemanticRetriever

Found = list[tuple[int, float]]


def insert_card(connection: sqlite3.Connection, number: int, card: Card, document_id: str, vector: bytes) -> None:
    """Store the card of the document with this number. `vector`: 32-bit floats; empty if the card has none."""
    connection.execute("INSERT INTO card VALUES (?, ?)", (number, card_to_json(card)))
    add_card_words(connection, number, card, document_id)
    if vector:
        connection.execute("INSERT INTO card_vector VALUES (?, ?)", (number, vector))


class CardRetriever:
    """Thread-safe; sees what other processes write."""

    def __init__(self, dimension: int, bm25: Bm25) -> None:
        self._lexical = card_retriever(bm25)
        self._semantic = SemanticRetriever(dimension, DOCUMENTS)

    def search(self, connection: sqlite3.Connection, state: KnowledgeBaseState, query: CardQuery) -> CardHits:
        allowed = selected_numbers(connection, selection(state, query.filter, DOCUMENTS))
        hidden = hidden_numbers(connection, state, query.filter.reader, DOCUMENTS)
        lexical = self._lexical.search(connection, state, query.text, allowed, query.limit, hidden)
        semantic: Found = []
        if len(query.vector):
            vector = self._semantic.unit(query.vector)
            semantic = self._semantic.search(connection, state, vector, allowed, query.limit)
        rows = _rows(connection, query.filter.base_key, {number for number, _ in (*lexical, *semantic)})
        return CardHits(_hits(lexical, rows), _hits(semantic, rows))


def _rows(connection: sqlite3.Connection, base_key: KnowledgeBaseKey, numbers: Iterable[int]) -> dict[int, DocumentRow]:
    found = connection.execute(
        "SELECT number, document_id, row, card FROM document JOIN card USING (number) "
        "WHERE number IN (SELECT value FROM json_each(?))",
        (json.dumps(list(numbers)),),
    )
    return {number: row_from_json(row, DocumentKey(base_key, name), card) for number, name, row, card in found}


def _hits(found: Found, rows: dict[int, DocumentRow]) -> tuple[CardHit, ...]:
    return tuple(CardHit(rows[number], score) for number, score in found)
