"""What ingest needs from the outside."""

from __future__ import annotations

from typing import Protocol

from cicada.documents.model import DocumentKey
from cicada.ingest.model import IngestReport, SourceFile


class DocumentStore(Protocol):
    """Uploaded files and the reports on them."""

    def read(self, document: DocumentKey) -> SourceFile | None:
        """None if it has been deleted meanwhile. `DocumentRejected` if it is larger than may be ingested."""
        ...

    def write_report(self, report: IngestReport) -> None: ...
