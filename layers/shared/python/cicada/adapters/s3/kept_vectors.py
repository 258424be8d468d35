"""Vectors that an unfinished ingest has left: one object for each part of a document.

A rule of the bucket deletes them after a day. An object is a line of JSON with the number of vectors, their dimension
and the sizes of the multivectors, then the vectors as 32-bit floats, then the multivectors.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING

from cicada.adapters.aws_errors import s3_errors
from cicada.adapters.s3.keys import vectors_key
from cicada.adapters.s3.stored_document_codec import floats_from_bytes, floats_to_bytes
from cicada.documents.model import DocumentKey
from cicada.retrieval.ports import Encoding

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class S3KeptVectors:
    def __init__(self, client: S3Client, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def read(self, document: DocumentKey, part: str) -> list[Encoding] | None:
        with s3_errors():
            try:
                reply = self._client.get_object(Bucket=self._bucket, Key=vectors_key(document, part))
            except self._client.exceptions.NoSuchKey:
                return None
            with reply["Body"] as body:
                return _decoded(body.read())

    def write(self, document: DocumentKey, part: str, encodings: Sequence[Encoding]) -> None:
        with s3_errors():
            self._client.put_object(Bucket=self._bucket, Key=vectors_key(document, part), Body=_encoded(encodings))


def _encoded(encodings: Sequence[Encoding]) -> bytes:
    head = {"dimension": len(encodings[0][0]), "sizes": [len(multivector) for _, multivector in encodings]}
    vectors = (floats_to_bytes(vector) for vector, _ in encodings)
    return b"".join([json.dumps(head).encode(), b"\n", *vectors, *(multivector for _, multivector in encodings)])


def _decoded(content: bytes) -> list[Encoding]:
    line, _, rest = content.partition(b"\n")
    head = json.loads(line)
    reader = BytesIO(rest)
    vectors = [floats_from_bytes(reader.read(4 * head["dimension"])) for _ in head["sizes"]]
    return [(vector, reader.read(size)) for vector, size in zip(vectors, head["sizes"], strict=True)]
