"""What every store of kept vectors does: the fake and the real one alike."""

from __future__ import annotations

from array import array
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cicada.adapters.s3.kept_vectors import S3KeptVectors
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.ingest.ports import KeptVectors
from cicada.retrieval.model import Vector
from tests.contract.bucket import BUCKET, bucket
from tests.fakes.kept_vectors import InMemoryKeptVectors

DOCUMENT = DocumentKey(KnowledgeBaseKey("default", "scripts"), "acts/act 1 + ü.json")
FOREIGN = DocumentKey(KnowledgeBaseKey("acme", "scripts"), "acts/act 1 + ü.json")


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
