"""Ingest: updates the index from the uploads that S3 announces, and rebuilds it on demand."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cicada.bootstrap.bases import bases_as_kept
from cicada.bootstrap.ingest import catalogue, compared, ingester, rebuilder, redelivery
from cicada.bootstrap.tracing import traced
from cicada.deadline import Deadline, ending_by
from cicada.documents.model import DocumentKey
from cicada.entry.s3_notifications import Announced, announced_together, announcement, document_named, failed_records
from cicada.ingest.catalogue_event import catalogue_at_once
from cicada.ingest.ingest import Ingester
from cicada.ingest.model import IngestReport, report_fields
from cicada.ingest.parallel import attempted
from cicada.ingest.rebuild import rebuild_at_once
from cicada.observability.metrics import counted, log_misplaced, log_report

_EPISODES = Path(__file__).with_name("episodes.toml")
_AT_ONCE = 4
# What is left of the function's time when no more is embedded: to index what is embedded, and to fail in time. A file
# whose function is killed is not tried again before its message becomes visible, after 90 minutes.
_INDEXING_SECONDS = 200


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Returns a batch verdict for an SQS event, and for a test event what it asks for.

    That is a report for `{"key": "documents/…"}`, progress for `{"rebuild": …}`, and rows of the catalogue for
    `{"documents": …}`.
    """
    if event.get("documents") == "compare":
        return compared()
    if "documents" in event:
        return catalogue_at_once(event, catalogue(), bases_as_kept())
    if "rebuild" in event:
        return rebuild_at_once(event, rebuilder(), context.get_remaining_time_in_millis() / 1000)
    if "key" in event:
        return report_fields(ingester(_EPISODES).ingest(document_named(event["key"])))
    return _ingested(event, context)


def _ingested(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """The verdicts on a batch of messages, whose documents are ingested."""
    # Made before the threads start: each would make its own otherwise, and embedder calls would not be shared.
    ingest = ingester(_EPISODES)
    # A document that several messages announce is ingested once.
    announced = announced_together(event["Records"])
    deadline = Deadline.in_seconds(context.get_remaining_time_in_millis() / 1000 - _INDEXING_SECONDS, time.monotonic)

    def ingested(document: DocumentKey) -> None:
        with ending_by(deadline):
            _ingest(ingest, document, announced[document])

    attempts = attempted(ingested, announced, _AT_ONCE)

    def verdict(record: dict[str, Any]) -> None:
        found = announcement(record["body"])
        log_misplaced(found.misplaced)
        for document in found.documents:
            attempts[document].result()

    verdicts = failed_records(event, verdict)
    redelivery().make_visible(event, verdicts)
    return verdicts


def _ingest(ingest: Ingester, document: DocumentKey, announced: Announced) -> None:
    with traced("ingest", announced.trace_header), counted():
        if report := _way(ingest, announced)(document, announced.again):
            log_report(report)


def _way(ingest: Ingester, announced: Announced) -> Callable[[DocumentKey, bool], IngestReport | None]:
    if not announced.is_file:
        return ingest.ingest_described
    return ingest.ingest_purged if announced.is_purged else ingest.ingest
