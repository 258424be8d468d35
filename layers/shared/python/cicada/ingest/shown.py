"""Whether an index shows what the ground truth holds."""

from __future__ import annotations

from cicada.ingest.model import StoredDocument
from cicada.knowledge_bases.settings import MultiVector
from cicada.retrieval.ports import CataloguedIndex


def is_shown(stored: StoredDocument, index: CataloguedIndex) -> bool:
    """Whether the index has passages and card: it may be lost, or an earlier ingest may have died before it."""
    passages = tuple(each.passage for each in stored.embedded())
    if index.passages_of(stored.document) != passages or not _has_card(stored, index):
        return False
    if stored.multivector is MultiVector.NONE or not passages:
        return True
    # A document is replaced as a whole, so checking one passage is enough.
    first = passages[0].passage_id
    kept = index.vectors_of(stored.document.base_key, [first]).get(first)
    return kept is not None and kept.multivector == stored.passages[0].multivector


def _has_card(stored: StoredDocument, index: CataloguedIndex) -> bool:
    """Whether the document's row in the index has the card of the ground truth."""
    shown, wanted = index.row(stored.document), stored.row()
    return (shown and shown.card) == (wanted and wanted.card)
