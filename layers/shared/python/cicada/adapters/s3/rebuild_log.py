"""The record of a rebuild: one object in the documents' bucket, written conditionally on its ETag."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from cicada.adapters.aws_errors import s3_errors
from cicada.adapters.s3.keys import REBUILD_KEY, TRUTH_PREFIX, truth_document, truth_key
from cicada.ingest.model import RebuildRecord

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

# https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html: 409 while another write is in progress.
_LOST = ("PreconditionFailed", "ConditionalRequestConflict")


class S3RebuildLog:
    """The revision is the object's ETag, empty as long as there is no object."""

    def __init__(self, client: S3Client, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def read(self) -> tuple[RebuildRecord | None, str]:
        with s3_errors():
            try:
                reply = self._client.get_object(Bucket=self._bucket, Key=REBUILD_KEY)
            except self._client.exceptions.NoSuchKey:
                return None, ""
            with reply["Body"] as body:
                content = body.read()
        return _decoded(content), reply["ETag"]

    def write(self, record: RebuildRecord | None, revision: str) -> str | None:
        content = _encoded(record)
        with s3_errors():
            try:
                if revision:
                    reply = self._client.put_object(
                        Bucket=self._bucket, Key=REBUILD_KEY, Body=content, IfMatch=revision
                    )
                else:
                    reply = self._client.put_object(Bucket=self._bucket, Key=REBUILD_KEY, Body=content, IfNoneMatch="*")
            except ClientError as error:
                if error.response.get("Error", {}).get("Code") in _LOST:
                    return None
                raise
        return reply["ETag"]


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
