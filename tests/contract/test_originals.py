"""Signed addresses of the files that documents were made from."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from urllib.parse import parse_qs, urlsplit

import pytest

from cicada.adapters.s3.originals import S3Originals, disposition_of
from cicada.documents.catalogue import DocumentRow
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import CicadaError
from tests.contract.bucket import BUCKET, bucket

NAME = 'hr/Löhne "2026".pdf'
CONTENT = b"%PDF-1.7"
Address = Callable[[DocumentRow], str | None]


def row(name: str = NAME, content: bytes = CONTENT) -> DocumentRow:
    document = DocumentKey(KnowledgeBaseKey("acme", "store"), name)
    return DocumentRow(document, "Pay", "v1", 1, time.time() + 60, hashlib.sha256(content).hexdigest())


@pytest.fixture
def address() -> Iterator[Address]:
    with bucket() as client:
        client.put_object(Bucket=BUCKET, Key=f"documents/acme/store/{NAME}", Body=CONTENT)
        yield S3Originals(client, BUCKET).address


def test_an_address_is_good_for_a_minute_and_makes_a_browser_save_the_file(address: Address) -> None:
    asked = parse_qs(urlsplit(address(row()) or "").query)
    assert asked["response-content-disposition"] == [disposition_of('Löhne "2026".pdf')]
    assert asked["response-content-type"] == ["application/octet-stream"]
    assert "60" in asked.get("X-Amz-Expires", []) or int(asked["Expires"][0]) <= time.time() + 61


def test_no_name_of_a_file_breaks_out_of_the_header() -> None:
    assert disposition_of('Löhne "2026"\r\n.pdf') == (
        "attachment; filename=\"L_hne _2026___.pdf\"; filename*=UTF-8''L%C3%B6hne%20%222026%22%0D%0A.pdf"
    )


def test_a_file_that_is_not_the_one_that_was_ingested_has_no_address(address: Address) -> None:
    assert address(row(content=b"%PDF-1.6")) is None
    assert address(row()) is not None


def test_an_address_is_of_the_version_that_was_ingested() -> None:
    with bucket() as client:
        client.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
        kept = client.put_object(Bucket=BUCKET, Key=f"documents/acme/store/{NAME}", Body=CONTENT)["VersionId"]
        asked = parse_qs(urlsplit(S3Originals(client, BUCKET).address(row()) or "").query)
    assert asked["versionId"] == [kept]


def test_a_document_without_a_file_has_no_address(address: Address) -> None:
    assert address(row("hr/L")) is None
    assert address(row("never.pdf")) is None


def test_an_outage_is_no_missing_file() -> None:
    with bucket(is_there=False) as client, pytest.raises(CicadaError):
        S3Originals(client, BUCKET).address(row())
