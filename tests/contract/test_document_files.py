"""What editors see and change of the uploaded files, in memory and in a bucket on moto."""

from __future__ import annotations

import json
import time
from base64 import b64decode
from collections.abc import Callable, Iterator

import pytest

from cicada.adapters.s3.document_files import S3DocumentFiles
from cicada.adapters.s3.keys import object_key, report_key
from cicada.answering.ports import DocumentFiles
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from tests.contract.bucket import BUCKET, bucket
from tests.fakes.document_files import InMemoryDocumentFiles

STORE = KnowledgeBaseKey("acme", "store")
LEASE = DocumentKey(STORE, "lease.md")
Put = Callable[[DocumentKey], None]


@pytest.fixture(params=["memory", "S3"])
def stored(request: pytest.FixtureRequest) -> Iterator[tuple[DocumentFiles, Put, Put]]:
    """The files, and what puts a file and a report of its rejection there."""
    report = {"outcome": "rejected", "passages": 0, "problems": [{"place": "", "reason": "It is cut off."}]}
    if request.param == "memory":
        memory = InMemoryDocumentFiles(time.time)
        yield memory, memory.put, lambda document: memory.report(document, **report)
        return
    with bucket() as client:

        def put(document: DocumentKey) -> None:
            client.put_object(Bucket=BUCKET, Key=object_key(document), Body=b"text")

        def reject(document: DocumentKey) -> None:
            client.put_object(Bucket=BUCKET, Key=report_key(document), Body=json.dumps(report).encode())

        yield S3DocumentFiles(client, BUCKET), put, reject


def test_a_file_waits_for_its_report_and_leaves_while_it_is_listed(stored: tuple[DocumentFiles, Put, Put]) -> None:
    files, put, reject = stored
    assert (files.holds(LEASE), files.state(LEASE, is_listed=False)) == (False, None)
    put(LEASE)
    put(DocumentKey(STORE, "lease.md.md"))
    assert files.holds(LEASE)
    [name] = files.states(STORE, {}, lambda names: [name for name in names if name == "lease.md"])
    state = files.state(LEASE, is_listed=False)
    assert (name, state and state.state) == ("lease.md", "waiting")
    reject(LEASE)
    rejected = files.states(STORE, {"lease.md": None}, lambda names: ())["lease.md"]
    assert (rejected.state, rejected.remark) == ("rejected", "It is cut off.")
    files.remove_file(LEASE)
    assert files.states(STORE, {"lease.md": None}, lambda names: ())["lease.md"].state == "leaving"


def test_a_sidecar_is_written_over_the_version_that_was_read_alone(stored: tuple[DocumentFiles, Put, Put]) -> None:
    files, _, _ = stored
    first = files.write_sidecar(LEASE, b"{}", "")
    assert first
    assert files.write_sidecar(LEASE, b"[]", "") is None
    second = files.write_sidecar(LEASE, b"[1]", first)
    assert files.write_sidecar(LEASE, b"[2]", first) is None
    kept = files.sidecar(LEASE)
    assert kept is not None
    assert (kept.content, kept.version) == (b"[1]", second)
    assert abs(kept.written_at - time.time()) < 60
    files.remove_sidecar(LEASE)
    assert files.sidecar(LEASE) is None
    assert files.write_sidecar(LEASE, b"[3]", second or "") is None


def test_a_form_takes_what_was_announced_and_nothing_else() -> None:
    with bucket() as client:
        url, fields = S3DocumentFiles(client, BUCKET, "https://here.invalid").form(LEASE, 1234, 300)
    conditions = json.loads(b64decode(fields["policy"]))["conditions"]
    assert (url, fields["key"]) == ("https://here.invalid", "documents/acme/store/lease.md")
    announced = [{"key": fields["key"]}, {"Content-Type": "text/markdown"}, {"bucket": BUCKET}]
    assert all(each in conditions for each in [*announced, ["content-length-range", 1234, 1234]])
