"""What every store of what ingest keeps does: of documents, of vectors, and of a rebuild; the fakes and S3 alike."""

from __future__ import annotations

import gzip
import json
import time
from array import array
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cicada.adapters.s3.ground_truth import S3GroundTruth
from cicada.adapters.s3.kept_vectors import S3KeptVectors
from cicada.adapters.s3.keys import truth_key
from cicada.adapters.s3.rebuild_log import S3RebuildLog
from cicada.documents.catalogue import Card, CardSection, Related
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Locator, ScriptLocator, SectionLocator
from cicada.errors import ConfigurationError
from cicada.ingest.model import RebuildRecord, StoredDocument, StoredPassage, TruthEntry
from cicada.ingest.ports import GroundTruth, KeptVectors, RebuildLog
from cicada.retrieval.model import Vector
from tests.contract.bucket import BUCKET, bucket
from tests.fakes.ground_truth import InMemoryGroundTruth, InMemoryRebuildLog
from tests.fakes.kept_vectors import InMemoryKeptVectors
from tests.fakes.passages import passage

DOCUMENT = DocumentKey(KnowledgeBaseKey("default", "scripts"), "acts/act 1 + ü.json")
OTHER = DocumentKey(KnowledgeBaseKey("default", "scripts"), "acts/act 1 + ü.json.txt")
FOREIGN = DocumentKey(KnowledgeBaseKey("acme", "scripts"), "acts/act 1 + ü.json")
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
names = st.dictionaries(texts, texts, max_size=3)


@pytest.fixture(params=["memory", "s3"])
def truth(request: pytest.FixtureRequest) -> Iterator[GroundTruth]:
    if request.param == "memory":
        yield InMemoryGroundTruth()
    else:
        with bucket() as client:
            yield S3GroundTruth(client, BUCKET)


VECTORS = st.lists(st.floats(-1, 1, width=32), min_size=4, max_size=4).map(lambda values: array("f", values))
some_texts = st.lists(texts, max_size=3).map(tuple)
numbers = st.integers(0, 9)
locators: st.SearchStrategy[Locator] = st.one_of(
    st.builds(SectionLocator, some_texts),
    st.builds(ScriptLocator, texts, texts, texts, texts, numbers, numbers, some_texts),
)
cards = st.builds(
    Card,
    title=texts,
    overview=texts,
    topic_tags=some_texts,
    question_hints=some_texts,
    sections=st.lists(st.builds(CardSection, texts, numbers, numbers, some_texts), max_size=2).map(tuple),
    related=st.lists(st.builds(Related, texts, st.floats(0, 1)), max_size=2).map(tuple),
    language=texts,
    by=texts,
)


@st.composite
def documents(draw: st.DrawFn) -> StoredDocument:
    version = draw(texts)
    fields: dict[str, st.SearchStrategy[Any]] = dict.fromkeys(("title", "context", "language"), texts) | {
        "locator": locators,
        "readers": some_texts,
    }
    passages = tuple(
        StoredPassage(
            passage(
                DOCUMENT,
                number,
                draw(texts),
                version=version,
                metadata=draw(names),
                **{name: draw(values) for name, values in fields.items()},
            ),
            prefix=draw(texts),
            vector=draw(VECTORS),
        )
        for number in range(draw(st.integers(0, 3)))
    )
    card, card_vector = draw(st.none() | cards), draw(st.just(()) | VECTORS)
    return StoredDocument(DOCUMENT, version, draw(texts), 4, passages, draw(texts), card=card, card_vector=card_vector)


def stored(document: DocumentKey = DOCUMENT, text: str = "The queen is dead.") -> StoredDocument:
    kept = StoredPassage(passage(document, text=text), "", array("f", [0.6, 0.8]))
    return StoredDocument(document, "v1", "model", 2, (kept,))


def read(truth: GroundTruth) -> TruthEntry:
    entry = truth.read(DOCUMENT)
    assert entry is not None
    return entry


def put(s3: S3GroundTruth, content: bytes, key: str = truth_key(DOCUMENT)) -> None:
    s3._client.put_object(Bucket=BUCKET, Key=key, Body=content)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(documents())
def test_a_document_is_read_as_it_was_written(truth: GroundTruth, document: StoredDocument) -> None:
    truth.write(document)
    assert (read(truth).stored, read(truth).revision) == (document, truth.revision(DOCUMENT))


def test_the_last_version_counts_and_has_another_revision(truth: GroundTruth) -> None:
    revisions = []
    for text in ("one", "two"):
        truth.write(stored(text=text))
        revisions.append(truth.revision(DOCUMENT))
    assert revisions[0] != revisions[1]
    assert read(truth).stored == stored(text="two")


def test_a_document_that_was_never_kept_or_is_deleted_is_none(truth: GroundTruth) -> None:
    for _ in range(2):
        assert (truth.read(DOCUMENT), truth.revision(DOCUMENT), list(truth.list())) == (None, None, [])
        truth.write(stored())
        truth.delete(DOCUMENT)
    truth.delete(DOCUMENT)


def test_a_longer_name_that_begins_alike_is_another_document(truth: GroundTruth) -> None:
    truth.write(stored(OTHER))
    assert truth.revision(DOCUMENT) is None
    truth.write(stored())
    truth.delete(OTHER)
    assert truth.revision(DOCUMENT) is not None


def test_all_documents_of_all_tenants_are_listed_with_their_revisions(truth: GroundTruth) -> None:
    for document in (DOCUMENT, OTHER, FOREIGN):
        truth.write(stored(document))
    listed = dict(truth.list())
    assert listed == {document: truth.revision(document) for document in (DOCUMENT, OTHER, FOREIGN)}


@pytest.fixture
def s3() -> Iterator[S3GroundTruth]:
    with bucket() as client:
        yield S3GroundTruth(client, BUCKET)


def test_more_documents_than_a_page_are_listed(s3: S3GroundTruth) -> None:
    s3._client.meta.events.register(
        "provide-client-params.s3.ListObjectsV2", lambda params, **_: params | {"MaxKeys": 2}
    )
    keys = [DocumentKey(KnowledgeBaseKey("t", "kb"), f"{number}.md") for number in range(5)]
    for key in keys:
        s3.write(stored(key))
    assert {document for document, _ in s3.list()} == set(keys)


def test_the_same_document_is_the_same_revision(s3: S3GroundTruth) -> None:
    s3.write(stored())
    before = s3.revision(DOCUMENT)
    s3.write(stored())
    assert s3.revision(DOCUMENT) == before


def test_vectors_of_any_kind_are_kept_as_floats_of_32_bits(s3: S3GroundTruth) -> None:
    kept = StoredPassage(passage(DOCUMENT), "", [0.1, -1 / 3])
    s3.write(StoredDocument(DOCUMENT, "v1", "model", 2, (kept,)))
    assert read(s3).stored.passages[0].vector == array("f", [0.1, -1 / 3])


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (gzip.compress(b'{"format": 3}\n', mtime=0), "is of format 3, and this version reads up to 2"),
        (gzip.compress(b'{"format": 2}\n', mtime=0), "cannot be read"),
        (gzip.compress(b"", mtime=0), "cannot be read"),
        (gzip.compress(b"not JSON", mtime=0), "cannot be read"),
        (gzip.compress(b"[]" * 1000, mtime=0)[:-9], "cannot be read"),
        (b"not gzip", "cannot be read"),
    ],
)
def test_what_another_program_wrote_is_refused_by_name(s3: S3GroundTruth, content: bytes, sentence: str) -> None:
    put(s3, content)
    with pytest.raises(ConfigurationError, match=sentence) as refusal:
        s3.read(DOCUMENT)
    assert DOCUMENT.document_id in str(refusal.value)


def test_a_document_of_the_first_format_is_read_without_its_token_vectors(s3: S3GroundTruth) -> None:
    s3.write(stored())
    written = s3._client.get_object(Bucket=BUCKET, Key=truth_key(DOCUMENT))["Body"].read()
    head, row = (json.loads(line) for line in gzip.decompress(written).splitlines())
    lines = [head | {"format": 1, "detail": "tokens"}, row | {"detail": "AQIDBA=="}]
    put(s3, gzip.compress("\n".join(map(json.dumps, lines)).encode()))
    assert read(s3).stored == stored()


def test_the_settled_documents_of_a_base_are_those_that_were_written_before(truth: GroundTruth) -> None:
    for document in (DOCUMENT, OTHER, FOREIGN):
        truth.write(stored(document))
    base_key = DOCUMENT.base_key
    assert sorted(truth.settled(base_key, time.time() + 60)) == [DOCUMENT.document_id, OTHER.document_id]
    assert truth.settled(base_key, time.time() - 60) == ()
    assert truth.settled(KnowledgeBaseKey("default", "script"), time.time() + 60) == ()


@pytest.mark.parametrize("call", ["read", "revision", "delete", "list"])
def test_a_bucket_that_is_missing_is_a_mistake_of_the_deployment(call: str) -> None:
    with bucket(is_there=False) as client, pytest.raises(ConfigurationError, match="NoSuchBucket"):
        truth = S3GroundTruth(client, BUCKET)
        list(truth.list()) if call == "list" else getattr(truth, call)(DOCUMENT)


def test_folders_that_the_console_makes_are_no_documents(s3: S3GroundTruth) -> None:
    folders = ("truth/", "truth/default/", "truth/default/scripts/", "truth/notes.txt", "truth/a.jsonl.gz")
    for key in (*folders, truth_key(DOCUMENT)):
        put(s3, b"", key)
    assert [document for document, _ in s3.list()] == [DOCUMENT]


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


def test_a_missing_bucket_is_no_rebuild_that_never_was() -> None:
    with bucket(is_there=False) as client:
        log = S3RebuildLog(client, BUCKET)
        for call in (log.read, lambda: log.write(RECORD, "")):
            with pytest.raises(ConfigurationError, match="NoSuchBucket"):
                call()


@pytest.fixture(params=["memory", "s3"])
def kept(request: pytest.FixtureRequest) -> Iterator[KeptVectors]:
    if request.param == "memory":
        yield InMemoryKeptVectors()
    else:
        with bucket() as client:
            yield S3KeptVectors(client, BUCKET)


@st.composite
def several_vectors(draw: st.DrawFn) -> list[Vector]:
    dimension = draw(st.integers(1, 5))
    numbers = st.lists(st.floats(-1, 1, width=32), min_size=dimension, max_size=dimension)
    vectors = numbers.map(lambda values: array("f", values))
    return draw(st.lists(vectors, min_size=1, max_size=6))


@given(several_vectors())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
def test_what_is_kept_is_read_again(kept: KeptVectors, written: list[Vector]) -> None:
    kept.write(DOCUMENT, "part", written)
    assert kept.read(DOCUMENT, "part") == written


def test_other_parts_and_documents_are_not_kept(kept: KeptVectors) -> None:
    kept.write(DOCUMENT, "part", [array("f", [1.0])])
    assert kept.read(DOCUMENT, "another") is None
    assert kept.read(FOREIGN, "part") is None
