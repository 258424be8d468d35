"""The index asks Serverless for nothing but what AWS documents, with the permissions that its roles have.

The contract suites run against the same rules (`serverless` of `under_test`).
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from opensearchpy.exceptions import TransportError

from cicada.documents.catalogue import DOCUMENTS, TITLE, Sort
from cicada.documents.model import DocumentKey, PassageFilter
from cicada.errors import ConfigurationError
from cicada.retrieval.model import CardQuery
from tests.contract.passage_indexes import ServerlessUnderTest, eventually
from tests.contract.passages import MACBETH, PLAYS, asking, embedded
from tests.fakes.serverless import ENGINE, EVERY_PERMISSION, REMOVED_ALIAS
from tests.infra.needed_permissions import INDEXING, SEARCHING

EVERYTHING = PassageFilter(PLAYS)
READING, WRITING = (frozenset(index + aliases) for index, aliases in (SEARCHING, INDEXING))


@contextmanager
def collection(url: str, granted: frozenset[str], late: int = 0) -> Iterator[ServerlessUnderTest]:
    under_test = ServerlessUnderTest(url, granted, late)
    try:
        yield under_test
    finally:
        under_test.close()


def read(under_test: ServerlessUnderTest) -> None:
    """Every kind of read, on an index that does not exist yet."""
    index = under_test.unprepared()
    query = asking("queen")
    assert index.search(query).lexical == ()
    assert index.find_cards(CardQuery(EVERYTHING, query.text, query.vector)).lexical == ()
    assert (index.count(EVERYTHING), index.count_documents(EVERYTHING)) == (0, 0)
    assert (index.passages_of(MACBETH), index.row(MACBETH)) == ((), None)
    assert index.passages_with(PassageFilter(PLAYS), ["queen"]) == {"queen": 0}
    assert index.rows(EVERYTHING, Sort(TITLE), 10).rows == ()
    assert (index.vectors_of(PLAYS, ["1"]), index.aggregate(EVERYTHING, (DOCUMENTS,), ("kind",)).groups) == ({}, ())
    assert index.readers_of(PLAYS, ["1"]) == {}
    assert index.copies_of(MACBETH, "hash") == ()


def write(under_test: ServerlessUnderTest) -> None:
    """Every kind of write: a document and its next version, two rebuilds, one given up, a deletion."""
    index, rebuild = under_test.unprepared(), under_test.rebuild()
    for version in ("v1", "v2"):
        index.replace(MACBETH, embedded(MACBETH, "queen", version=version))
    rebuild.begin()
    rebuild.abandon()
    for _ in range(2):
        rebuild.begin().replace(MACBETH, embedded(MACBETH, "queen", version="copy"))
        rebuild.switch()
    index.delete(MACBETH)
    assert eventually(lambda: index.count(EVERYTHING) == 0)
    assert len(under_test.indices()) == 1


def test_a_role_that_searches_needs_what_its_policy_grants(opensearch_url: str) -> None:
    with collection(opensearch_url, READING) as under_test:
        read(under_test)
        assert under_test.collected.used == READING
        assert set(under_test.collected.refused) == {ENGINE}


def test_a_role_that_writes_needs_what_its_policy_grants(opensearch_url: str) -> None:
    with collection(opensearch_url, WRITING) as under_test:
        write(under_test)
        assert under_test.collected.used == WRITING
        assert set(under_test.collected.refused) == {ENGINE, REMOVED_ALIAS}


@pytest.mark.parametrize("late", [0, 2])
def test_four_first_users_of_a_collection_make_its_index_at_once(opensearch_url: str, late: int) -> None:
    """Two ask and two ingest, each in a process of its own, and the index is found some requests after its creation."""
    documents = [DocumentKey(PLAYS, f"{number}.json") for number in range(2)]
    with collection(opensearch_url, WRITING, late) as under_test, ThreadPoolExecutor(4) as threads:

        def ingest(document: DocumentKey) -> None:
            under_test.unprepared().replace(document, embedded(document, "queen"))

        ingested = [threads.submit(ingest, document) for document in documents]
        asked = [threads.submit(under_test.unprepared().search, asking("queen")) for _ in range(2)]
        assert [each.result() for each in ingested] == [None, None]
        assert len([each.result() for each in asked]) == 2
        assert eventually(lambda: under_test.unprepared().count_documents(EVERYTHING) == 2)
        assert len(under_test.indices()) == 1


def test_a_rebuild_waits_until_its_new_index_is_found(opensearch_url: str) -> None:
    with collection(opensearch_url, WRITING, late=1) as under_test:
        under_test.unprepared().replace(MACBETH, embedded(MACBETH, "queen"))
        rebuild = under_test.rebuild()
        rebuild.begin().replace(MACBETH, embedded(MACBETH, "queen", version="copy"))
        rebuild.switch()
        assert [passage.version for passage in under_test.unprepared().passages_of(MACBETH)] == ["copy"]


@pytest.mark.parametrize("lacking", sorted(READING - {"CreateCollectionItems"}))
def test_a_role_that_lacks_a_permission_is_told_to_check_its_policy(opensearch_url: str, lacking: str) -> None:
    with (
        collection(opensearch_url, READING - {lacking}) as under_test,
        pytest.raises(ConfigurationError, match="access policy"),
    ):
        under_test.unprepared().search(asking("queen"))


@pytest.mark.parametrize(
    ("method", "path", "params", "body", "status"),
    [
        ("GET", "/plays*/_alias", {}, None, 404),
        ("GET", "/plays/_alias", {}, None, 404),
        ("POST", "/plays/_msearch", {}, "{}\n{}\n", 404),
        ("POST", "/plays/_delete_by_query", {}, {}, 404),
        ("POST", "/plays/_refresh", {}, None, 404),
        ("PUT", "/plays/_doc/1", {}, {}, 404),
        ("POST", "/plays/_bulk", {"refresh": "true"}, '{"delete": {"_id": "1"}}\n', 400),
        ("POST", "/plays/_bulk", {"require_alias": "true"}, '{"delete": {"_id": "1"}}\n', 400),
        ("POST", "/plays/_bulk", {}, '{"index": {"_id": "1"}}\n{}\n', 400),
        ("POST", "/plays/_bulk", {}, '{"create": {}}\n{}\n', 400),
        ("POST", "/_aliases", {}, {"actions": [{"remove_index": {"index": "plays"}}]}, 400),
        ("POST", "/plays/_search", {}, {"query": {"bool": {"filter": [{"hybrid": {}}]}}}, 400),
        ("POST", "/plays/_search", {}, {"aggs": {"x": {"filters": {"filters": {"y": {"hybrid": {}}}}}}}, 400),
        ("GET", "/plays/_msearch", {}, '{}\n{"query": {"hybrid": {}}}\n', 400),
        ("PUT", "/plays", {}, {"aliases": {"plays-building": {}}}, 400),
        ("PUT", "/plays", {}, {"settings": {"index": {"number_of_shards": 1}}}, 400),
    ],
)
def test_what_aws_does_not_document_is_refused(
    opensearch_url: str, method: str, path: str, params: dict[str, str], body: Any, status: int
) -> None:
    with collection(opensearch_url, EVERY_PERMISSION) as under_test, pytest.raises(TransportError) as refused:
        under_test.asked.transport.perform_request(method, path, params=params, body=body)
    assert refused.value.status_code == status
    assert under_test.collected.used == set()
