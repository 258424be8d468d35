"""The ingest report as JSON, and the comparison of an index with what is stored."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins

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
        "problems": [to_builtins(problem) for problem in report.problems],
    }


def matches_index(stored: StoredDocument, index: CataloguedIndex) -> bool:
    """Whether the index has the stored passages and card: it may be lost, or an earlier ingest may have died."""
    passages = tuple(each.passage for each in stored.embedded())
    if index.passages_of(stored.document) != passages:
        return False
    indexed, wanted = index.row(stored.document), stored.row()
    return (indexed and indexed.card) == (wanted and wanted.card)
