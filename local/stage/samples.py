"""Uploads the sample documents and waits for ingest's reports on them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from local.stage.aws import aws_client
from local.stage.settings import ROOT, StageConfig, StageError

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_SAMPLES = ROOT / "samples"
_FOLDER = "default/scripts"
_PATIENCE_SECONDS = 300


def ingest_samples(config: StageConfig, bucket: str) -> Iterator[str]:
    """Ingest what has changed; a line for each file. `StageError` when a file is refused or nothing comes."""
    client: S3Client = aws_client(config, "s3")
    uploaded = {}
    for file in sorted(_SAMPLES.glob("*.json")):
        started = time.time()
        client.put_object(Bucket=bucket, Key=f"documents/{_FOLDER}/{file.name}", Body=file.read_bytes())
        uploaded[file] = started
    for file, started in uploaded.items():
        report = _report(client, bucket, file, started)
        if report["outcome"] == "rejected":
            raise StageError(f"Ingest refused {file.name}: {report['problems']}")
        yield f"{file.name}: {report['outcome']}, {report['passages']} passages"


def _report(client: S3Client, bucket: str, file: Path, since: float) -> dict[str, Any]:
    """The report on the upload, once it is there."""
    key = f"reports/{_FOLDER}/{file.name}.json"
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline:
        try:
            found = client.get_object(Bucket=bucket, Key=key)
        except client.exceptions.NoSuchKey:
            found = None
        if found and found["LastModified"].timestamp() >= int(since):
            report: dict[str, Any] = json.loads(found["Body"].read())
            return report
        time.sleep(0.2)
    raise StageError(f"Ingest has not reported on {file.name} within {_PATIENCE_SECONDS} s; see the emulator's log.")
