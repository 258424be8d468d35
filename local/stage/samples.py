"""Ingests the sample documents, as `cicada ingest` does, unless they are indexed already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Protocol

from cicada.ingest.model import version_of
from clients.documents.files import Upload, uploads_of
from clients.documents.uploader import UNREPORTED, DocumentResult
from local.stage.catalogue import IndexedDocument
from local.stage.settings import ROOT, StageError

_SAMPLES = ROOT / "samples"
# The uploader gives up when no report has come for so long.
PATIENCE_SECONDS = 900
_EVERY = 25

# What a knowledge base has, by the documents' ids.
Indexed = Callable[[str], Mapping[str, IndexedDocument]]


class DocumentUploader(Protocol):
    """Uploads documents and gives the result of each; `Uploader` is one."""

    def ingest(self, uploads: Sequence[Upload]) -> Iterator[DocumentResult]: ...


def ingest_samples(uploader: DocumentUploader, indexed: Indexed, bases: Collection[str]) -> Iterator[str]:
    """Ingest the samples of these bases that are not `indexed` in this version; yields lines of progress.

    `StageError` when a file is refused or no report comes.
    """
    if "scripts" in bases:
        plays = uploads_of(sorted(_SAMPLES.glob("*.json")), "default", "scripts")
        for result in _ingested(uploader, plays, indexed("scripts")):
            yield f"{result.path.name}: {result.outcome}, {result.passages} passages"
    if "store" in bases:
        documents = uploads_of([_SAMPLES / "store"], "default", "store")
        yield from _store(_ingested(uploader, documents, indexed("store")), len(documents))


def _store(results: Iterator[DocumentResult], expected: int) -> Iterator[str]:
    """A line for every few documents, because there are many, and one at the end."""
    outcomes: Counter[str] = Counter()
    for number, result in enumerate(results, start=1):
        outcomes[result.outcome] += 1
        if number % _EVERY == 0 and number < expected and result.outcome != "unchanged":
            yield f"store: {number} of {expected} documents …"
    yield f"store: {', '.join(f'{number} {outcome}' for outcome, number in sorted(outcomes.items()))}"


def _ingested(
    uploader: DocumentUploader, uploads: Sequence[Upload], indexed: Mapping[str, IndexedDocument]
) -> Iterator[DocumentResult]:
    """The results of all: first of those that are indexed already, then of the others, which are uploaded."""
    others = []
    for upload in uploads:
        found = indexed.get(upload.document.document_id)
        if found and found.version == _version(upload):
            yield DocumentResult(upload.document, "unchanged", found.passages, path=upload.path)
        else:
            others.append(upload)
    for result in uploader.ingest(others):
        name = result.path.name
        if result.outcome == UNREPORTED:
            raise StageError(f"Ingest has not reported on {name} within {PATIENCE_SECONDS} s; see the emulator's log.")
        if result.has_failed:
            raise StageError(f"Ingest refused {name}: {result.problems}")
        yield result


def _version(upload: Upload) -> str:
    return version_of(upload.path.read_bytes(), upload.sidecar.read_bytes() if upload.sidecar else None)
