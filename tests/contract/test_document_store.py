"""What every document store does: the fake and the real one alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cicada.adapters.s3.document_store import S3DocumentStore
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import ConfigurationError, DocumentRejectedError
from cicada.ingest.model import SIDECAR_BYTES, IngestReport, Outcome, OversizedFile, Problem, SourceFile, version_of
from cicada.ingest.ports import DocumentStore
from cicada.ingest.sidecar import parse_sidecar
from tests.contract.bucket import BUCKET, bucket
from tests.fakes.document_store import InMemoryDocumentStore

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
            memory, partial(memory.put, DOCUMENT), lambda: memory.remove(DOCUMENT), partial(memory.describe, DOCUMENT)
        )
        return
    with bucket() as client:

        def put(content: bytes | None, key: str = KEY) -> None:
            if content is None:
                client.delete_object(Bucket=BUCKET, Key=key)
            else:
                client.put_object(Bucket=BUCKET, Key=key, Body=content)

        store = S3DocumentStore(client, BUCKET, max_bytes=1000)
        yield Uploads(store, put, lambda: put(None), partial(put, key=f"{KEY}.metadata.json"))


def read(uploads: Uploads) -> SourceFile:
    source = uploads.store.read(DOCUMENT)
    assert isinstance(source, SourceFile)
    return source


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=1000))
def test_a_file_is_read_as_it_was_uploaded(uploads: Uploads, content: bytes) -> None:
    uploads.put(content)
    source = read(uploads)
    assert (source.document, source.name, source.content) == (DOCUMENT, "act 1 + ü.json", content)


def test_the_version_changes_with_the_bytes_and_the_sidecar_and_with_nothing_else(uploads: Uploads) -> None:
    uploads.describe(b"{}")
    assert uploads.store.read(DOCUMENT) is None
    versions = []
    for content, sidecar in ((b"1", None), (b"1", b"{}"), (b"1", b"{} "), (b"1", b""), (b"2", None), (b"", None)) * 2:
        uploads.put(content)
        uploads.describe(sidecar)
        source = read(uploads)
        assert (source.content, source.sidecar) == (content, sidecar)
        assert source.version == version_of(content, sidecar)
        versions.append(source.version)
    assert versions[:6] == versions[6:]
    assert len(set(versions)) == 6


def test_of_a_sidecar_that_is_too_large_no_more_is_read_than_shows_it(uploads: Uploads) -> None:
    uploads.put(b"[]")
    uploads.describe(b"x" * 50_000)
    source = read(uploads)
    assert source.sidecar == b"x" * (SIDECAR_BYTES + 1)
    assert source.version == version_of(b"[]", b"x" * 50_000)


def test_a_file_is_there_until_it_is_removed(uploads: Uploads) -> None:
    uploads.describe(b"{}")
    for size in (2, 1001):
        assert (uploads.store.holds(DOCUMENT), uploads.store.read(DOCUMENT)) == (False, None)
        uploads.put(b"x" * size)
        assert uploads.store.holds(DOCUMENT)
        uploads.remove()


def test_the_largest_file_is_read_and_of_a_larger_one_only_the_sidecar(uploads: Uploads) -> None:
    uploads.put(b"x" * 1000)
    assert len(read(uploads).content) == 1000
    uploads.put(b"x" * 1001)
    uploads.describe(b"{}")
    source = uploads.store.read(DOCUMENT)
    assert isinstance(source, OversizedFile)
    assert (source.sidecar, "larger than" in source.reason) == (b"{}", True)


def test_a_report_is_written_beside_the_documents() -> None:
    problem = Problem("record 2", "half \ud83d a pair")
    report = IngestReport(DOCUMENT, Outcome.INDEXED, 3, (problem,), "abc", ("group:staff",))
    at = datetime(2026, 1, 2, 3, 4, 5, 6, UTC)
    with bucket() as client:
        S3DocumentStore(client, BUCKET, clock=lambda: at).write_report(report)
        written = client.get_object(Bucket=BUCKET, Key="reports/default/scripts/acts/act 1 + ü.json.json")
        assert written["ContentType"] == "application/json"
        body = json.load(written["Body"])
    where = {"tenant": "default", "knowledgeBase": "scripts", "documentId": "acts/act 1 + ü.json", "version": "abc"}
    problems = [{"place": "record 2", "reason": "half \ud83d a pair", "kind": "unreadable"}]
    assert body == where | {"outcome": "indexed", "passages": 3, "readers": ["group:staff"], "problems": problems} | {
        "reportedAt": "2026-01-02T03:04:05.000006+00:00"
    }


def test_a_bucket_that_is_missing_is_a_mistake_of_the_deployment_and_no_missing_file() -> None:
    with bucket(is_there=False) as client, pytest.raises(ConfigurationError, match="NoSuchBucket"):
        S3DocumentStore(client, BUCKET).read(DOCUMENT)


@pytest.mark.parametrize("name", [".Metadata.json", ".metadata.JSON", ".METADATA.json"])
def test_a_sidecar_in_another_case_is_not_passed_over(name: str) -> None:
    with bucket() as client:
        for key, body in ((KEY, b"text"), (f"{KEY}{name}", b"{}"), (f"{KEY}.metadata.json", b"{}")):
            client.put_object(Bucket=BUCKET, Key=key, Body=body)
        source = S3DocumentStore(client, BUCKET).read(DOCUMENT)
    assert isinstance(source, SourceFile)
    with pytest.raises(DocumentRejectedError, match="name in another case"):
        parse_sidecar(source.sidecar)
