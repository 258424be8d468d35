"""What every document store does: the fake and the real one alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import boto3
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from moto import mock_aws

from cicada.adapters.s3.document_store import S3DocumentStore
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import ConfigurationError, DocumentRejectedError
from cicada.ingest.model import SIDECAR_BYTES, IngestReport, Outcome, OversizedFile, Problem, SourceFile, version_of
from cicada.ingest.ports import DocumentStore
from cicada.ingest.sidecar import parse_sidecar
from tests.fakes.document_store import InMemoryDocumentStore

BUCKET = "documents"
DOCUMENT = DocumentKey(KnowledgeBaseKey("default", "scripts"), "acts/act 1 + ü.json")
KEY = "documents/default/scripts/acts/act 1 + ü.json"


@dataclass(frozen=True)
class Uploads:
    """A store, and what an uploader does to it."""

    store: DocumentStore
    put: Callable[[bytes], object]
    remove: Callable[[], object]
    describe: Callable[[bytes | None], object]


@pytest.fixture(params=["memory", "s3"])
def uploads(request: pytest.FixtureRequest) -> Iterator[Uploads]:
    if request.param == "memory":
        memory = InMemoryDocumentStore(max_bytes=1000)
        yield Uploads(
            memory,
            lambda content: memory.put(DOCUMENT, content),
            lambda: memory.remove(DOCUMENT),
            lambda sidecar: memory.describe(DOCUMENT, sidecar),
        )
        return
    with mock_aws():
        client = boto3.client("s3", region_name="us-east-1")
        client.create_bucket(Bucket=BUCKET)
        yield Uploads(
            S3DocumentStore(client, BUCKET, max_bytes=1000),
            lambda content: client.put_object(Bucket=BUCKET, Key=KEY, Body=content),
            lambda: client.delete_object(Bucket=BUCKET, Key=KEY),
            lambda sidecar: (
                client.delete_object(Bucket=BUCKET, Key=f"{KEY}.metadata.json")
                if sidecar is None
                else client.put_object(Bucket=BUCKET, Key=f"{KEY}.metadata.json", Body=sidecar)
            ),
        )


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=1000))
def test_a_file_is_read_as_it_was_uploaded(uploads: Uploads, content: bytes) -> None:
    uploads.put(content)
    source = uploads.store.read(DOCUMENT)
    assert isinstance(source, SourceFile)
    assert (source.document, source.name, source.content) == (DOCUMENT, "act 1 + ü.json", content)


def test_the_version_changes_with_the_bytes_and_with_nothing_else(uploads: Uploads) -> None:
    versions = []
    for content in (b"one", b"two", b"one", b""):
        uploads.put(content)
        source = uploads.store.read(DOCUMENT)
        assert isinstance(source, SourceFile)
        versions.append(source.version)
    assert versions[0] == versions[2]
    assert len(set(versions)) == 3


def test_a_sidecar_is_read_with_its_file_and_makes_another_version(uploads: Uploads) -> None:
    uploads.describe(b"{}")
    assert uploads.store.read(DOCUMENT) is None
    versions = []
    for sidecar in (None, b"{}", b'{"metadataAttributes": {}}', b"", None):
        uploads.put(b"[]")
        uploads.describe(sidecar)
        source = uploads.store.read(DOCUMENT)
        assert isinstance(source, SourceFile)
        assert (source.content, source.sidecar) == (b"[]", sidecar)
        assert source.version == version_of(b"[]", sidecar)
        versions.append(source.version)
    assert versions[0] == versions[4]
    assert len(set(versions)) == 4


def test_of_a_sidecar_that_is_too_large_no_more_is_read_than_shows_it(uploads: Uploads) -> None:
    uploads.put(b"[]")
    uploads.describe(b"x" * 50_000)
    source = uploads.store.read(DOCUMENT)
    assert isinstance(source, SourceFile)
    assert source.sidecar == b"x" * (SIDECAR_BYTES + 1)
    assert source.version == version_of(b"[]", b"x" * 50_000)


def test_whether_a_file_is_there_is_known_without_reading_it(uploads: Uploads) -> None:
    uploads.describe(b"{}")
    assert not uploads.store.holds(DOCUMENT)
    uploads.put(b"x" * 1001)
    assert uploads.store.holds(DOCUMENT)
    uploads.remove()
    assert not uploads.store.holds(DOCUMENT)


def test_a_file_that_never_was_or_is_gone_is_none(uploads: Uploads) -> None:
    assert uploads.store.read(DOCUMENT) is None
    uploads.put(b"[]")
    uploads.remove()
    assert uploads.store.read(DOCUMENT) is None


def test_the_largest_file_is_read_and_of_a_larger_one_only_the_sidecar(uploads: Uploads) -> None:
    uploads.put(b"x" * 1000)
    assert isinstance(uploads.store.read(DOCUMENT), SourceFile)
    uploads.put(b"x" * 1001)
    uploads.describe(b"{}")
    source = uploads.store.read(DOCUMENT)
    assert isinstance(source, OversizedFile)
    assert source.sidecar == b"{}"
    assert "larger than" in source.reason


def test_a_report_is_written_beside_the_documents() -> None:
    report = IngestReport(
        DOCUMENT, Outcome.INDEXED, 3, (Problem("record 2", "half \ud83d a pair"),), "abc", ("group:staff",)
    )
    with mock_aws():
        client = boto3.client("s3", region_name="us-east-1")
        client.create_bucket(Bucket=BUCKET)
        at = datetime(2026, 1, 2, 3, 4, 5, 6, UTC)
        S3DocumentStore(client, BUCKET, clock=lambda: at).write_report(report)
        written = client.get_object(Bucket=BUCKET, Key="reports/default/scripts/acts/act 1 + ü.json.json")
        assert written["ContentType"] == "application/json"
        assert json.load(written["Body"]) == {
            "tenant": "default",
            "knowledgeBase": "scripts",
            "documentId": "acts/act 1 + ü.json",
            "version": "abc",
            "outcome": "indexed",
            "passages": 3,
            "readers": ["group:staff"],
            "problems": [{"place": "record 2", "reason": "half \ud83d a pair", "kind": "unreadable"}],
            "reportedAt": "2026-01-02T03:04:05.000006+00:00",
        }


def test_a_bucket_that_is_missing_is_a_mistake_of_the_deployment_and_no_missing_file() -> None:
    with mock_aws(), pytest.raises(ConfigurationError, match="NoSuchBucket"):
        S3DocumentStore(boto3.client("s3", region_name="us-east-1"), BUCKET).read(DOCUMENT)


@pytest.mark.parametrize("name", [".Metadata.json", ".metadata.JSON", ".METADATA.json"])
def test_a_sidecar_in_another_case_is_not_passed_over(name: str) -> None:
    with mock_aws():
        client = boto3.client("s3", region_name="us-east-1")
        client.create_bucket(Bucket=BUCKET)
        for key, body in ((KEY, b"text"), (f"{KEY}{name}", b"{}"), (f"{KEY}.metadata.json", b"{}")):
            client.put_object(Bucket=BUCKET, Key=key, Body=body)
        source = S3DocumentStore(client, BUCKET).read(DOCUMENT)
    assert isinstance(source, SourceFile)
    with pytest.raises(DocumentRejectedError, match="name in another case"):
        parse_sidecar(source.sidecar)
