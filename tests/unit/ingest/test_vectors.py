"""The embedding of a large document is resumed where it stopped."""

from __future__ import annotations

import pytest

from cicada.deadline import Deadline, ending_by
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import ThrottledError, UnavailableError
from cicada.ingest.vectors import PART, Encoder
from cicada.retrieval.model import Vector
from tests.fakes.kept_vectors import InMemoryKeptVectors
from tests.fakes.passages import passage
from tests.unit.ingest.passage_index import CountingEmbedder

DOCUMENT = DocumentKey(KnowledgeBaseKey("default", "handbook"), "book.md")
OTHER = DocumentKey(KnowledgeBaseKey("default", "handbook"), "other.md")


def stored(encoder: Encoder, count: int) -> list[Vector]:
    passages = [passage(encoder.document, number, f"text {number}") for number in range(count)]
    made, _ = encoder.stored(passages, [""] * count, "", None)
    return [each.vector for each in made]


def test_a_throttled_embedding_goes_on_where_it_stopped() -> None:
    kept, throttled, willing = InMemoryKeptVectors(), CountingEmbedder(most=2 * PART), CountingEmbedder()
    with pytest.raises(ThrottledError):
        stored(Encoder(throttled, DOCUMENT, kept=kept), 3 * PART)
    vectors = stored(Encoder(willing, DOCUMENT, kept=kept), 3 * PART)
    assert (len(throttled.texts), len(willing.texts)) == (2 * PART, PART)
    assert vectors == stored(Encoder(CountingEmbedder(), DOCUMENT), 3 * PART)


def test_how_many_texts_are_left_is_told_before_each_of_several_parts() -> None:
    told: list[int] = []
    stored(Encoder(CountingEmbedder(), DOCUMENT, kept=InMemoryKeptVectors(), tell_left=told.append), 2 * PART + 1)
    stored(Encoder(CountingEmbedder(), DOCUMENT, kept=InMemoryKeptVectors(), tell_left=told.append), PART)
    assert told == [2 * PART + 1, PART + 1, 1]


def test_no_part_is_begun_after_the_deadline() -> None:
    kept, now = InMemoryKeptVectors(), [0.0]
    late = CountingEmbedder()
    with ending_by(Deadline(10.0, lambda: now[0])):
        stored(Encoder(late, DOCUMENT, kept=kept), PART + 1)
        now[0] = 11.0
        with pytest.raises(UnavailableError, match="next try goes on"):
            stored(Encoder(late, DOCUMENT, kept=kept), 2 * PART + 1)
    assert len(late.texts) == PART + 1
    assert len(stored(Encoder(late, DOCUMENT, kept=kept), PART + 1)) == PART + 1


@pytest.mark.parametrize(("document", "model_id"), [(OTHER, "length"), (DOCUMENT, "another")])
def test_vectors_of_another_document_or_model_are_not_used(document: DocumentKey, model_id: str) -> None:
    kept, other = InMemoryKeptVectors(), CountingEmbedder(model_id=model_id)
    stored(Encoder(CountingEmbedder(), DOCUMENT, kept=kept), PART + 1)
    stored(Encoder(other, document, kept=kept), PART + 1)
    assert len(other.texts) == PART + 1


def test_a_document_of_one_part_is_embedded_at_once_and_leaves_nothing() -> None:
    kept, embedder = InMemoryKeptVectors(), CountingEmbedder()
    stored(Encoder(embedder, DOCUMENT, kept=kept), PART)
    assert (len(embedder.texts), kept.parts) == (PART, {})
