"""The ingest report as JSON, for the uploader to read."""

from __future__ import annotations

from typing import Any

from cicada.ingest.model import IngestReport, Outcome


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
