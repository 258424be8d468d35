"""Logs and metrics of ingest: ids, counts and kinds of reasons, never a file's content."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from cicada.bootstrap.log import logger
from cicada.bootstrap.metrics import stage_metrics
from cicada.ingest.model import IngestReport, Outcome


@contextmanager
def counted() -> Iterator[None]:
    """Around the ingest of one document: `FailedIngests` is 1 if it failed and has to be repeated, else 0."""
    failed = True
    try:
        yield
        failed = False
    finally:
        stage_metrics().ingested(failed=failed)


def log_report(report: IngestReport) -> None:
    """`DocumentsRejected` counts rejected files, `DocumentsWithProblems` others, by kind of reason (`Reason`)."""
    document = report.document
    fields = {
        "tenant": document.base_key.tenant,
        "knowledgeBase": document.base_key.knowledge_base,
        "documentId": document.document_id,
        "outcome": report.outcome,
        "problems": len(report.problems),
    }
    logger.info("Ingested", extra=fields)
    name = "DocumentsRejected" if report.outcome is Outcome.REJECTED else "DocumentsWithProblems"
    for kind in sorted({problem.kind for problem in report.problems}):
        stage_metrics().problem(name, kind)


def log_misplaced(misplaced: Mapping[str, str]) -> None:
    """Log objects that are no documents, for which no report can be stored."""
    for key, reason in misplaced.items():
        logger.warning("Passed over an object", extra={"key": key, "reason": reason})
