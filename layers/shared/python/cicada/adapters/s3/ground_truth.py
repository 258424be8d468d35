"""The ground truth of documents: one object for each in the documents' bucket."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cicada.adapters.aws_errors import s3_errors
from cicada.adapters.s3.keys import TRUTH_PREFIX, is_truth, truth_document, truth_key, truth_prefix
from cicada.adapters.s3.stored_document_codec import decode, encode
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.ingest.model import StoredDocument, TruthEntry

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class S3GroundTruth:
    """A document's revision is its object's ETag. S3 reads are strongly consistent.

    `page_size`: documents for each listing call; S3 returns at most 1,000.
    """

    def __init__(self, client: S3Client, bucket: str, page_size: int = 1000) -> None:
        self._client = client
        self._bucket = bucket
        self._page_size = page_size

    def write(self, stored: StoredDocument) -> None:
        content = encode(stored)
        with s3_errors():
            self._client.put_object(
                Bucket=self._bucket, Key=truth_key(stored.document), Body=content, ContentType="application/gzip"
            )

    def read(self, document: DocumentKey) -> TruthEntry | None:
        with s3_errors():
            try:
                reply = self._client.get_object(Bucket=self._bucket, Key=truth_key(document))
            except self._client.exceptions.NoSuchKey:
                return None
            with reply["Body"] as body:
                content = body.read()
        return TruthEntry(decode(content, document), reply["ETag"])

    def delete(self, document: DocumentKey) -> None:
        with s3_errors():
            self._client.delete_object(Bucket=self._bucket, Key=truth_key(document))

    def revision(self, document: DocumentKey) -> str | None:
        # HEAD does not distinguish a missing object from a missing bucket.
        key = truth_key(document)
        with s3_errors():
            found = self._client.list_objects_v2(Bucket=self._bucket, Prefix=key, MaxKeys=1)
        return next((each["ETag"] for each in found.get("Contents", []) if each["Key"] == key), None)

    def settled(self, base_key: KnowledgeBaseKey, before: float) -> tuple[str, ...]:
        with s3_errors():
            found = self._client.list_objects_v2(Bucket=self._bucket, Prefix=truth_prefix(base_key))
        return tuple(
            truth_document(each["Key"]).document_id
            for each in found.get("Contents", [])
            if is_truth(each["Key"]) and each["LastModified"].timestamp() < before
        )

    def list(self) -> Iterator[tuple[DocumentKey, str]]:
        pages = self._client.get_paginator("list_objects_v2").paginate(
            Bucket=self._bucket, Prefix=TRUTH_PREFIX, PaginationConfig={"PageSize": self._page_size}
        )
        with s3_errors():
            for page in pages:
                for each in page.get("Contents", []):
                    if is_truth(each["Key"]):
                        yield truth_document(each["Key"]), each["ETag"]
