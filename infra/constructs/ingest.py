"""Ingest: uploaded documents become searchable passages."""

from __future__ import annotations

from aws_cdk import aws_lambda_event_sources as sources
from constructs import Construct

from infra.constructs.documents import Documents
from infra.constructs.function import Functions
from infra.constructs.search import Search

_TIMEOUT_SECONDS = 900


class Ingest(Construct):
    """The bucket, its queue, and the function that works it off."""

    def __init__(self, scope: Construct, id: str, *, functions: Functions, search: Search) -> None:
        super().__init__(scope, id)
        self.documents = Documents(
            self, "Documents", settings=functions.settings, consumer_timeout_seconds=_TIMEOUT_SECONDS
        )
        function = functions.add(
            self,
            "ingest_document",
            environment={"documents_bucket": self.documents.bucket.bucket_name, **search.environment},
            searches=True,
            timeout_seconds=_TIMEOUT_SECONDS,
            memory_mb=2048,
        )
        self.documents.bucket.grant_read(function, "documents/*")
        self.documents.bucket.grant_put(function, "reports/*")
        search.grant_write(function)
        function.add_event_source(
            sources.SqsEventSource(self.documents.changes, batch_size=1, report_batch_item_failures=True)
        )
