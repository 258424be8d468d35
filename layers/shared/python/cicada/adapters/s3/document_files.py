"""The uploaded files in the bucket, as those see them who look after documents: states, sidecars, and writes."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from mimetypes import guess_type
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from cicada.adapters.aws_errors import s3_errors
from cicada.adapters.s3.document_store import S3DocumentStore
from cicada.adapters.s3.keys import document_key, is_sidecar, object_key, report_key, sidecar_key
from cicada.adapters.s3.objects import read_object, write_over
from cicada.answering.ports import StoredSidecar
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.documents.states import DocumentState, state_of
from cicada.errors import DocumentRejectedError

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class UploadedFile(Struct, frozen=True):
    """A file in the bucket, whether or not it is searchable. `changed_at` is the later one of file and sidecar."""

    document: DocumentKey
    changed_at: datetime
    has_sidecar: bool


def _all(ids: Sequence[str]) -> Collection[str]:
    return ids


class S3DocumentFiles:
    """Failures are raised as `CicadaError`. `uploads_url`: where browsers send forms to, by default as the SDK says."""

    def __init__(self, client: S3Client, bucket: str, uploads_url: str = "") -> None:
        self._client = client
        self._bucket = bucket
        self._uploads_url = uploads_url
        self._store = S3DocumentStore(client, bucket)

    # ---- states ----

    def stored(self, base_key: KnowledgeBaseKey) -> list[UploadedFile]:
        """All stored documents, by id. Keys that no document can have are left out."""
        changed = self.changed(f"documents/{base_key.tenant}/{base_key.knowledge_base}/")
        found = []
        for key in sorted(changed):
            document = None if is_sidecar(key) else _document(key)
            if document is not None:
                sidecar = changed.get(sidecar_key(document))
                latest = max(filter(None, (changed[key], sidecar)))
                found.append(UploadedFile(document, latest, sidecar is not None))
        return found

    def state(self, document: DocumentKey, *, is_listed: bool) -> DocumentState | None:
        """The state of a document; None if there is no such document."""
        key = object_key(document)
        changed = self.changed(key)
        times = [changed[each] for each in (key, sidecar_key(document)) if each in changed and key in changed]
        report, reported_at = self.report(report_key(document))
        changed_at = max(times, default=None)
        state = state_of(changed_at, reported_at, str(report.get("outcome")), is_listed=is_listed)
        return DocumentState(state, changed_at, reported_at, report) if state else None

    def states(
        self,
        base_key: KnowledgeBaseKey,
        listed: Mapping[str, datetime | None],
        of_others: Callable[[Sequence[str]], Collection[str]] = _all,
    ) -> dict[str, DocumentState]:
        """The states by document id, in order; `listed` has the ids in the catalogue, with the time of their ingest.

        `of_others`: which of the stored documents that are not listed count too. A report is read only where the file
        is not in the catalogue, or newer than what is there.
        """
        stored = {each.document.document_id: each.changed_at for each in self.stored(base_key)}
        others = of_others([name for name in stored if name not in listed])
        reported = self.changed(f"reports/{base_key.tenant}/{base_key.knowledge_base}/")
        found = {}
        for name in sorted(listed.keys() | set(others)):
            key = report_key(DocumentKey(base_key, name))
            changed_at, reported_at = stored.get(name), reported.get(key)
            is_shown = _is_newer(listed.get(name), changed_at)
            report = self.report(key)[0] if reported_at and not is_shown else {}
            outcome = str(report.get("outcome"))
            if state := state_of(changed_at, reported_at, outcome, is_listed=name in listed):
                found[name] = DocumentState(state, changed_at, reported_at, report)
        return found

    def changed(self, prefix: str) -> dict[str, datetime]:
        """When each object below the prefix was written, by key."""
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix)
        with s3_errors():
            return {each["Key"]: each["LastModified"] for page in pages for each in page.get("Contents", [])}

    def report(self, key: str) -> tuple[Mapping[str, Any], datetime | None]:
        """A report of ingest by its key, and when it was written; empty and None without one."""
        found = read_object(self._client, self._bucket, key)
        return (json.loads(found.content), found.written_at) if found else ({}, None)

    # ---- writes ----

    def holds(self, document: DocumentKey) -> bool:
        """Whether there is a file."""
        return self._store.holds(document)

    def sidecar(self, document: DocumentKey) -> StoredSidecar | None:
        found = read_object(self._client, self._bucket, sidecar_key(document))
        return StoredSidecar(found.content, found.version, found.written_at.timestamp()) if found else None

    def write_sidecar(self, document: DocumentKey, content: bytes, over: str) -> str | None:
        key = sidecar_key(document)
        return write_over(self._client, self._bucket, key, over, Body=content, ContentType="application/json")

    def form(self, document: DocumentKey, size: int, seconds: int) -> tuple[str, Mapping[str, str]]:
        """https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html.

        The policy signs bucket and key, not the host, so the address may be any of the bucket's.
        """
        content_type = guess_type(document.document_id)[0] or "application/octet-stream"
        with s3_errors():
            made = self._client.generate_presigned_post(
                self._bucket,
                object_key(document),
                Fields={"Content-Type": content_type},
                Conditions=[{"Content-Type": content_type}, ["content-length-range", size, size]],
                ExpiresIn=seconds,
            )
        return self._uploads_url or made["url"], made["fields"]

    def remove_file(self, document: DocumentKey) -> None:
        self._delete(object_key(document))

    def remove_sidecar(self, document: DocumentKey) -> None:
        """Delete the sidecar of a document whose file is gone."""
        self._delete(sidecar_key(document))

    def _delete(self, key: str) -> None:
        with s3_errors():
            self._client.delete_object(Bucket=self._bucket, Key=key)


def _document(key: str) -> DocumentKey | None:
    """The document of a key; None for a folder's marker of the S3 console, and other keys that ingest rejects."""
    try:
        return document_key(key)
    except DocumentRejectedError:
        return None


def _is_newer(ingested_at: datetime | None, changed_at: datetime | None) -> bool:
    return ingested_at is not None and changed_at is not None and ingested_at >= changed_at.replace(microsecond=0)
