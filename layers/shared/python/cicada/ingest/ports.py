"""What ingest needs from the outside, and what a kind of file needs to provide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from cicada.documents.model import DocumentKey
from cicada.ingest.model import (
    Contexts,
    IngestReport,
    OversizedFile,
    ParsedDocument,
    RebuildRecord,
    SourceFile,
    StoredDocument,
    TruthEntry,
)


class DocumentStore(Protocol):
    """Uploaded files and the reports on them."""

    def read(self, document: DocumentKey) -> SourceFile | OversizedFile | None:
        """The file and its sidecar; None if the file has been deleted meanwhile.

        The sidecar is no older than the file. Of one that is too large, only the beginning is given.
        """
        ...

    def holds(self, document: DocumentKey) -> bool:
        """Whether the file is there, without fetching it."""
        ...

    def write_report(self, report: IngestReport) -> None: ...


class DocumentParser(Protocol):
    """Turns one kind of file into passages; does no I/O."""

    def parse(self, source: SourceFile) -> ParsedDocument:
        """`DocumentRejectedError` if the file as a whole cannot be used; a broken part of it is a `Problem`."""
        ...


class ContextWriter(Protocol):
    """A small model that says in a sentence or two what a text is about within its document."""

    @property
    def model_id(self) -> str: ...

    def write(self, document: str, texts: Sequence[str]) -> Contexts:
        """The sentences on each of `texts`, which are parts of `document`, in order.

        A model that fails is no exception but `Contexts.failure`: a document can be searched without them.
        """
        ...


class GroundTruth(Protocol):
    """What documents are searched by, apart from the indexes, which are made from it."""

    def write(self, stored: StoredDocument) -> None:
        """In place of what was kept of the document, in one step."""
        ...

    def read(self, document: DocumentKey) -> TruthEntry | None:
        """None for a document that is not kept."""
        ...

    def delete(self, document: DocumentKey) -> None:
        """A document that is not kept is no error."""
        ...

    def revision(self, document: DocumentKey) -> str | None:
        """Changes whenever what is kept of the document does; None for one that is not kept."""
        ...

    def list(self) -> Iterator[tuple[DocumentKey, str]]:
        """All documents of all tenants with their revisions."""
        ...


class RebuildLog(Protocol):
    """How far the stage's one rebuild is. Of several who write at the same time, one does."""

    def read(self) -> tuple[RebuildRecord | None, str]:
        """The record, None where no rebuild is under way, and its revision."""
        ...

    def write(self, record: RebuildRecord | None, revision: str) -> str | None:
        """The new revision; None, with nothing written, if the record is not that of `revision` any more."""
        ...
