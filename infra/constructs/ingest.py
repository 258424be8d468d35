"""Ingest: uploaded documents become searchable passages."""

from __future__ import annotations

from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.constructs.documents import Documents
from infra.constructs.function import Functions, allow, consume
from infra.constructs.models import Models
from infra.constructs.search import Search
from infra.constructs.tables import Tables
from infra.settings import StageSettings

_TIMEOUT_SECONDS = 900
# Four documents are read at once, each in a process of at most 640 MB (cicada/adapters/parser_process.py). A new
# account has to request more than 3,008 MB.
_MEMORY_MB = 3008
# Files of one batch share the calls of the embedding model. A batch has no more files than the function ingests in
# parallel: the worst file takes minutes of CPU, and a file that waits for it would be delivered again with it.
_BATCH_SIZE = 4
# The viewers of documents, and the fields of knowledge bases.
_KEEP = ("dynamodb:BatchGetItem", "dynamodb:DeleteItem", "dynamodb:PutItem", "dynamodb:UpdateItem")


class Ingest(Construct):
    """The bucket, its queue, and the function that consumes the queue."""

    def __init__(
        self, scope: Construct, id: str, *, functions: Functions, models: Models, search: Search, tables: Tables
    ) -> None:
        super().__init__(scope, id)
        settings = functions.settings
        self.documents = Documents(self, "Documents", settings=settings, consumer_timeout_seconds=_TIMEOUT_SECONDS)
        self.function = functions.add(
            self,
            "ingest_document",
            environment={
                "documents_bucket": self.documents.bucket.bucket_name,
                "readers_table": tables.access_lists.table_name,
                "context_model_id": settings.context_model_id,
                "card_model_id": settings.card_model_id,
                "ocr": settings.ocr,
                **search.environment,
            },
            searches=True,
            reads_documents=True,
            timeout_seconds=_TIMEOUT_SECONDS,
            memory_mb=_MEMORY_MB,
        )
        self._grant_storage(self.function)
        if settings.ocr:
            self._grant_recognition(self.function)
        allow(self.function, _KEEP, tables.access_lists.table_arn)
        search.grant_write(self.function)
        writers = list(filter(None, (settings.context_model_id, settings.card_model_id)))
        models.allow(self.function, ["bedrock:InvokeModel"], writers)
        self._consume(self.documents.changes, settings)

    def _grant_storage(self, function: lambda_.Function) -> None:
        """Grant `s3:ListBucket` too: without it S3 answers 403 and not 404 for a missing object."""
        bucket = self.documents.bucket
        truth, record = bucket.arn_for_objects("truth/*"), bucket.arn_for_objects("rebuild/record.json.gz")
        vectors = bucket.arn_for_objects("vectors/*")
        allow(function, ["s3:ListBucket"], bucket.bucket_arn)
        allow(function, ["s3:GetObject"], bucket.arn_for_objects("documents/*"), truth, record, vectors)
        allow(function, ["s3:PutObject"], bucket.arn_for_objects("reports/*"), truth, record, vectors)
        allow(function, ["s3:DeleteObject"], truth)

    def _consume(self, queue: sqs.Queue, settings: StageSettings) -> None:
        """The function shortens the visibility timeout of files whose ingest has failed."""
        most = None if settings.local else settings.concurrency.ingest
        consume(self.function, queue, batch_size=_BATCH_SIZE, max_concurrency=most)
        allow(self.function, ["sqs:ChangeMessageVisibility", "sqs:GetQueueUrl"], queue.queue_arn)

    def _grant_recognition(self, function: lambda_.Function) -> None:
        """Textract reads the copy of a scan with the function's rights. Its jobs are no resources."""
        allow(function, ["s3:GetObject", "s3:PutObject"], self.documents.bucket.arn_for_objects("scans/*"))
        allow(function, ["textract:GetDocumentTextDetection", "textract:StartDocumentTextDetection"], "*")
