"""Ingests the sample documents, as `cicada ingest` does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from clients.documents.files import Upload, uploads_of
from clients.documents.uploader import UNREPORTED, DocumentResult, Uploader
from local.stage.aws import aws_client
from local.stage.settings import ROOT, StageConfig, StageError

_SAMPLES = ROOT / "samples"
_PATIENCE_SECONDS = 900
_EVERY = 25


def ingest_samples(config: StageConfig, bucket: str) -> Iterator[str]:
    """Ingest changed files; yields lines of progress. `StageError` when a file is refused or no report comes."""
    uploader = Uploader(aws_client(config, "s3"), bucket, _PATIENCE_SECONDS)
    for result in _ingested(uploader, uploads_of(sorted(_SAMPLES.glob("*.json")), "default", "scripts")):
        yield f"{result.path.name}: {result.outcome}, {result.passages} passages"
    if config.with_store:
        yield from _store(uploader, uploads_of([_SAMPLES / "store"], "default", "store"))


def _store(uploader: Uploader, uploads: Sequence[Upload]) -> Iterator[str]:
    """A line for every few documents, because there are many, and one at the end."""
    outcomes: Counter[str] = Counter()
    for number, result in enumerate(_ingested(uploader, uploads), start=1):
        outcomes[result.outcome] += 1
        if number % _EVERY == 0 and number < len(uploads):
            yield f"store: {number} of {len(uploads)} documents …"
    yield f"store: {', '.join(f'{number} {outcome}' for outcome, number in sorted(outcomes.items()))}"


def _ingested(uploader: Uploader, uploads: Sequence[Upload]) -> Iterator[DocumentResult]:
    for result in uploader.ingest(uploads):
        name = result.path.name
        if result.outcome == UNREPORTED:
            raise StageError(f"Ingest has not reported on {name} within {_PATIENCE_SECONDS} s; see the emulator's log.")
        if result.has_failed:
            raise StageError(f"Ingest refused {name}: {result.problems}")
        yield result
