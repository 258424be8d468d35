"""What every record of a rebuild does: the fake and the real one alike."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cicada.adapters.s3.rebuild_log import S3RebuildLog
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import ConfigurationError
from cicada.ingest.model import RebuildRecord
from cicada.ingest.ports import RebuildLog
from tests.contract.bucket import BUCKET, bucket
from tests.fakes.ground_truth import InMemoryRebuildLog

COPIED = {
    DocumentKey(KnowledgeBaseKey("default", "scripts"), "acts/act 1 + ü.json"): '"e1"',
    DocumentKey(KnowledgeBaseKey("acme", "notes"), "a.md"): '"e2"',
}
RECORD = RebuildRecord("run-1", 1_763_726_400.5, COPIED)


@pytest.fixture(params=["memory", "s3"])
def log(request: pytest.FixtureRequest) -> Iterator[RebuildLog]:
    if request.param == "memory":
        yield InMemoryRebuildLog()
    else:
        with bucket() as client:
            yield S3RebuildLog(client, BUCKET)


def test_a_record_is_read_as_it_was_written(log: RebuildLog) -> None:
    before, begun = log.read()
    assert before is None
    revision = log.write(RECORD, begun)
    assert log.read() == (RECORD, revision)
    assert revision
    ended = log.write(None, revision)
    assert log.read() == (None, ended)


def test_of_two_who_write_on_the_same_revision_one_does(log: RebuildLog) -> None:
    for record in (None, RECORD):
        _, seen = log.read()
        first = log.write(RebuildRecord("mine", 1.0), seen)
        assert first
        assert log.write(RebuildRecord("theirs", 2.0), seen) is None
        assert log.read() == (RebuildRecord("mine", 1.0), first)
        log.write(record, first)


def test_a_bucket_that_is_missing_is_a_mistake_of_the_deployment() -> None:
    with bucket(is_there=False) as client:
        log = S3RebuildLog(client, BUCKET)
        for call in (log.read, lambda: log.write(RECORD, "")):
            with pytest.raises(ConfigurationError, match="NoSuchBucket"):
                call()
