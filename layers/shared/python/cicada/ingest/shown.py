"""Whether an index shows what the ground truth holds."""

from __future__ import annotations

from cicada.ingest.model import StoredDocument
from cicada.retrieval.ports import CataloguedIndex


def is_shown(stored: StoredDocument, index: CataloguedIndex) -> bool:
    """Whether the index has passages and card: it may be lost, or an earlier ingest may have died before it."""
    passages = tuple(each.passage for each in stored.embedded())
    return index.passages_of(stored.document) == passages and _has_card(stored, index)


def _has_card(stored: StoredDocument, index: CataloguedIndex) -> bool:
    """Whether the document's row in the index has the card of the ground truth."""
    shown, wanted = index.row(stored.document), stored.row()
    return (shown and shown.card) == (wanted and wanted.card)
