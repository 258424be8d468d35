"""Logs and metrics of ingest: ids, counts and kinds of reasons, never a file's content."""

from __future__ import annotations

from collections.abc import Mapping

from aws_lambda_powertools import single_metric
from aws_lambda_powertools.metrics import MetricUnit

from cicada.bootstrap.log import logger
from cicada.ingest.model import IngestReport, Outcome

_NAMESPACE = "CICADA"


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
        with single_metric(
            name, unit=MetricUnit.Count, value=1, namespace=_NAMESPACE, default_dimensions={"Reason": kind}
        ):
            pass


def log_misplaced(misplaced: Mapping[str, str]) -> None:
    """Log objects that are no documents, for which no report can be stored."""
    for key, reason in misplaced.items():
        logger.warning("Passed over an object", extra={"key": key, "reason": reason})
