"""The files of documents, by addresses that are signed for a minute."""

from __future__ import annotations

import hashlib
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import quote

from cicada.adapters.aws_errors import s3_errors
from cicada.adapters.s3.keys import object_key
from cicada.documents.catalogue import DocumentRow

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

ADDRESS_SECONDS = 60


class S3Originals:
    def __init__(self, client: S3Client, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def address(self, row: DocumentRow) -> str | None:
        """The address of the file that the row was made from; None if there is none, or another one by now.

        A file that was not ingested yet may be for fewer users than the index knows, so its bytes are compared. Where
        the bucket keeps versions, the address is of that version; else of what lies there within the minute. Failures
        are `DependencyError`s.
        """
        key = object_key(row.document)
        found, version = self._read(key)
        if found != row.content_hash:
            return None
        disposition = disposition_of(PurePosixPath(row.document.document_id).name)
        # Whatever the file was uploaded as, a browser keeps it and does not run it.
        asked = {"ResponseContentDisposition": disposition, "ResponseContentType": "application/octet-stream"}
        if version:
            asked["VersionId"] = version
        with s3_errors():
            return self._client.generate_presigned_url(
                "get_object", Params={"Bucket": self._bucket, "Key": key, **asked}, ExpiresIn=ADDRESS_SECONDS
            )

    def _read(self, key: str) -> tuple[str, str]:
        """The hash of the file and its version, empty in a bucket that keeps none; both empty without a file."""
        with s3_errors():
            try:
                got = self._client.get_object(Bucket=self._bucket, Key=key)
            except self._client.exceptions.NoSuchKey:
                return "", ""
            digest = hashlib.sha256()
            body = got["Body"]
            with body:
                for chunk in body.iter_chunks(1 << 20):
                    digest.update(chunk)
        version = got.get("VersionId", "")
        return digest.hexdigest(), "" if version == "null" else version


def disposition_of(name: str) -> str:
    """The header with which a browser saves a file under this name, after RFC 6266."""
    plain = re.sub(r"[^A-Za-z0-9._ -]", "_", name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
