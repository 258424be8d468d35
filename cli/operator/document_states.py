"""What state each document of a knowledge base is in: what the bucket, the reports and the catalogue say together."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from cli.errors import CommandError
from cli.operator.documents import progress_text

if TYPE_CHECKING:
    from cicada.documents.model import DocumentKey, KnowledgeBaseKey
    from cli.deployment_target import DeploymentTarget

SEARCHABLE, WAITING, INGESTING, REJECTED, LEAVING = "searchable", "waiting", "ingesting", "rejected", "leaving"
STATES = (SEARCHABLE, WAITING, INGESTING, REJECTED, LEAVING)
# How long the embedding of one part of a file may take; each is reported.
_PART_MINUTES = 15
_IN_WORDS = {
    SEARCHABLE: "searchable",
    WAITING: "waits for ingest",
    INGESTING: "is being ingested",
    REJECTED: "rejected",
    LEAVING: "is out of the bucket and waits to leave the index",
}


@dataclass(frozen=True, slots=True)
class DocumentState:
    """`changed_at`: of the file in the bucket, None without one. `report`: what ingest said last, empty for nothing.

    `versions`: how many versions of the file S3 keeps.
    """

    state: str
    changed_at: datetime | None = None
    reported_at: datetime | None = None
    report: Mapping[str, Any] = field(default_factory=dict)
    versions: int = 0

    @property
    def in_words(self) -> str:
        words = _IN_WORDS[self.state]
        return f"{words}: {_progress(self.report)}" if self.state == INGESTING else words


def state_of(changed_at: datetime | None, reported_at: datetime | None, outcome: str, *, is_listed: bool) -> str | None:
    """The state of a document; None if it is neither in the bucket nor in the catalogue.

    S3 gives the time of an object in whole seconds in one reply, and more exactly in another.
    """
    if changed_at is None:
        return LEAVING if is_listed else None
    if reported_at is None or reported_at < changed_at.replace(microsecond=0):
        return WAITING
    return {"rejected": REJECTED, "under_way": INGESTING}.get(outcome, SEARCHABLE)


class DocumentStates:
    """Reads the bucket with the operator's credentials. Failures are raised as `CommandError`."""

    def __init__(self, target: DeploymentTarget) -> None:
        self._client: Any = target.client("s3")
        self._bucket = target.output("DocumentsBucket")

    def of(self, document: DocumentKey, *, is_listed: bool) -> DocumentState | None:
        """The state of a document; None if there is no such document."""
        from cicada.adapters.s3.keys import object_key, report_key, sidecar_key

        with _translated():
            key = object_key(document)
            changed = self._changed(key)
            times = [changed[each] for each in (key, sidecar_key(document)) if each in changed and key in changed]
            report, reported_at = self._report(report_key(document))
            versions = self._versions(key) if key in changed else 0
        changed_at = max(times, default=None)
        state = state_of(changed_at, reported_at, str(report.get("outcome")), is_listed=is_listed)
        return DocumentState(state, changed_at, reported_at, report, versions) if state else None

    def of_base(self, base_key: KnowledgeBaseKey, listed: Mapping[str, datetime | None]) -> dict[str, DocumentState]:
        """The states by document id, in order; `listed` has the ids in the catalogue, with the time of their ingest.

        A report is read only where the file is not in the catalogue, or newer than what is there.
        """
        from cicada.adapters.s3.keys import report_key
        from cicada.documents.model import DocumentKey
        from clients.documents.stored import stored_documents

        with _translated():
            stored = {
                each.document.document_id: each.changed_at
                for each in stored_documents(self._client, self._bucket, base_key)
            }
            reported = self._changed(f"reports/{base_key.tenant}/{base_key.knowledge_base}/")
            found = {}
            for name in sorted(stored.keys() | listed.keys()):
                key = report_key(DocumentKey(base_key, name))
                changed_at, reported_at = stored.get(name), reported.get(key)
                is_shown = _is_newer(listed.get(name), changed_at)
                report = self._report(key)[0] if reported_at and not is_shown else {}
                outcome = str(report.get("outcome"))
                if state := state_of(changed_at, reported_at, outcome, is_listed=name in listed):
                    found[name] = DocumentState(state, changed_at, reported_at, report)
        return found

    def under_way(self, base_key: KnowledgeBaseKey) -> dict[str, str]:
        """How far each large document is that is being embedded, by id."""
        prefix = f"reports/{base_key.tenant}/{base_key.knowledge_base}/"
        since = datetime.now(UTC) - timedelta(minutes=_PART_MINUTES)
        found = {}
        with _translated():
            for key, reported_at in self._changed(prefix).items():
                report = self._report(key)[0] if reported_at >= since else {}
                if report.get("outcome") == "under_way":
                    found[report["documentId"]] = _progress(report)
        return found

    def _changed(self, prefix: str) -> dict[str, datetime]:
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix)
        return {each["Key"]: each["LastModified"] for page in pages for each in page.get("Contents", [])}

    def _report(self, key: str) -> tuple[Mapping[str, Any], datetime | None]:
        try:
            found = self._client.get_object(Bucket=self._bucket, Key=key)
        except self._client.exceptions.NoSuchKey:
            return {}, None
        return json.loads(found["Body"].read()), found["LastModified"]

    def _versions(self, key: str) -> int:
        pages = self._client.get_paginator("list_object_versions").paginate(Bucket=self._bucket, Prefix=key)
        return sum(each["Key"] == key for page in pages for each in page.get("Versions", []))


def _progress(report: Mapping[str, Any]) -> str:
    return progress_text(report["passages"], report["embedded"])


def _is_newer(ingested_at: datetime | None, changed_at: datetime | None) -> bool:
    return ingested_at is not None and changed_at is not None and ingested_at >= changed_at.replace(microsecond=0)


@contextmanager
def _translated() -> Iterator[None]:
    from cicada.adapters.aws_errors import s3_errors
    from cicada.errors import CicadaError

    try:
        with s3_errors():
            yield
    except CicadaError as error:
        raise CommandError(str(error)) from error
