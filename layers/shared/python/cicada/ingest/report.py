"""The ingest report as JSON, and the comparison of an index with what is stored."""

from __future__ import annotations

from typing import Any

from cicada.ingest.model import IngestReport, Outcome, StoredDocument
from cicada.retrieval.ports import CataloguedIndex


def report_fields(report: IngestReport) -> dict[str, Any]:
    """JSON values; names are camelCase as on the wire. `version` is `version_of` the file, or empty."""
    document = report.document
    return {
        "tenant": document.base_key.tenant,
        "knowledgeBase": document.base_key.knowledge_base,
        "documentId": document.document_id,
        "version": report.version,
        "outcome": report.outcome.value,
        "passages": report.passages,
        **({"embedded": report.embedded} if report.outcome is Outcome.UNDER_WAY else {}),
        "readers": list(report.readers),
        "problems": [
            {"place": problem.place, "reason": problem.reason, "kind": problem.kind} for problem in report.problems
        ],
    }


def matches_index(stored: StoredDocument, index: CataloguedIndex) -> bool:
    """Whether the index has the stored passages and card: it may be lost, or an earlier ingest may have died."""
    passages = tuple(each.passage for each in stored.embedded())
    return index.passages_of(stored.document) == passages and _has_card(stored, index)


def _has_card(stored: StoredDocument, index: CataloguedIndex) -> bool:
    """Whether the document's row in the index has the card of the ground truth."""
    indexed, wanted = index.row(stored.document), stored.row()
    return (indexed and indexed.card) == (wanted and wanted.card)
