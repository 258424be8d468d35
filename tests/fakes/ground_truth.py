"""The ground truth in memory, and the record of a rebuild."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import count

from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import CicadaError
from cicada.ingest.model import RebuildRecord, StoredDocument, TruthEntry


class InMemoryGroundTruth:
    """`writes` counts them. A revision is never given twice. `failure` is raised by writes while it is set."""

    def __init__(self) -> None:
        self.entries: dict[DocumentKey, TruthEntry] = {}
        self.writes = 0
        self.failure: CicadaError | None = None
        self.written_at: dict[DocumentKey, float] = {}
        self._revisions = count(1)

    def write(self, stored: StoredDocument) -> None:
        if self.failure:
            raise self.failure
        self.writes += 1
        self.written_at[stored.document] = time.time()
        self.entries[stored.document] = TruthEntry(stored, f"r{next(self._revisions)}")

    def read(self, document: DocumentKey) -> TruthEntry | None:
        return self.entries.get(document)

    def delete(self, document: DocumentKey) -> None:
        self.entries.pop(document, None)

    def revision(self, document: DocumentKey) -> str | None:
        entry = self.entries.get(document)
        return entry.revision if entry else None

    def settled(self, base_key: KnowledgeBaseKey, before: float) -> tuple[str, ...]:
        ids = sorted(each.document_id for each in self.entries if each.base_key == base_key)
        return tuple(each for each in ids if self.written_at[DocumentKey(base_key, each)] < before)

    def list(self) -> Iterator[tuple[DocumentKey, str]]:
        yield from [(document, entry.revision) for document, entry in self.entries.items()]


class InMemoryRebuildLog:
    """Compares and writes in one step."""

    def __init__(self) -> None:
        self.record: RebuildRecord | None = None
        self._revision = 0

    def read(self) -> tuple[RebuildRecord | None, str]:
        return self.record, self._name()

    def write(self, record: RebuildRecord | None, revision: str) -> str | None:
        if revision != self._name():
            return None
        self.record = record
        self._revision += 1
        return self._name()

    def _name(self) -> str:
        return str(self._revision or "")
