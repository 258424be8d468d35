"""What ingest needs from the outside, and what a kind of file needs to provide."""

from __future__ import annotations

from typing import Protocol

from cicada.documents.model import DocumentKey
from cicada.ingest.model import IngestReport, ParsedDocument, SourceFile


class DocumentStore(Protocol):
    """Uploaded files and the reports on them."""

    def read(self, document: DocumentKey) -> SourceFile | None:
        """None if it has been deleted meanwhile. `DocumentRejected` if it is larger than may be ingested."""
        ...

    def write_report(self, report: IngestReport) -> None: ...


class DocumentParser(Protocol):
    """Turns one kind of file into passages; does no I/O."""

    def parse(self, source: SourceFile) -> ParsedDocument:
        """`DocumentRejected` if the file as a whole cannot be used; a broken part of it is a `Problem`."""
        ...
