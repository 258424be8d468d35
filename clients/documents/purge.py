"""Removes every version of what the bucket has of a document, so that none can be brought back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cicada.adapters.aws_errors import s3_errors
from cicada.adapters.s3.keys import object_key, report_key, sidecar_key, truth_key, vectors_key
from cicada.documents.model import DocumentKey
from cicada.errors import UnavailableError

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

# https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html
_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class Purged:
    """What was removed. `versions` include the latest ones; `markers` are S3's delete markers."""

    versions: int = 0
    markers: int = 0
    bytes: int = 0

    def __add__(self, other: Purged) -> Purged:
        return Purged(self.versions + other.versions, self.markers + other.markers, self.bytes + other.bytes)


def purge(client: S3Client, bucket: str, document: DocumentKey) -> Purged:
    """Delete all versions of the file, its sidecar, report, ground truth and kept vectors. Raises `CicadaError`.

    The document must have been removed before: this takes nothing out of the index.
    """
    keys = (object_key(document), sidecar_key(document), report_key(document), truth_key(document))
    found = [each for key in keys for each in _versions(client, bucket, key) if each["Key"] == key]
    found += _versions(client, bucket, vectors_key(document, ""))
    for start in range(0, len(found), _AT_ONCE):
        _delete(client, bucket, found[start : start + _AT_ONCE])
    versions = [each for each in found if "Size" in each]
    return Purged(len(versions), len(found) - len(versions), sum(each["Size"] for each in versions))


def _versions(client: S3Client, bucket: str, prefix: str) -> Iterator[dict[str, Any]]:
    """Versions and delete markers; a marker has no size. Without versioning an object has the version `null`."""
    pages: Any = client.get_paginator("list_object_versions").paginate(Bucket=bucket, Prefix=prefix)
    with s3_errors():
        for page in pages:
            yield from page.get("Versions", [])
            yield from page.get("DeleteMarkers", [])


def _delete(client: S3Client, bucket: str, found: list[dict[str, Any]]) -> None:
    objects: Any = [{"Key": each["Key"], "VersionId": each["VersionId"]} for each in found]
    with s3_errors():
        refused = client.delete_objects(Bucket=bucket, Delete={"Objects": objects, "Quiet": True}).get("Errors", [])
    if refused:
        first = refused[0]
        raise UnavailableError(
            f"S3 kept {len(refused)} versions, of {first.get('Key')} because of {first.get('Code')}; purge it again."
        )
