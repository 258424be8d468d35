"""The record of a rebuild: one object in the documents' bucket, written conditionally on its ETag."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

from cicada.adapters.s3.keys import REBUILD_KEY, TRUTH_PREFIX, truth_document, truth_key
from cicada.adapters.s3.objects import read_object, write_over
from cicada.ingest.model import RebuildRecord

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class S3RebuildLog:
    """The revision is the object's ETag, empty as long as there is no object."""

    def __init__(self, client: S3Client, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def read(self) -> tuple[RebuildRecord | None, str]:
        found = read_object(self._client, self._bucket, REBUILD_KEY)
        return (_decoded(found.content), found.version) if found else (None, "")

    def write(self, record: RebuildRecord | None, revision: str) -> str | None:
        return write_over(self._client, self._bucket, REBUILD_KEY, revision, Body=_encoded(record))


def _encoded(record: RebuildRecord | None) -> bytes:
    if record is None:
        return gzip.compress(b"null", mtime=0)
    copied = {truth_key(document).removeprefix(TRUTH_PREFIX): revision for document, revision in record.copied.items()}
    values = {"run": record.run, "heldUntil": record.held_until, "copied": copied}
    return gzip.compress(json.dumps(values).encode(), mtime=0)


def _decoded(content: bytes) -> RebuildRecord | None:
    values = json.loads(gzip.decompress(content))
    if values is None:
        return None
    copied = {truth_document(key): revision for key, revision in values["copied"].items()}
    return RebuildRecord(values["run"], values["heldUntil"], copied)
