"""Uploaded files in memory."""

from __future__ import annotations

import hashlib
from pathlib import PurePosixPath

from cicada.documents.model import DocumentKey
from cicada.errors import DocumentRejected
from cicada.ingest.model import IngestReport, SourceFile


class InMemoryDocumentStore:
    """`put` and `remove` are what an uploader does; `reports` holds the last report on each document."""

    def __init__(self, max_bytes: int = 50_000_000) -> None:
        self.reports: dict[DocumentKey, IngestReport] = {}
        self._files: dict[DocumentKey, bytes] = {}
        self._max_bytes = max_bytes

    def put(self, document: DocumentKey, content: bytes) -> None:
        self._files[document] = content

    def remove(self, document: DocumentKey) -> None:
        self._files.pop(document, None)

    def read(self, document: DocumentKey) -> SourceFile | None:
        content = self._files.get(document)
        if content is None:
            return None
        if len(content) > self._max_bytes:
            raise DocumentRejected("The file is larger than may be ingested.")
        name = PurePosixPath(document.document_id).name
        return SourceFile(document, name, content, hashlib.sha256(content).hexdigest())

    def write_report(self, report: IngestReport) -> None:
        self.reports[report.document] = report
