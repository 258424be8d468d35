"""Uploads files to a stage's bucket, or removes them from it, and waits for the report of ingest on each."""

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
from cicada.adapters.s3.document_files import S3DocumentFiles
from cicada.adapters.s3.keys import object_key, report_key, sidecar_key
from cicada.documents.model import DocumentKey
from cicada.ingest.model import version_of
from clients.documents.errors import UnreadableFileError
from clients.documents.files import Upload, refusal

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import GetObjectOutputTypeDef

_UPLOADS_AT_ONCE = 4
# A round polls the reports on this many of the waiting files, in turn.
_POLLED_AT_ONCE = 25
_ROUND_SECONDS = 0.3

UNDER_WAY = "under_way"
UNREPORTED = "unreported"
MISSING = "missing"


@dataclass(frozen=True, slots=True)
class DocumentResult:
    """`outcome`: an outcome of ingest, `UNREPORTED` if no report came in time, or `MISSING`.

    While it is `UNDER_WAY`, `embedded` of the `passages` have their vectors.

    `kept_sidecar`: the file was uploaded without a sidecar, and the sidecar of an earlier upload still applies.
    `readers`: as the report says, empty for all users of the tenant.
    """

    document: DocumentKey
    outcome: str
    passages: int = 0
    problems: Sequence[dict[str, str]] = field(default_factory=list)
    path: Path = Path()
    kept_sidecar: bool = False
    readers: Sequence[str] = ()
    embedded: int = 0

    @property
    def report_key(self) -> str:
        """The key of the report in the bucket."""
        return report_key(self.document)

    @property
    def has_failed(self) -> bool:
        return self.outcome in ("rejected", UNREPORTED, MISSING)


@dataclass(frozen=True, slots=True)
class _EarlierReport:
    """ETag and document version of the report that was there before; both are empty if there was none.

    The version of a report on an ingest that was under way is empty too.
    """

    etag: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class _Pending:
    """A file that waits for its report: it was uploaded or, if `version` is empty, removed.

    `so_far` is the result if no report comes.
    """

    so_far: DocumentResult
    version: str
    earlier: _EarlierReport

    def is_answered_by(self, report: dict[str, Any]) -> bool:
        """Whether the report is about this version: the report on an earlier one may come late."""
        if not self.version:
            return bool(report["outcome"] == "deleted")
        return report["version"] == self.version or (report["outcome"] == "rejected" and not report["version"])

    def result(self, report: dict[str, Any]) -> DocumentResult:
        """The report's result, but `indexed` if a new version is `unchanged`: its sidecar's event had it indexed."""
        is_new = report["outcome"] == "unchanged" and report["version"] != self.earlier.version
        return replace(
            self.so_far,
            outcome="indexed" if is_new else report["outcome"],
            passages=report["passages"],
            problems=report["problems"],
            # Reports of an earlier release have neither.
            readers=tuple(report.get("readers", ())),
            embedded=report.get("embedded", 0),
        )


@dataclass(frozen=True, slots=True)
class Uploader:
    """Gives up when no report came for `patience_seconds`. Failures of S3 are raised as `CicadaError`.

    `tell_progress`: is told of each report on a file that is under way.
    """

    client: S3Client
    bucket: str
    patience_seconds: float
    tell_progress: Callable[[DocumentResult], None] = lambda _: None
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def ingest(self, uploads: Sequence[Upload]) -> Generator[DocumentResult]:
        """The result of each file as soon as it is known. Closing the iterator stops the uploads."""
        return self._follow(partial(self._send, each) for each in uploads)

    def remove(self, documents: Sequence[DocumentKey]) -> Generator[DocumentResult]:
        """The result of each document as soon as it is known. Closing the iterator stops the removals."""
        return self._follow(partial(self._remove, each) for each in documents)

    def _follow(self, tasks: Iterable[Callable[[], _Pending | DocumentResult]]) -> Generator[DocumentResult]:
        with ExitStack() as stack:
            pool = ThreadPoolExecutor(_UPLOADS_AT_ONCE)
            stack.callback(partial(pool.shutdown, cancel_futures=True))
            under_way = {pool.submit(each) for each in tasks}
            waiting: list[_Pending] = []
            heard = self.clock()
            while under_way or waiting:
                under_way, new = self._arrived(under_way)
                waiting += [each for each in new if isinstance(each, _Pending)]
                ended = [each for each in new if isinstance(each, DocumentResult)]
                told = self._told(waiting)
                for each in told:
                    if each.outcome == UNDER_WAY:
                        self.tell_progress(each)
                    else:
                        ended.append(each)
                yield from ended
                if new or told:
                    heard = self.clock()
                elif self.clock() - heard > self.patience_seconds:
                    yield from (each.so_far for each in waiting)
                    return
                elif waiting:
                    self.sleep(_ROUND_SECONDS)

    def _arrived(
        self, under_way: set[Future[_Pending | DocumentResult]]
    ) -> tuple[set[Future[_Pending | DocumentResult]], list[_Pending | DocumentResult]]:
        done, rest = wait(under_way, timeout=_ROUND_SECONDS, return_when=FIRST_COMPLETED)
        return rest, [each.result() for each in done]

    def _send(self, upload: Upload) -> _Pending | DocumentResult:
        """The sidecar is uploaded first: it says who may read the document, which must not be found without it."""
        reason, kind = refusal(upload.path)
        if reason:
            problem = {"place": "", "reason": reason, "kind": kind}
            return DocumentResult(upload.document, "rejected", 0, [problem], upload.path)
        content = _bytes_of(upload.path)
        sidecar = _bytes_of(upload.sidecar) if upload.sidecar else self._content(sidecar_key(upload.document))
        earlier = self._earlier(upload.document)
        with s3_errors():
            if upload.sidecar and sidecar is not None:
                self.client.put_object(Bucket=self.bucket, Key=sidecar_key(upload.document), Body=sidecar)
            self.client.put_object(Bucket=self.bucket, Key=object_key(upload.document), Body=content)
        is_kept = sidecar is not None and not upload.sidecar
        so_far = DocumentResult(upload.document, UNREPORTED, path=upload.path, kept_sidecar=is_kept)
        return _Pending(so_far, version_of(content, sidecar), earlier)

    def _remove(self, document: DocumentKey) -> _Pending | DocumentResult:
        """Take the file away, or once it is gone the sidecar.

        The file goes alone: an ingest under way must not read it without the sidecar that says who may read it.
        """
        earlier, files = self._earlier(document), self._files
        if files.holds(document):
            files.remove_file(document)
            return _Pending(DocumentResult(document, UNREPORTED), "", earlier)
        is_left = files.sidecar(document) is not None
        files.remove_sidecar(document)
        return DocumentResult(document, "deleted" if is_left else MISSING)

    @property
    def _files(self) -> S3DocumentFiles:
        return S3DocumentFiles(self.client, self.bucket)

    def _told(self, waiting: list[_Pending]) -> list[DocumentResult]:
        """What new reports say of the first of `waiting`. Final ones leave the list, others go to its end."""
        polled = waiting[:_POLLED_AT_ONCE]
        del waiting[:_POLLED_AT_ONCE]
        told = []
        for sent in polled:
            report, etag = self._report(sent)
            if report is None:
                waiting.append(sent)
                continue
            told.append(sent.result(report))
            if report["outcome"] == UNDER_WAY:
                waiting.append(replace(sent, earlier=replace(sent.earlier, etag=etag)))
            elif not sent.version:
                self._files.remove_sidecar(sent.so_far.document)
        return told

    def _report(self, sent: _Pending) -> tuple[dict[str, Any] | None, str]:
        """The report on this version and its ETag, or None as long as there is no new one."""
        found = self._get(report_key(sent.so_far.document))
        if found is None or found["ETag"] == sent.earlier.etag:
            return None, ""
        report = self._parsed(found)
        return (report if sent.is_answered_by(report) else None), found["ETag"]

    def _earlier(self, document: DocumentKey) -> _EarlierReport:
        found = self._get(report_key(document))
        if found is None:
            return _EarlierReport()
        report = self._parsed(found)
        return _EarlierReport(found["ETag"], "" if report["outcome"] == UNDER_WAY else report["version"])

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


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> UnreadableFileError:
    return UnreadableFileError(f"{path} cannot be read: {error.strerror}.")
