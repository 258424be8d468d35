"""Objects of a bucket: read whole, found without being read, and written over a known version."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError
from msgspec import Struct

from cicada.adapters.aws_errors import s3_errors

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class StoredObject(Struct, frozen=True):
    """`version`: the ETag."""

    content: bytes
    version: str
    written_at: datetime


def read_object(client: S3Client, bucket: str, key: str, most: int | None = None) -> StoredObject | None:
    """The object, or so many bytes of it at most; None if there is none."""
    with s3_errors():
        try:
            reply = client.get_object(Bucket=bucket, Key=key)
        except client.exceptions.NoSuchKey:
            return None
        with reply["Body"] as body:
            return StoredObject(body.read(most), reply["ETag"], reply["LastModified"])


def find_version(client: S3Client, bucket: str, key: str) -> str | None:
    """The object's ETag; None if there is none. HEAD does not distinguish a missing object from a missing bucket."""
    with s3_errors():
        found = client.list_objects_v2(Bucket=bucket, Prefix=key, MaxKeys=1)
    return next((each["ETag"] for each in found.get("Contents", []) if each["Key"] == key), None)


def write_over(client: S3Client, bucket: str, key: str, version: str, **written: Any) -> str | None:
    """Write the object over this version, empty for none; its version, None if another one is there by now.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
    """
    condition: dict[str, Any] = {"IfMatch": version} if version else {"IfNoneMatch": "*"}
    try:
        with s3_errors():
            return client.put_object(Bucket=bucket, Key=key, **written, **condition)["ETag"]
    except ClientError:
        # The condition does not hold, another write is under way, or the object is gone. Other codes are translated.
        return None
