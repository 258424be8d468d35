"""The embedding of a large document is resumed where it stopped."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cicada.deadline import Deadline, ending_by
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import ThrottledError, UnavailableError
from cicada.ingest.ports import KeptVectors
from cicada.ingest.vectors import PART, Encoder
from cicada.retrieval.model import Vector
from tests.fakes.kept_vectors import InMemoryKeptVectors
from tests.fakes.passages import passage
from tests.unit.ingest.passage_index import CountingEmbedder

DOCUMENT = DocumentKey(KnowledgeBaseKey("default", "handbook"), "book.md")
OTHER = DocumentKey(KnowledgeBaseKey("default", "handbook"), "other.md")


def stored(
    embedder: CountingEmbedder,
    count: int,
    kept: KeptVectors | None = None,
    document: DocumentKey = DOCUMENT,
    tell_left: Callable[[int], None] = lambda left: None,
) -> list[Vector]:
    """The vectors of so many texts, of which the last is the card's."""
    passages = [passage(document, number, f"text {number}") for number in range(count - 1)]
    made, card = Encoder(embedder, document, kept, tell_left).stored(passages, [""] * len(passages), "A card", None)
    return [*(each.vector for each in made), card]


def test_a_throttled_embedding_goes_on_where_it_stopped() -> None:
    kept, throttled, willing = InMemoryKeptVectors(), CountingEmbedder(most=2 * PART), CountingEmbedder()
    with pytest.raises(ThrottledError):
        stored(throttled, 3 * PART, kept)
    vectors = stored(willing, 3 * PART, kept)
    assert (len(throttled.texts), len(willing.texts)) == (2 * PART, PART)
    assert vectors == stored(CountingEmbedder(), 3 * PART)


def test_how_many_texts_are_left_is_told_before_each_of_several_parts() -> None:
    told: list[int] = []
    for count in (2 * PART + 1, PART):
        stored(CountingEmbedder(), count, InMemoryKeptVectors(), tell_left=told.append)
    assert told == [2 * PART + 1, PART + 1, 1]


def test_no_part_is_begun_after_the_deadline() -> None:
    kept, now = InMemoryKeptVectors(), [0.0]
    late = CountingEmbedder()
    with ending_by(Deadline(10.0, lambda: now[0])):
        stored(late, PART + 1, kept)
        now[0] = 11.0
        with pytest.raises(UnavailableError, match="next try goes on"):
            stored(late, 2 * PART + 1, kept)
    assert len(late.texts) == PART + 1
    assert len(stored(late, PART + 1, kept)) == PART + 1


@pytest.mark.parametrize(("document", "model_id"), [(OTHER, "length"), (DOCUMENT, "another")])
def test_vectors_of_another_document_or_model_are_not_used(document: DocumentKey, model_id: str) -> None:
    kept, other = InMemoryKeptVectors(), CountingEmbedder(model_id=model_id)
    stored(CountingEmbedder(), PART + 1, kept)
    stored(other, PART + 1, kept, document)
    assert len(other.texts) == PART + 1


def test_a_document_of_one_part_is_embedded_at_once_and_leaves_nothing() -> None:
    kept, embedder = InMemoryKeptVectors(), CountingEmbedder()
    stored(embedder, PART, kept)
    assert (len(embedder.texts), kept.parts) == (PART, {})
