"""The production index of a set: its documents with their cards and passages, in a temporary file."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from cicada.documents.catalogue import DocumentRow
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, SectionLocator
from cicada.retrieval.model import EmbeddedPassage, Vector, embedded_text
from cicada.retrieval.ports import Embedder
from cicada_embedded.passage_index import SqlitePassageIndex
from evals.documents.dataset import DocumentSet
from evals.retrieval.standin import Say

BASE = KnowledgeBaseKey("evaluation", "documents")
# Documents between two lines of progress.
_STEP = 2_000


@contextmanager
def indexed(documents: DocumentSet, embedder: Embedder, say: Say) -> Iterator[SqlitePassageIndex]:
    """The index with all documents of the set. It is deleted in the end."""
    say("Embedding the cards …")
    cards = dict(zip(documents.cards, _vectors(embedder, map(embedded_text, documents.cards.values())), strict=True))
    with tempfile.TemporaryDirectory(prefix="cicada-eval-") as folder:
        index = SqlitePassageIndex(Path(folder) / "index.sqlite", embedder.model_id, embedder.dimension)
        _fill(index, documents, cards, embedder, say)
        yield index


def passages_of(documents: DocumentSet, document_id: str) -> list[Passage]:
    """The document's passages as ingest makes them: the card's title is the context, and not in the text again."""
    card = documents.cards.get(document_id)
    title = card.title if card else ""
    key = DocumentKey(BASE, document_id)
    return [
        Passage(each.id, key, "1", title, _without(title, each.text), title, SectionLocator(()))
        for each in documents.passages.get(document_id, ())
    ]


def _fill(
    index: SqlitePassageIndex, documents: DocumentSet, cards: dict[str, Vector], embedder: Embedder, say: Say
) -> None:
    passages = {each: passages_of(documents, each) for each in documents.documents}
    texts = [f"{passage.context}\n{passage.text}" for found in passages.values() for passage in found]
    if texts:
        say("Embedding the passages …")
    vectors = iter(_vectors(embedder, texts))
    for number, (document_id, found) in enumerate(passages.items(), start=1):
        embedded = [EmbeddedPassage(passage, next(vectors)) for passage in found]
        index.replace(
            DocumentKey(BASE, document_id),
            embedded or [_blank(document_id, embedder.dimension)],
            _row(documents, document_id, len(embedded)),
            cards.get(document_id, ()),
        )
        if number % _STEP == 0:
            say(f"  {number:,} of {len(passages):,} documents indexed")


def _row(documents: DocumentSet, document_id: str, passages: int) -> DocumentRow:
    card = documents.cards.get(document_id)
    return DocumentRow(DocumentKey(BASE, document_id), card.title if card else "", "1", passages, 0.0, card=card)


def _blank(document_id: str, dimension: int) -> EmbeddedPassage:
    """Stands for the passages of a document without any, because an index keeps no row without; nothing finds it."""
    key = DocumentKey(BASE, document_id)
    return EmbeddedPassage(Passage("", key, "1", "", "", "", SectionLocator(())), [0.0] * dimension)


def _without(title: str, text: str) -> str:
    rest = text.removeprefix(title) if title else text
    return rest.lstrip() if rest != text and (not rest or rest[0].isspace()) else text


def _vectors(embedder: Embedder, texts: Iterator[str] | Sequence[str]) -> list[Vector]:
    return embedder.embed_passages(list(texts))
