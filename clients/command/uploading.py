"""Uploads files to a stage's bucket and follows their ingest to its end."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cicada.adapters.s3_document_store import MAX_BYTES
from cicada.adapters.s3_errors import s3_errors
from cicada.adapters.s3_keys import object_key, report_key, sidecar_key
from cicada.ingest.model import version_of
from clients.command.errors import CommandError
from clients.command.uploads import Upload

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import GetObjectOutputTypeDef

_UPLOADS_AT_ONCE = 4
# So many waiting files are asked after in one round, in turn.
_ASKED_AT_ONCE = 25
_ROUND_SECONDS = 0.3

UNREPORTED = "unreported"


@dataclass(frozen=True, slots=True)
class Ingested:
    """What became of a file: an outcome of ingest, or `UNREPORTED` if nothing was heard for too long."""

    upload: Upload
    outcome: str
    passages: int = 0
    problems: Sequence[dict[str, str]] = field(default_factory=list)

    @property
    def report_key(self) -> str:
        """Where in the bucket the report on it is."""
        return report_key(self.upload.document)

    @property
    def has_failed(self) -> bool:
        return self.outcome in ("rejected", UNREPORTED)


@dataclass(frozen=True, slots=True)
class _Sent:
    """An uploaded file. `earlier`: the tag of the report on it that was there before, empty if there was none."""

    upload: Upload
    version: str
    earlier: str


@dataclass(frozen=True, slots=True)
class Uploader:
    """`patience_seconds`: how long nothing at all may be heard. Failures of S3 are `CicadaError`s."""

    client: S3Client
    bucket: str
    patience_seconds: float
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def ingest(self, uploads: Sequence[Upload]) -> Generator[Ingested]:
        """What becomes of each file, as it is known. When the iterator is closed, no more files are uploaded."""
        with ExitStack() as stack:
            pool = ThreadPoolExecutor(_UPLOADS_AT_ONCE)
            stack.callback(partial(pool.shutdown, cancel_futures=True))
            under_way = {pool.submit(self._send, each) for each in uploads}
            waiting: list[_Sent] = []
            heard = self.clock()
            while under_way or waiting:
                under_way, new = self._arrived(under_way)
                waiting += [each for each in new if isinstance(each, _Sent)]
                ended = [each for each in new if isinstance(each, Ingested)]
                ended += self._reported(waiting)
                yield from ended
                if new or ended:
                    heard = self.clock()
                elif self.clock() - heard > self.patience_seconds:
                    yield from (Ingested(each.upload, UNREPORTED) for each in waiting)
                    return
                elif waiting:
                    self.sleep(_ROUND_SECONDS)

    def _arrived(
        self, under_way: set[Future[_Sent | Ingested]]
    ) -> tuple[set[Future[_Sent | Ingested]], list[_Sent | Ingested]]:
        done, rest = wait(under_way, timeout=_ROUND_SECONDS, return_when=FIRST_COMPLETED)
        return rest, [each.result() for each in done]

    def _send(self, upload: Upload) -> _Sent | Ingested:
        """The sidecar goes first: who may read the document must be known before it can be found."""
        if _size(upload.path) > MAX_BYTES:
            reason = f"The file is larger than {MAX_BYTES / 1_000_000:g} MB, so it was not uploaded; split it."
            return Ingested(upload, "rejected", 0, [{"place": "", "reason": reason, "kind": "too_large"}])
        content = _bytes_of(upload.path)
        sidecar = _bytes_of(upload.sidecar) if upload.sidecar else self._content(sidecar_key(upload.document))
        earlier = self._get(report_key(upload.document))
        with s3_errors():
            if upload.sidecar and sidecar is not None:
                self.client.put_object(Bucket=self.bucket, Key=sidecar_key(upload.document), Body=sidecar)
            self.client.put_object(Bucket=self.bucket, Key=object_key(upload.document), Body=content)
        return _Sent(upload, version_of(content, sidecar), earlier["ETag"] if earlier else "")

    def _reported(self, waiting: list[_Sent]) -> list[Ingested]:
        """Takes away from `waiting` what has been reported on; what else was asked after goes to its end."""
        asked = waiting[:_ASKED_AT_ONCE]
        del waiting[:_ASKED_AT_ONCE]
        found = []
        for sent in asked:
            report = self._report(sent)
            if report is None:
                waiting.append(sent)
            else:
                found.append(Ingested(sent.upload, report["outcome"], report["passages"], report["problems"]))
        return found

    def _report(self, sent: _Sent) -> dict[str, Any] | None:
        """The report on what was uploaded, once it is there: an earlier version's may still be, or come late."""
        found = self._get(report_key(sent.upload.document))
        if found is None or found["ETag"] == sent.earlier:
            return None
        with s3_errors():
            report: dict[str, Any] = json.loads(found["Body"].read())
        is_of_this = report["version"] == sent.version or (report["outcome"] == "rejected" and not report["version"])
        return report if is_of_this else None

    def _content(self, key: str) -> bytes | None:
        found = self._get(key)
        if found is None:
            return None
        with s3_errors():
            return found["Body"].read()

    def _get(self, key: str) -> GetObjectOutputTypeDef | None:
        with s3_errors():
            try:
                return self.client.get_object(Bucket=self.bucket, Key=key)
            except self.client.exceptions.NoSuchKey:
                return None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError as error:
        raise _unreadable(path, error) from error


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> CommandError:
    return CommandError(f"{path} cannot be read: {error.strerror}.")
