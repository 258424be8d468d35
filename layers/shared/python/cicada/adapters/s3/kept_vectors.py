"""Vectors that an unfinished ingest has left: one object for each part of a document.

A rule of the bucket deletes them after a day. An object is a line of JSON with the vectors' dimension, then the vectors
as 32-bit floats.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cicada.adapters.aws_errors import s3_errors
from cicada.adapters.s3.ground_truth import floats_from_bytes, floats_to_bytes
from cicada.adapters.s3.keys import vectors_key
from cicada.adapters.s3.objects import read_object
from cicada.documents.model import DocumentKey
from cicada.retrieval.model import Vector

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class S3KeptVectors:
    def __init__(self, client: S3Client, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def read(self, document: DocumentKey, part: str) -> list[Vector] | None:
        found = read_object(self._client, self._bucket, vectors_key(document, part))
        return _decoded(found.content) if found else None

    def write(self, document: DocumentKey, part: str, vectors: Sequence[Vector]) -> None:
        with s3_errors():
            self._client.put_object(Bucket=self._bucket, Key=vectors_key(document, part), Body=_encoded(vectors))


def _encoded(vectors: Sequence[Vector]) -> bytes:
    head = json.dumps({"dimension": len(vectors[0])}).encode()
    return b"".join([head, b"\n", *map(floats_to_bytes, vectors)])


def _decoded(content: bytes) -> list[Vector]:
    head, _, rest = content.partition(b"\n")
    size = 4 * json.loads(head)["dimension"]
    return [floats_from_bytes(rest[start : start + size]) for start in range(0, len(rest), size)]
