"""The document store: files and reports in one S3 bucket."""

from __future__ import annotations

import hashlib
import json
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from cicada.adapters.s3_errors import s3_errors
from cicada.adapters.s3_keys import object_key, report_key
from cicada.documents.model import DocumentKey
from cicada.errors import DocumentRejected
from cicada.ingest.model import IngestReport, SourceFile
from cicada.ingest.report import report_fields

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

MAX_BYTES = 50_000_000


class S3DocumentStore:
    """`max_bytes`: a larger file is refused before its content is fetched. A file's version is its SHA-256."""

    def __init__(self, client: S3Client, bucket: str, max_bytes: int = MAX_BYTES) -> None:
        self._client = client
        self._bucket = bucket
        self._max_bytes = max_bytes

    def read(self, document: DocumentKey) -> SourceFile | None:
        with s3_errors():
            try:
                reply = self._client.get_object(Bucket=self._bucket, Key=object_key(document))
            except self._client.exceptions.NoSuchKey:
                return None
            # The length comes with the reply's headers: one call, and no file that grows between two.
            with reply["Body"] as body:
                if reply["ContentLength"] > self._max_bytes:
                    raise DocumentRejected(
                        f"The file is larger than {self._max_bytes / 1_000_000:g} MB; split it and upload the parts."
                    )
                content = body.read()
        version = hashlib.sha256(content).hexdigest()
        return SourceFile(document, PurePosixPath(document.document_id).name, content, version)

    def write_report(self, report: IngestReport) -> None:
        with s3_errors():
            self._client.put_object(
                Bucket=self._bucket,
                Key=report_key(report.document),
                Body=json.dumps(report_fields(report), indent=1).encode(),
                ContentType="application/json",
            )
