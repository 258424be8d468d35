"""The document store: files and reports in one S3 bucket."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from cicada.adapters.aws_errors import s3_errors
from cicada.adapters.s3.keys import is_sidecar, object_key, report_key, sidecar_key
from cicada.adapters.s3.objects import find_version, read_object
from cicada.documents.model import DocumentKey
from cicada.ingest.model import (
    MAX_BYTES,
    MISNAMED_SIDECAR,
    SIDECAR_BYTES,
    IngestReport,
    OversizedFile,
    SourceFile,
    report_fields,
    version_of,
)

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


def _now() -> datetime:
    return datetime.now(UTC)


class S3DocumentStore:
    """`max_bytes`: the most that is fetched of a file."""

    def __init__(
        self, client: S3Client, bucket: str, max_bytes: int = MAX_BYTES, clock: Callable[[], datetime] = _now
    ) -> None:
        self._client = client
        self._bucket = bucket
        self._max_bytes = max_bytes
        self._clock = clock

    def read(self, document: DocumentKey) -> SourceFile | OversizedFile | None:
        content = self._content(object_key(document), self._max_bytes)
        if content is None:
            return None
        # Read after the file, because uploaders write it before: a new file must not get an old access list.
        sidecar = (
            MISNAMED_SIDECAR if self._is_misnamed(document) else self._content(sidecar_key(document), SIDECAR_BYTES)
        )
        if len(content) > self._max_bytes:
            limit = f"{self._max_bytes / 1_000_000:g} MB"
            return OversizedFile(document, f"The file is larger than {limit}; split it and upload the parts.", sidecar)
        name = PurePosixPath(document.document_id).name
        return SourceFile(document, name, content, version_of(content, sidecar), sidecar)

    def holds(self, document: DocumentKey) -> bool:
        return find_version(self._client, self._bucket, object_key(document)) is not None

    def _is_misnamed(self, document: DocumentKey) -> bool:
        """Whether the bucket has a sidecar of the document whose name is in another case."""
        right = sidecar_key(document)
        with s3_errors():
            found = self._client.list_objects_v2(Bucket=self._bucket, Prefix=f"{object_key(document)}.")
        keys = (each["Key"] for each in found.get("Contents", []))
        return any(key != right and len(key) == len(right) and is_sidecar(key) for key in keys)

    def _content(self, key: str, most: int) -> bytes | None:
        """The object's bytes, at most `most` + 1 of them."""
        found = read_object(self._client, self._bucket, key, most + 1)
        return found.content if found else None

    def write_report(self, report: IngestReport) -> None:
        """The report includes the time, so that no two reports on a document are equal."""
        fields = report_fields(report) | {"reportedAt": self._clock().isoformat(timespec="microseconds")}
        with s3_errors():
            self._client.put_object(
                Bucket=self._bucket,
                Key=report_key(report.document),
                Body=json.dumps(fields, indent=1).encode(),
                ContentType="application/json",
            )
