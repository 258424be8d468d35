"""Ingest: uploaded documents become searchable passages."""

from __future__ import annotations

from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_event_sources as sources
from constructs import Construct

from infra.constructs.documents import Documents
from infra.constructs.function import Functions
from infra.constructs.models import model_arns
from infra.constructs.search import Search

_TIMEOUT_SECONDS = 900
# The largest documents take 250 MB each while they are read, 600 MB while they are parsed. More than 3,008 MB has to be
# asked for in a new account.
_MEMORY_MB = 3008
# Files that are ingested together share the calls of the embedding model. No more than the function ingests at once:
# the worst file takes minutes of CPU, and a file that waits for it would be delivered again with it.
_BATCH_SIZE = 4


class Ingest(Construct):
    """The bucket, its queue, and the function that works it off."""

    def __init__(self, scope: Construct, id: str, *, functions: Functions, search: Search) -> None:
        super().__init__(scope, id)
        self.documents = Documents(
            self, "Documents", settings=functions.settings, consumer_timeout_seconds=_TIMEOUT_SECONDS
        )
        settings = functions.settings
        self.function = functions.add(
            self,
            "ingest_document",
            environment={
                "documents_bucket": self.documents.bucket.bucket_name,
                "context_model_id": settings.context_model_id,
                **search.environment,
            },
            searches=True,
            reads_documents=True,
            timeout_seconds=_TIMEOUT_SECONDS,
            memory_mb=_MEMORY_MB,
        )
        self._grant_storage(self.function)
        search.grant_write(self.function)
        if settings.context_model_id:
            models = model_arns(settings.context_model_id)
            self.function.add_to_role_policy(iam.PolicyStatement(actions=["bedrock:InvokeModel"], resources=models))
        self.function.add_event_source(
            sources.SqsEventSource(self.documents.changes, batch_size=_BATCH_SIZE, report_batch_item_failures=True)
        )

    def _grant_storage(self, function: lambda_.Function) -> None:
        bucket = self.documents.bucket
        bucket.grant_read(function, "documents/*")
        bucket.grant_put(function, "reports/*")
        for objects in ("truth/*", "rebuild/record.json.gz"):
            bucket.grant_read(function, objects)
            bucket.grant_put(function, objects)
        bucket.grant_delete(function, "truth/*")
