"""Recognising the text of scans by Amazon Textract."""

from __future__ import annotations

import hashlib
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any, Protocol

from botocore.exceptions import ClientError
from msgspec import Struct

from cicada.adapters.aws_errors import s3_errors, textract_errors
from cicada.adapters.s3.keys import scan_key
from cicada.deadline import seconds_left
from cicada.errors import DocumentRejectedError, UnavailableError
from cicada.ingest.model import RecognisedPage, SourceFile

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

# Lines of less confidence, in per cent, are left out: they are more likely wrong than right.
LEAST_CONFIDENCE = 50.0
# A short scan is recognised while it is waited for. A longer one is left to the next delivery of its message.
WAITED_SECONDS, PAUSE_SECONDS = 30.0, 3.0
# A job that failed is begun once more. The same file then fails at once, until it is changed.
_JOBS = 2
# Of a page with two columns: how many lines each has at least, and how wide they are, as a share of the page. The cells
# of a table are narrower.
_COLUMN_LINES, _COLUMN_WIDTH, _MIDDLE = 5, 0.25, 0.5

_UNUSABLE = ("The text recognition cannot use this PDF; save it as a new PDF and upload that.", "damaged")
_REFUSED = {
    "BadDocumentException": _UNUSABLE,
    "DocumentTooLargeException": (
        "The PDF is too large for the text recognition; split it and upload the parts.",
        "too_large",
    ),
    "UnsupportedDocumentException": _UNUSABLE,
}


class TextractClient(Protocol):
    """What is used of the SDK's client."""

    def start_document_text_detection(
        self,
        *,
        DocumentLocation: Mapping[str, Any],  # noqa: N803 - the SDK's
        ClientRequestToken: str,  # noqa: N803 - the SDK's
    ) -> Mapping[str, Any]: ...

    def get_document_text_detection(self, **parameters: str) -> Mapping[str, Any]: ...


class Line(Struct, frozen=True):
    """A line on a page. Its box is in shares of the page, from the upper left corner."""

    text: str
    left: float
    width: float


class TextractTextRecognition:
    """A job for each file, which a token made of the file's bytes names: whoever asks again gets the same job.

    The job reads a copy of the bytes that ingest has read, because the upload may be replaced meanwhile.
    `pause` waits for a number of seconds.
    """

    def __init__(
        self, client: TextractClient, s3: S3Client, bucket: str, pause: Callable[[float], None] = time.sleep
    ) -> None:
        self._client = client
        self._s3 = s3
        self._bucket = bucket
        self._pause = pause

    def read(self, source: SourceFile) -> tuple[RecognisedPage, ...]:
        key = self._copied(source)
        for attempt in range(1, _JOBS + 1):
            job = self._begun(key, attempt)
            if (first := self._ended(job)) is not None:
                return tuple(_pages(self._parts(job, first)))
        raise DocumentRejectedError(
            "The text recognition failed twice at the PDF; save it as a new PDF, or split it, and upload that.",
            "illegible",
        )

    def _copied(self, source: SourceFile) -> str:
        digest = hashlib.sha256(f"{source.document.document_id}\n".encode() + source.content).hexdigest()
        key = scan_key(source.document, digest)
        with s3_errors():
            self._s3.put_object(Bucket=self._bucket, Key=key, Body=source.content)
        return key

    def _begun(self, key: str, attempt: int) -> str:
        """The id of the job."""
        try:
            with textract_errors():
                reply = self._client.start_document_text_detection(
                    DocumentLocation={"S3Object": {"Bucket": self._bucket, "Name": key}},
                    ClientRequestToken=hashlib.sha256(f"{key}\n{attempt}".encode()).hexdigest(),
                )
        except ClientError as error:
            raise DocumentRejectedError(*_REFUSED[error.response["Error"]["Code"]]) from error
        return str(reply["JobId"])

    def _ended(self, job: str) -> Mapping[str, Any] | None:
        """The first part of the result; None if the job has failed, or its result is not kept any more."""
        waited = 0.0
        while (part := self._part(job)) is not None and part["JobStatus"] == "IN_PROGRESS":
            if waited >= WAITED_SECONDS or seconds_left() <= PAUSE_SECONDS:
                raise UnavailableError("The text of the scan is still being recognised; the next try goes on.")
            self._pause(PAUSE_SECONDS)
            waited += PAUSE_SECONDS
        return None if part is None or part["JobStatus"] == "FAILED" else part

    def _part(self, job: str) -> Mapping[str, Any] | None:
        try:
            with textract_errors():
                return self._client.get_document_text_detection(JobId=job)
        except ClientError:
            # InvalidJobIdException: results are kept for a week.
            return None

    def _parts(self, job: str, first: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """The parts of the result, of at most 1,000 blocks each; a page of text has some hundreds."""
        part = first
        yield part
        while token := part.get("NextToken"):
            if seconds_left() <= 0:
                raise UnavailableError("The scan has more text than can be fetched in time; it is tried again.")
            with textract_errors():
                part = self._client.get_document_text_detection(JobId=job, NextToken=token)
            yield part


def _pages(parts: Iterable[Mapping[str, Any]]) -> Iterator[RecognisedPage]:
    """Raises `UnavailableError` for a reply of an unknown form."""
    lines: dict[int, list[Line]] = defaultdict(list)
    left_out: Counter[int] = Counter()
    known: set[int] = set()
    failed: set[int] = set()
    try:
        for part in parts:
            known.update(range(1, part["DocumentMetadata"]["Pages"] + 1))
            for block in part["Blocks"]:
                if block["BlockType"] != "LINE":
                    continue
                page = block.get("Page", 1)
                if block["Confidence"] < LEAST_CONFIDENCE:
                    left_out[page] += 1
                else:
                    box = block["Geometry"]["BoundingBox"]
                    lines[page].append(Line(block["Text"], box["Left"], box["Width"]))
            for warning in part.get("Warnings", ()):
                failed.update(warning.get("Pages", ()))
    except (KeyError, TypeError) as error:
        raise UnavailableError("The reply of the text recognition has an unknown form.") from error
    for page in sorted(known):
        texts = tuple(line.text for line in in_reading_order(lines[page]))
        yield RecognisedPage(page, texts, left_out[page], page in failed and not texts)


def in_reading_order(lines: Sequence[Line]) -> Iterator[Line]:
    """Lines from top to bottom, as Textract gives them; of two columns of text the left one first.

    A line across the middle of the page, such as a heading, ends the columns above it.
    """
    above: list[Line] = []
    for line in lines:
        if line.left < _MIDDLE < line.left + line.width:
            yield from _columns(above)
            yield line
            above = []
        else:
            above.append(line)
    yield from _columns(above)


def _columns(lines: list[Line]) -> list[Line]:
    left = [line for line in lines if line.left < _MIDDLE]
    right = [line for line in lines if line.left >= _MIDDLE]
    return [*left, *right] if _is_column(left) and _is_column(right) else lines


def _is_column(lines: Sequence[Line]) -> bool:
    return len(lines) >= _COLUMN_LINES and median(line.width for line in lines) >= _COLUMN_WIDTH
