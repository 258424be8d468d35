"""Uploaded files in memory."""

from __future__ import annotations

from pathlib import PurePosixPath

from cicada.documents.model import DocumentKey
from cicada.ingest.model import SIDECAR_BYTES, IngestReport, OversizedFile, SourceFile, version_of


class InMemoryDocumentStore:
    """`put`, `describe` and `remove` are what an uploader does; `reports` holds the last report on each document.

    `told`: all reports, in order.
    """

    def __init__(self, max_bytes: int = 50_000_000) -> None:
        self.reports: dict[DocumentKey, IngestReport] = {}
        self.told: list[IngestReport] = []
        self._files: dict[DocumentKey, bytes] = {}
        self._sidecars: dict[DocumentKey, bytes] = {}
        self._max_bytes = max_bytes

    def put(self, document: DocumentKey, content: bytes) -> None:
        self._files[document] = content

    def describe(self, document: DocumentKey, sidecar: bytes | None) -> None:
        """Put the sidecar there; None removes it."""
        self._sidecars.pop(document, None)
        if sidecar is not None:
            self._sidecars[document] = sidecar

    def remove(self, document: DocumentKey) -> None:
        self._files.pop(document, None)

    def holds(self, document: DocumentKey) -> bool:
        return document in self._files

    def read(self, document: DocumentKey) -> SourceFile | OversizedFile | None:
        content, sidecar = self._files.get(document), self._sidecars.get(document)
        if content is None:
            return None
        sidecar = sidecar and sidecar[: SIDECAR_BYTES + 1]
        if len(content) > self._max_bytes:
            return OversizedFile(document, "The file is larger than may be ingested.", sidecar)
        name = PurePosixPath(document.document_id).name
        return SourceFile(document, name, content, version_of(content, sidecar), sidecar)

    def write_report(self, report: IngestReport) -> None:
        self.reports[report.document] = report
        self.told.append(report)
