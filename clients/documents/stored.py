"""The documents of a knowledge base that the bucket holds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from cicada.adapters.aws_errors import s3_errors
from cicada.adapters.s3.keys import document_key, is_sidecar, sidecar_key
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import DocumentRejectedError

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A file in the bucket, whether or not it is searchable. `changed_at` is the later one of file and sidecar."""

    document: DocumentKey
    changed_at: datetime
    has_sidecar: bool


def stored_documents(client: S3Client, bucket: str, base_key: KnowledgeBaseKey) -> list[StoredDocument]:
    """All stored documents, by id. Keys that no document can have are left out. Raises `CicadaError` if S3 refuses."""
    prefix = f"documents/{base_key.tenant}/{base_key.knowledge_base}/"
    changed: dict[str, datetime] = {}
    with s3_errors():
        for page in client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
            changed |= {each["Key"]: each["LastModified"] for each in page.get("Contents", [])}
    found = []
    for key in sorted(changed):
        document = None if is_sidecar(key) else _document(key)
        if document is not None:
            sidecar = changed.get(sidecar_key(document))
            latest = max(filter(None, (changed[key], sidecar)))
            found.append(StoredDocument(document, latest, sidecar is not None))
    return found


def _document(key: str) -> DocumentKey | None:
    """The document of a key; None for a folder's marker of the S3 console, and other keys that ingest rejects."""
    try:
        return document_key(key)
    except DocumentRejectedError:
        return None
