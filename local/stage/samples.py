"""Ingests the sample documents, as `cicada ingest` does."""

from __future__ import annotations

from collections.abc import Iterator

from clients.documents.files import uploads_of
from clients.documents.uploader import UNREPORTED, Uploader
from local.stage.aws import aws_client
from local.stage.settings import ROOT, StageConfig, StageError

_SAMPLES = ROOT / "samples"
_PATIENCE_SECONDS = 900


def ingest_samples(config: StageConfig, bucket: str) -> Iterator[str]:
    """Ingest changed files; prints a line for each. `StageError` when a file is refused or no report comes."""
    uploader = Uploader(aws_client(config, "s3"), bucket, _PATIENCE_SECONDS)
    for result in uploader.ingest(uploads_of(sorted(_SAMPLES.glob("*.json")), "default", "scripts")):
        name = result.path.name
        if result.outcome == UNREPORTED:
            raise StageError(f"Ingest has not reported on {name} within {_PATIENCE_SECONDS} s; see the emulator's log.")
        if result.has_failed:
            raise StageError(f"Ingest refused {name}: {result.problems}")
        yield f"{name}: {result.outcome}, {result.passages} passages"
