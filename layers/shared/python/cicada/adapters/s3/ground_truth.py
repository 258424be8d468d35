"""The ground truth of documents in S3, and its form in a file."""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from array import array
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from cicada.adapters.aws_errors import s3_errors
from cicada.adapters.passage_codec import card_of, card_values, locator_of, locator_values, metadata_of
from cicada.adapters.s3.keys import TRUTH_PREFIX, is_truth, truth_document, truth_key, truth_prefix
from cicada.adapters.s3.objects import find_version, read_object
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage
from cicada.errors import ConfigurationError
from cicada.ingest.model import StoredDocument, StoredPassage, TruthEntry
from cicada.retrieval.model import Vector

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


# A document's ground truth as bytes: gzipped JSON lines, the first for the document, then one for each passage.
#
# Vectors are base64 of little-endian 32-bit floats.

FORMAT = 2
# Format 1 also has a field `detail` in each line, the token vectors of an earlier version; it is not read.
_READABLE = (1, FORMAT)


def encode(stored: StoredDocument) -> bytes:
    """Encode a document; the same document has the same bytes."""
    # Vectors do not compress beyond what base64 adds, so a higher level would only cost time.
    return gzip.compress(b"".join(_lines(stored)), compresslevel=1, mtime=0)


def decode(content: bytes, document: DocumentKey) -> StoredDocument:
    """The document of `encode`. `ConfigurationError` for bytes of another format."""
    try:
        head, *rows = gzip.decompress(content).splitlines()
        about = json.loads(head)
        if about["format"] not in _READABLE:
            raise ConfigurationError(
                f"The ground truth on {document.document_id} is of format {about['format']}, and this version reads up "
                f"to {FORMAT}; deploy the version that wrote it, or delete it and ingest the document again."
            )
        return StoredDocument(
            document=document,
            version=about["version"],
            model_id=about["model"],
            dimension=about["dimension"],
            passages=tuple(_passage(json.loads(row), document, about["version"]) for row in rows),
            context_model_id=about["contextModel"],
            content_hash=about.get("contentHash", ""),
            ingested_at=about.get("ingestedAt", 0.0),
            card=card_of(about["card"]) if "card" in about else None,
            card_vector=floats_from_bytes(b64decode(about["cardVector"])) if "cardVector" in about else (),
        )
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(
            f"The ground truth on {document.document_id} cannot be read; delete it and ingest the document again."
        ) from error


def _lines(stored: StoredDocument) -> Iterator[bytes]:
    about = {
        "format": FORMAT,
        "version": stored.version,
        "model": stored.model_id,
        "dimension": stored.dimension,
        "contextModel": stored.context_model_id,
        "contentHash": stored.content_hash,
        "ingestedAt": stored.ingested_at,
    }
    yield _line({**about, **_card(stored)})
    for each in stored.passages:
        yield _line(_row(each))


def _card(stored: StoredDocument) -> dict[str, Any]:
    """The card and its vector, each left out if there is none."""
    card = {"card": card_values(stored.card)} if stored.card else {}
    vector = {"cardVector": b64encode(floats_to_bytes(stored.card_vector)).decode()} if len(stored.card_vector) else {}
    return {**card, **vector}


def _line(values: Mapping[str, Any]) -> bytes:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _row(stored: StoredPassage) -> dict[str, Any]:
    passage = stored.passage
    return {
        "id": passage.passage_id,
        "title": passage.title,
        "text": passage.text,
        "context": passage.context,
        "prefix": stored.prefix,
        "locator": locator_values(passage.locator),
        "language": passage.language,
        "metadata": dict(passage.metadata),
        "readers": list(passage.readers),
        "vector": b64encode(floats_to_bytes(stored.vector)).decode(),
    }


def _passage(row: Mapping[str, Any], document: DocumentKey, version: str) -> StoredPassage:
    passage = Passage(
        passage_id=row["id"],
        document=document,
        version=version,
        title=row["title"],
        text=row["text"],
        context=row["context"],
        locator=locator_of(row["locator"]),
        language=row["language"],
        metadata=metadata_of(row["metadata"]),
        readers=tuple(row["readers"]),
    )
    return StoredPassage(passage, row["prefix"], floats_from_bytes(b64decode(row["vector"])))


def floats_to_bytes(vector: Vector) -> bytes:
    return _little_endian(array("f", vector)).tobytes()


def floats_from_bytes(content: bytes) -> array[float]:
    return _little_endian(array("f", content))


def _little_endian(values: array[float]) -> array[float]:
    """Converts between this machine's byte order and the file's; usually they are the same."""
    if sys.byteorder == "big":
        values.byteswap()
    return values


class S3GroundTruth:
    """A document's revision is its object's ETag. S3 reads are strongly consistent."""

    def __init__(self, client: S3Client, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def write(self, stored: StoredDocument) -> None:
        content = encode(stored)
        with s3_errors():
            self._client.put_object(
                Bucket=self._bucket, Key=truth_key(stored.document), Body=content, ContentType="application/gzip"
            )

    def read(self, document: DocumentKey) -> TruthEntry | None:
        found = read_object(self._client, self._bucket, truth_key(document))
        return TruthEntry(decode(found.content, document), found.version) if found else None

    def delete(self, document: DocumentKey) -> None:
        with s3_errors():
            self._client.delete_object(Bucket=self._bucket, Key=truth_key(document))

    def revision(self, document: DocumentKey) -> str | None:
        return find_version(self._client, self._bucket, truth_key(document))

    def settled(self, base_key: KnowledgeBaseKey, before: float) -> tuple[str, ...]:
        with s3_errors():
            found = self._client.list_objects_v2(Bucket=self._bucket, Prefix=truth_prefix(base_key))
        return tuple(
            truth_document(each["Key"]).document_id
            for each in found.get("Contents", [])
            if is_truth(each["Key"]) and each["LastModified"].timestamp() < before
        )

    def list(self) -> Iterator[tuple[DocumentKey, str]]:
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=TRUTH_PREFIX)
        with s3_errors():
            for page in pages:
                for each in page.get("Contents", []):
                    if is_truth(each["Key"]):
                        yield truth_document(each["Key"]), each["ETag"]
