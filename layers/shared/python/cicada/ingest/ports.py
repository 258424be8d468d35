"""Ingest's ports, and the interface of parsers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from cicada.documents.model import DocumentKey
from cicada.ingest.model import (
    CardDraft,
    Contexts,
    DocumentExcerpt,
    IngestReport,
    OversizedFile,
    ParsedDocument,
    RebuildRecord,
    RecognisedPage,
    SourceFile,
    StoredDocument,
    TruthEntry,
)
from cicada.retrieval.model import Vector
from cicada.retrieval.ports import KeptDocuments


class DocumentStore(Protocol):
    """Uploaded files and the reports on them."""

    def read(self, document: DocumentKey) -> SourceFile | OversizedFile | None:
        """The file and its sidecar; None if the file has been deleted meanwhile.

        The sidecar is at least as new as the file. One that is too large is cut.
        """
        ...

    def holds(self, document: DocumentKey) -> bool:
        """Whether the file exists, without fetching it."""
        ...

    def write_report(self, report: IngestReport) -> None: ...


class DocumentParser(Protocol):
    """Turns one kind of file into passages; does no I/O."""

    def parse(self, source: SourceFile) -> ParsedDocument:
        """`DocumentRejectedError` if the file as a whole cannot be used; a broken part of it is a `Problem`."""
        ...


class TextRecognition(Protocol):
    """Recognises the text in the pictures of which a scan is made. Failures are `DependencyError`s."""

    def read(self, source: SourceFile) -> tuple[RecognisedPage, ...]:
        """The pages in order. The same file is recognised, and paid for, once, however often it is asked for.

        `UnavailableError` while the text is not there yet: a later call gets it. `DocumentRejectedError` for a file
        that cannot be recognised.
        """
        ...


class ContextWriter(Protocol):
    """A small model that writes a text's context within its document in a sentence or two."""

    @property
    def model_id(self) -> str: ...

    def write(self, document: str, texts: Sequence[str]) -> Contexts:
        """The contexts of `texts`, which are parts of `document`, in order.

        A failure of the model is not raised but given as `Contexts.failure`: contexts are optional.
        """
        ...


class CardWriter(Protocol):
    """A small model that writes the overview, the tags and the questions of a document's card."""

    @property
    def model_id(self) -> str: ...

    def write(self, excerpt: DocumentExcerpt) -> CardDraft:
        """Write the card in the document's language, within its limits.

        A failure of the model is not raised but given as `CardDraft.failure`: the card can be made without it.
        """
        ...


class AccessListRecord(Protocol):
    """Who may read which document, kept where an excerpt that was shown once is checked before it is shown again.

    Written before the index is: it must not let through what the index does not. Failures are `DependencyError`s.
    """

    def record(self, document: DocumentKey, viewers: tuple[str, ...]) -> None:
        """Keep the viewers of a document, none for everybody."""
        ...

    def record_if_missing(self, document: DocumentKey, viewers: tuple[str, ...]) -> None:
        """Keep the viewers if none are kept: a copy must not replace what ingest has written since."""
        ...

    def forget(self, document: DocumentKey) -> None:
        """The document is not there any more. An unknown one is no error."""
        ...


class KeptVectors(Protocol):
    """Vectors of parts of documents, kept for a day in case the ingest does not get to its end."""

    def read(self, document: DocumentKey, part: str) -> list[Vector] | None:
        """The kept vectors of a part, None if it is not kept."""
        ...

    def write(self, document: DocumentKey, part: str, vectors: Sequence[Vector]) -> None: ...


class GroundTruth(KeptDocuments, Protocol):
    """Passages and vectors of all documents, from which indexes are built."""

    def write(self, stored: StoredDocument) -> None:
        """Replace the document atomically."""
        ...

    def read(self, document: DocumentKey) -> TruthEntry | None:
        """The stored document, None for an unknown one."""
        ...

    def delete(self, document: DocumentKey) -> None:
        """An unknown document is no error."""
        ...

    def revision(self, document: DocumentKey) -> str | None:
        """Changes with every change of the document; None for an unknown one."""
        ...

    def list(self) -> Iterator[tuple[DocumentKey, str]]:
        """All documents of all tenants with their revisions."""
        ...


class RebuildLog(Protocol):
    """The record of the stage's only rebuild. Of concurrent writes one succeeds."""

    def read(self) -> tuple[RebuildRecord | None, str]:
        """The record, None if no rebuild is running, and its revision."""
        ...

    def write(self, record: RebuildRecord | None, revision: str) -> str | None:
        """The new revision; None, with nothing written, if the record has changed since `revision`."""
        ...
