"""Text of scans by Amazon Textract."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.stub import ANY, Stubber

from cicada.adapters.textract import LEAST_CONFIDENCE, Line, TextractTextRecognition, in_reading_order
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import CicadaError, ConfigurationError, DocumentRejectedError, ThrottledError, UnavailableError
from cicada.ingest.model import RecognisedPage, SourceFile

SCAN = SourceFile(DocumentKey(KnowledgeBaseKey("acme", "rd"), "a #1.pdf"), "a #1.pdf", b"%PDF", "v1")
START, GET = "start_document_text_detection", "get_document_text_detection"


class Service:
    """Textract and S3 as scripted; `paused` are the seconds that were waited for."""

    def __init__(self) -> None:
        keys = {"region_name": "us-east-1", "aws_access_key_id": "test", "aws_secret_access_key": "test"}
        self._textract, self._s3 = boto3.client("textract", **keys), boto3.client("s3", **keys)  # type: ignore[call-overload]
        self.textract, self.s3 = Stubber(self._textract), Stubber(self._s3)
        self.tokens: list[str] = []
        self.keys: list[str] = []
        self.paused: list[float] = []
        self._textract.meta.events.register("provide-client-params.textract.StartDocumentTextDetection", self._keep)

    def _keep(self, params: dict[str, Any], **_: object) -> None:
        self.tokens.append(params["ClientRequestToken"])
        self.keys.append(params["DocumentLocation"]["S3Object"]["Name"])

    def starts(self, job: str = "job") -> None:
        location = {"S3Object": {"Bucket": "documents", "Name": ANY}}
        self.textract.add_response(START, {"JobId": job}, {"DocumentLocation": location, "ClientRequestToken": ANY})

    def gives(self, status: str = "SUCCEEDED", *blocks: dict[str, Any], token: str = "", **more: Any) -> None:
        reply = {"JobStatus": status, "DocumentMetadata": {"Pages": 2}, "Blocks": list(blocks), **more}
        self.textract.add_response(GET, reply | ({"NextToken": token} if token else {}))

    def read(self, source: SourceFile = SCAN) -> tuple[RecognisedPage, ...]:
        copied = {"Bucket": "documents", "Key": ANY, "Body": source.content}
        self.s3.add_response("put_object", {}, copied)
        with self.textract, self.s3:
            return TextractTextRecognition(self._textract, self._s3, "documents", self.paused.append).read(source)


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service()
    yield made
    made.textract.assert_no_pending_responses()


def block(text: str, page: int = 1, confidence: float = 99.0, kind: str = "LINE") -> dict[str, Any]:
    box = {"Left": 0.1, "Top": 0.1, "Width": 0.8, "Height": 0.02}
    return {"BlockType": kind, "Text": text, "Page": page, "Confidence": confidence, "Geometry": {"BoundingBox": box}}


def test_the_lines_of_all_parts_stand_on_their_pages(service: Service) -> None:
    service.starts()
    service.gives("SUCCEEDED", block("One."), block("One.", kind="WORD"), token="more")
    service.gives("SUCCEEDED", block("Two."), block("Three.", page=2))
    assert service.read() == (RecognisedPage(1, ("One.", "Two.")), RecognisedPage(2, ("Three.",)))
    assert service.paused == []


def test_uncertain_lines_are_left_out_and_counted_and_failed_pages_are_named(service: Service) -> None:
    service.starts()
    warning = {"ErrorCode": "INTERNAL_ERROR", "Pages": [2]}
    lines = block("Sure.", confidence=LEAST_CONFIDENCE), block("Sme.", confidence=LEAST_CONFIDENCE - 0.1)
    service.gives("PARTIAL_SUCCESS", *lines, Warnings=[warning])
    assert service.read() == (RecognisedPage(1, ("Sure.",), left_out=1), RecognisedPage(2, has_failed=True))


def test_the_same_bytes_are_the_same_job_under_a_name_that_textract_takes(service: Service) -> None:
    for source in (SCAN, SCAN, SourceFile(SCAN.document, SCAN.name, b"%PDF-2", "v2")):
        service.starts()
        service.gives()
        service.read(source)
    first, again, other = service.tokens
    assert first == again != other
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", token) for token in service.tokens)
    assert all(re.fullmatch(r"scans/acme/rd/[0-9a-f]{64}\.pdf", key) for key in service.keys)


def test_a_short_job_is_waited_for(service: Service) -> None:
    service.starts()
    service.gives("IN_PROGRESS")
    service.gives("SUCCEEDED", block("One."))
    assert service.read()[0].lines == ("One.",)
    assert service.paused == [3]


def test_a_long_job_is_left_to_the_next_delivery(service: Service) -> None:
    service.starts()
    for _ in range(11):
        service.gives("IN_PROGRESS")
    with pytest.raises(UnavailableError, match="still being recognised"):
        service.read()
    assert sum(service.paused) == 30


def test_a_job_that_failed_or_is_forgotten_is_begun_once_more(service: Service) -> None:
    service.starts()
    service.textract.add_client_error(GET, "InvalidJobIdException")
    service.starts("again")
    service.gives("FAILED")
    with pytest.raises(DocumentRejectedError, match="failed twice"):
        service.read()
    assert len(set(service.tokens)) == 2


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("BadDocumentException", DocumentRejectedError),
        ("UnsupportedDocumentException", DocumentRejectedError),
        ("DocumentTooLargeException", DocumentRejectedError),
        ("LimitExceededException", ThrottledError),
        ("ProvisionedThroughputExceededException", ThrottledError),
        ("AccessDeniedException", ConfigurationError),
        ("InvalidS3ObjectException", ConfigurationError),
        ("InternalServerError", UnavailableError),
    ],
)
def test_a_refused_job_is_no_empty_document(service: Service, code: str, expected: type[CicadaError]) -> None:
    service.textract.add_client_error(START, code)
    with pytest.raises(expected):
        service.read()


def test_a_reply_of_an_unknown_form_is_a_failure(service: Service) -> None:
    service.starts()
    service.gives("SUCCEEDED", {"BlockType": "LINE", "Text": "One."})
    with pytest.raises(UnavailableError, match="unknown form"):
        service.read()


def lines(*boxes: tuple[str, float, float]) -> list[Line]:
    return [Line(text, left, width) for text, left, width in boxes]


def test_of_two_columns_the_left_one_is_read_first_and_a_heading_ends_them() -> None:
    rows = [each for n in range(6) for each in ((f"l{n}", 0.1, 0.38), (f"r{n}", 0.52, 0.38))]
    found = in_reading_order(lines(("Title", 0.2, 0.6), *rows, ("Below", 0.1, 0.8), *rows[:2]))
    texts = [line.text for line in found]
    assert texts == ["Title", *(f"l{n}" for n in range(6)), *(f"r{n}" for n in range(6)), "Below", "l0", "r0"]


def test_the_rows_of_a_table_stay_together() -> None:
    rows = lines(*(each for n in range(9) for each in ((f"Item {n}", 0.1, 0.12), (f"{n} €", 0.7, 0.05))))
    assert list(in_reading_order(rows)) == rows
