"""Uploads files to a stage's bucket, or takes them out of it, and follows what comes of it to its end."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cicada.adapters.aws_errors import s3_errors
from cicada.adapters.s3.document_store import MAX_BYTES, S3DocumentStore
from cicada.adapters.s3.keys import object_key, report_key, sidecar_key
from cicada.documents.model import DocumentKey
from cicada.ingest.model import version_of
from cli.errors import CommandError
from clients.documents.files import Upload

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import GetObjectOutputTypeDef

_UPLOADS_AT_ONCE = 4
# So many waiting files are asked after in one round, in turn.
_ASKED_AT_ONCE = 25
_ROUND_SECONDS = 0.3

UNREPORTED = "unreported"
MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Followed:
    """What became of a document: an outcome of ingest, `UNREPORTED` if nothing was heard for too long, or `MISSING`.

    `kept_sidecar`: the file came without a sidecar, and that of an earlier upload holds on.
    """

    document: DocumentKey
    outcome: str
    passages: int = 0
    problems: Sequence[dict[str, str]] = field(default_factory=list)
    path: Path = Path()
    kept_sidecar: bool = False

    @property
    def report_key(self) -> str:
        """Where in the bucket the report on it is."""
        return report_key(self.document)

    @property
    def has_failed(self) -> bool:
        return self.outcome in ("rejected", UNREPORTED, MISSING)


@dataclass(frozen=True, slots=True)
class _Earlier:
    """The report on the document that was there before: its tag and its version, empty if there was none."""

    tag: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class _Sent:
    """A file that was uploaded, or with an empty `version` removed. `so_far`: what is known of it."""

    so_far: Followed
    version: str
    earlier: _Earlier

    def is_answered_by(self, report: dict[str, Any]) -> bool:
        """Whether the report is on this: an earlier version's may come late."""
        if not self.version:
            return bool(report["outcome"] == "deleted")
        return report["version"] == self.version or (report["outcome"] == "rejected" and not report["version"])

    def ended(self, report: dict[str, Any]) -> Followed:
        """With what the report says, to the uploader: what the event of the sidecar has done was done for the file."""
        is_new = report["outcome"] == "unchanged" and report["version"] != self.earlier.version
        outcome = "indexed" if is_new else report["outcome"]
        return replace(self.so_far, outcome=outcome, passages=report["passages"], problems=report["problems"])


@dataclass(frozen=True, slots=True)
class Uploader:
    """`patience_seconds`: how long nothing at all may be heard. Failures of S3 are `CicadaError`s."""

    client: S3Client
    bucket: str
    patience_seconds: float
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def ingest(self, uploads: Sequence[Upload]) -> Generator[Followed]:
        """What becomes of each file, as it is known. When the iterator is closed, no more files are uploaded."""
        return self._follow(partial(self._send, each) for each in uploads)

    def remove(self, documents: Sequence[DocumentKey]) -> Generator[Followed]:
        """What becomes of each document, as it is known. When the iterator is closed, no more are removed."""
        return self._follow(partial(self._take_away, each) for each in documents)

    def _follow(self, tasks: Iterable[Callable[[], _Sent | Followed]]) -> Generator[Followed]:
        with ExitStack() as stack:
            pool = ThreadPoolExecutor(_UPLOADS_AT_ONCE)
            stack.callback(partial(pool.shutdown, cancel_futures=True))
            under_way = {pool.submit(each) for each in tasks}
            waiting: list[_Sent] = []
            heard = self.clock()
            while under_way or waiting:
                under_way, new = self._arrived(under_way)
                waiting += [each for each in new if isinstance(each, _Sent)]
                ended = [each for each in new if isinstance(each, Followed)]
                ended += self._reported(waiting)
                yield from ended
                if new or ended:
                    heard = self.clock()
                elif self.clock() - heard > self.patience_seconds:
                    yield from (each.so_far for each in waiting)
                    return
                elif waiting:
                    self.sleep(_ROUND_SECONDS)

    def _arrived(
        self, under_way: set[Future[_Sent | Followed]]
    ) -> tuple[set[Future[_Sent | Followed]], list[_Sent | Followed]]:
        done, rest = wait(under_way, timeout=_ROUND_SECONDS, return_when=FIRST_COMPLETED)
        return rest, [each.result() for each in done]

    def _send(self, upload: Upload) -> _Sent | Followed:
        """The sidecar goes first: who may read the document must be known before it can be found."""
        if _size(upload.path) > MAX_BYTES:
            reason = f"The file is larger than {MAX_BYTES / 1_000_000:g} MB, so it was not uploaded; split it."
            problem = {"place": "", "reason": reason, "kind": "too_large"}
            return Followed(upload.document, "rejected", 0, [problem], upload.path)
        content = _bytes_of(upload.path)
        sidecar = _bytes_of(upload.sidecar) if upload.sidecar else self._content(sidecar_key(upload.document))
        earlier = self._earlier(upload.document)
        with s3_errors():
            if upload.sidecar and sidecar is not None:
                self.client.put_object(Bucket=self.bucket, Key=sidecar_key(upload.document), Body=sidecar)
            self.client.put_object(Bucket=self.bucket, Key=object_key(upload.document), Body=content)
        is_kept = sidecar is not None and not upload.sidecar
        so_far = Followed(upload.document, UNREPORTED, path=upload.path, kept_sidecar=is_kept)
        return _Sent(so_far, version_of(content, sidecar), earlier)

    def _take_away(self, document: DocumentKey) -> _Sent | Followed:
        """The file alone: an ingest under way must not read it without the sidecar that says who may read it."""
        if not S3DocumentStore(self.client, self.bucket).holds(document):
            is_left = self._get(sidecar_key(document)) is not None
            self._delete(sidecar_key(document))
            return Followed(document, "deleted" if is_left else MISSING)
        earlier = self._earlier(document)
        self._delete(object_key(document))
        return _Sent(Followed(document, UNREPORTED), "", earlier)

    def _delete(self, key: str) -> None:
        with s3_errors():
            self.client.delete_object(Bucket=self.bucket, Key=key)

    def _reported(self, waiting: list[_Sent]) -> list[Followed]:
        """Takes away from `waiting` what has been reported on; what else was asked after goes to its end."""
        asked = waiting[:_ASKED_AT_ONCE]
        del waiting[:_ASKED_AT_ONCE]
        found = []
        for sent in asked:
            report = self._report(sent)
            if report is None:
                waiting.append(sent)
                continue
            if not sent.version:
                self._delete(sidecar_key(sent.so_far.document))
            found.append(sent.ended(report))
        return found

    def _report(self, sent: _Sent) -> dict[str, Any] | None:
        """The report on what was done, once it is there."""
        found = self._get(report_key(sent.so_far.document))
        if found is None or found["ETag"] == sent.earlier.tag:
            return None
        report = self._parsed(found)
        return report if sent.is_answered_by(report) else None

    def _earlier(self, document: DocumentKey) -> _Earlier:
        found = self._get(report_key(document))
        return _Earlier(found["ETag"], self._parsed(found)["version"]) if found else _Earlier()

    def _parsed(self, found: GetObjectOutputTypeDef) -> dict[str, Any]:
        with s3_errors():
            report: dict[str, Any] = json.loads(found["Body"].read())
        return report

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
