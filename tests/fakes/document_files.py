"""The uploaded files of documents in memory, with sidecars and reports."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from cicada.adapters.s3.keys import object_key
from cicada.answering.ports import StoredSidecar
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.documents.states import DocumentState, state_of


@dataclass
class InMemoryDocumentFiles:
    """`clock` gives epoch seconds. `url`: where forms are sent to."""

    clock: Callable[[], float]
    url: str = "https://documents.invalid/"
    files: dict[DocumentKey, datetime] = field(default_factory=dict)
    sidecars: dict[DocumentKey, StoredSidecar] = field(default_factory=dict)
    reports: dict[DocumentKey, tuple[dict[str, Any], datetime]] = field(default_factory=dict)

    def put(self, document: DocumentKey) -> None:
        self.files[document] = self._now()

    def report(self, document: DocumentKey, **fields: Any) -> None:
        self.reports[document] = ({"problems": [], "passages": 0, **fields}, self._now())

    def state(self, document: DocumentKey, *, is_listed: bool) -> DocumentState | None:
        report, reported_at = self.reports.get(document, ({}, None))
        changed_at = self.files.get(document)
        if changed_at and document in self.sidecars:
            changed_at = max(changed_at, datetime.fromtimestamp(self.sidecars[document].written_at, UTC))
        state = state_of(changed_at, reported_at, str(report.get("outcome")), is_listed=is_listed)
        return DocumentState(state, changed_at, reported_at, report) if state else None

    def states(
        self,
        base_key: KnowledgeBaseKey,
        listed: Mapping[str, datetime | None],
        of_others: Callable[[Sequence[str]], Collection[str]],
    ) -> Mapping[str, DocumentState]:
        stored = [each.document_id for each in self.files if each.base_key == base_key]
        names = {*listed, *of_others([name for name in stored if name not in listed])}
        found = {name: self.state(DocumentKey(base_key, name), is_listed=name in listed) for name in sorted(names)}
        return {name: state for name, state in found.items() if state}

    def holds(self, document: DocumentKey) -> bool:
        return document in self.files

    def sidecar(self, document: DocumentKey) -> StoredSidecar | None:
        return self.sidecars.get(document)

    def write_sidecar(self, document: DocumentKey, content: bytes, over: str) -> str | None:
        before = self.sidecars.get(document)
        if (before.version if before else "") != over:
            return None
        self.sidecars[document] = StoredSidecar(content, f'"{hash(content)}"', self.clock())
        return self.sidecars[document].version

    def form(self, document: DocumentKey, size: int, seconds: int) -> tuple[str, Mapping[str, str]]:
        return self.url, {"key": object_key(document), "size": str(size), "seconds": str(seconds)}

    def remove_file(self, document: DocumentKey) -> None:
        self.files.pop(document, None)

    def remove_sidecar(self, document: DocumentKey) -> None:
        self.sidecars.pop(document, None)

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self.clock(), UTC)
