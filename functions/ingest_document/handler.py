"""Ingest: brings the index into the state of the uploaded files that S3 announces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cicada.adapters.s3_keys import document_key
from cicada.adapters.s3_notifications import announced_keys
from cicada.bootstrap.ingest import ingester
from cicada.bootstrap.log import logger
from cicada.entry import failed_records
from cicada.errors import DocumentRejected
from cicada.ingest.model import IngestReport
from cicada.ingest.report import report_fields

_EPISODES = Path(__file__).with_name("episodes.toml")


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """An SQS event ends in a batch verdict; `{"key": "documents/…"}` in the report as JSON."""
    if "Records" in event:
        return failed_records(event, _process)
    return report_fields(_ingest(event["key"]))


def _process(body: str) -> None:
    for key in announced_keys(body):
        try:
            report = _ingest(key)
        except DocumentRejected as error:  # a misplaced file has no place for its report
            logger.warning("Passed over an object", extra={"key": key, "reason": str(error)})
        else:
            logger.info("Ingested", extra={"key": key, "outcome": report.outcome, "problems": len(report.problems)})


def _ingest(key: str) -> IngestReport:
    return ingester(_EPISODES).ingest(document_key(key))
