"""What the OpenSearch index guarantees beyond the port, on a real server: failed and concurrent ingests."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import pytest

from cicada.adapters.aws_errors import Retry
from cicada.adapters.opensearch import lexical
from cicada.adapters.opensearch.lexical import first_tokens
from cicada.adapters.opensearch.passage_index import OpenSearchPassageIndex
from cicada.adapters.opensearch.schema import IndexOptions
from cicada.documents.catalogue import row_of
from cicada.documents.model import PassageFilter
from cicada.errors import ConfigurationError, UnavailableError
from cicada.languages.terms import is_cjk, query_terms
from cicada.retrieval.model import EmbeddedPassage, Hit
from tests.contract.passage_indexes import DIMENSION, MODEL, OpenSearchUnderTest, eventually
from tests.contract.passages import MACBETH, PLAYS, asking, embedded

EVERYTHING = PassageFilter(PLAYS)


class Dying(list[EmbeddedPassage]):
    """Passages that end in a failure, as when the process is ended, after a bulk request has gone out."""

    def __iter__(self) -> Iterator[EmbeddedPassage]:
        yield from super().__iter__()
        raise UnavailableError("The ingest was ended.")


def speeches(count: int, version: str) -> list[EmbeddedPassage]:
    return embedded(MACBETH, *["queen"] * count, version=version)


def versions(hits: tuple[Hit, ...]) -> list[str]:
    return sorted(hit.passage.version for hit in hits)


def interrupted(index: OpenSearchPassageIndex, passages: list[EmbeddedPassage]) -> None:
    """Replaces the document and fails after 500 rows have been sent."""
    with pytest.raises(UnavailableError):
        index.replace(MACBETH, Dying(passages), row_of([each.passage for each in passages]))


def test_an_ingest_that_died_leaves_the_old_version_and_the_next_one_removes_the_rest(
    opensearch_under_test: OpenSearchUnderTest,
) -> None:
    index = opensearch_under_test.open()
    index.replace(MACBETH, speeches(3, "v1"))
    interrupted(index, speeches(501, "v2"))
    assert eventually(lambda: index.count(EVERYTHING) == 503)
    found = index.search(asking("queen", limit=600))
    assert (versions(found.lexical), versions(found.semantic)) == (["v1"] * 3, ["v1"] * 3)
    assert [passage.version for passage in index.passages_of(MACBETH)] == ["v1"] * 3
    index.replace(MACBETH, speeches(2, "v3"))
    assert eventually(lambda: index.count(EVERYTHING) == 2)
    assert versions(index.search(asking("queen", limit=600)).lexical) == ["v3", "v3"]


def test_a_document_of_more_rows_than_a_page_is_replaced_and_deleted_whole(
    opensearch_under_test: OpenSearchUnderTest,
) -> None:
    index = opensearch_under_test.open()
    for version in ("v1", "v2"):
        index.replace(MACBETH, speeches(2100, version))
        assert eventually(lambda: index.count(EVERYTHING) == 2100)
    kept = index.passages_of(MACBETH)
    assert (len(kept), {passage.version for passage in kept}) == (2100, {"v2"})
    assert list(kept) == sorted(kept, key=lambda passage: passage.passage_id)
    index.delete(MACBETH)
    assert eventually(lambda: index.count(EVERYTHING) == 0)


def test_a_clock_that_runs_behind_does_not_bring_an_old_version_back(
    opensearch_under_test: OpenSearchUnderTest,
) -> None:
    index = opensearch_under_test.open()
    index.replace(MACBETH, speeches(1, "v1"))
    late = OpenSearchPassageIndex(
        opensearch_under_test.client,
        IndexOptions(MODEL, DIMENSION, given_name=opensearch_under_test.name, clock=lambda: 1.0),
    )
    late.replace(MACBETH, speeches(1, "v2"))
    assert eventually(lambda: index.count(EVERYTHING) == 1)
    assert versions(index.search(asking("queen")).lexical) == ["v2"]


def test_a_document_whose_index_is_switched_while_it_waits_to_be_visible_goes_to_the_new_one(
    opensearch_under_test: OpenSearchUnderTest,
) -> None:
    opensearch_under_test.unprepared().replace(MACBETH, speeches(2, "v1"))
    rebuild = opensearch_under_test.rebuild()
    waits: list[float] = []

    def wait(seconds: float) -> None:
        if not waits:
            rebuild.begin()
            rebuild.switch()
        waits.append(seconds)
        time.sleep(seconds)

    options = IndexOptions(
        MODEL, DIMENSION, given_name=opensearch_under_test.name, retry=Retry(wait, attempts=5, base_seconds=0.01)
    )
    OpenSearchPassageIndex(opensearch_under_test.client, options).replace(MACBETH, speeches(3, "v2"))
    assert waits
    assert [passage.version for passage in opensearch_under_test.open().passages_of(MACBETH)] == ["v2"] * 3


def test_the_name_may_be_that_of_an_index_until_a_rebuild(opensearch_under_test: OpenSearchUnderTest) -> None:
    name = opensearch_under_test.name
    [body] = IndexOptions(MODEL, DIMENSION, given_name=name).bodies()
    opensearch_under_test.client.indices.create(index=name, body=body)
    index = opensearch_under_test.open()
    index.replace(MACBETH, speeches(2, "v2"))
    assert eventually(lambda: versions(index.search(asking("queen")).lexical) == ["v2", "v2"])
    rebuild = opensearch_under_test.rebuild()
    rebuild.begin().replace(MACBETH, speeches(1, "copy"))
    rebuild.switch()
    assert versions(index.search(asking("queen")).lexical) == ["copy"]
    assert list(opensearch_under_test.indices().values()) == [{name}]


def test_an_index_of_somebody_else_is_refused(opensearch_under_test: OpenSearchUnderTest) -> None:
    name = opensearch_under_test.name
    opensearch_under_test.client.indices.create(index=name)
    with pytest.raises(ConfigurationError, match=name):
        opensearch_under_test.open().count(EVERYTHING)


def test_after_a_rebuild_one_index_is_left_and_the_name_is_its_alias(
    opensearch_under_test: OpenSearchUnderTest,
) -> None:
    index, name = opensearch_under_test.open(), opensearch_under_test.name
    assert opensearch_under_test.indices() == {f"{name}-0000000000000000": {name}}
    before = set(opensearch_under_test.indices())
    for _ in range(2):
        dead, rebuild = opensearch_under_test.rebuild(), opensearch_under_test.rebuild()
        dead.begin()
        rebuild.begin()
        assert len(opensearch_under_test.indices()) == 2
        rebuild.switch()
        ((left, aliases),) = opensearch_under_test.indices().items()
        assert aliases == {name}
        assert left not in before
        before.add(left)
    assert index.count(EVERYTHING) == 0


@pytest.mark.parametrize("analyzer", ["standard", "cjk", "english", "french"])
@pytest.mark.parametrize("seed", range(3))
def test_lucene_makes_no_more_tokens_than_are_counted(
    opensearch_under_test: OpenSearchUnderTest, analyzer: str, seed: int
) -> None:
    rng = random.Random(seed)
    any_characters = "".join(chr(rng.randrange(0xA0, 0xD800)) for _ in range(400))
    letters = f"ab12_.'אبеकกຂကក೬੧〡ァ\u31f0\U0001b001\U0001fbf0\U00010400{any_characters}"
    text = " ".join("".join(rng.choices(kind, k=40)) for _ in range(100) for kind in ("ab12_.'", letters))
    most = rng.randrange(1, 40)
    words = [term for term in query_terms(text) if not is_cjk(term)]
    cut = " ".join(first_tokens(words, most))
    made = opensearch_under_test.client.indices.analyze(body={"analyzer": analyzer, "text": cut})["tokens"]
    assert cut
    assert len(made) <= most


@pytest.mark.parametrize("words", [200, 600, 1500])
def test_more_words_than_the_server_takes_leave_the_vectors_alone(
    opensearch_under_test: OpenSearchUnderTest, monkeypatch: pytest.MonkeyPatch, words: int
) -> None:
    """Lucene counts at three places, and each refuses in words of its own."""
    index = opensearch_under_test.open()
    named = [f"w{number}" for number in range(words * 2)]
    index.replace(MACBETH, embedded(MACBETH, " ".join(named), "queen"))
    monkeypatch.setattr(lexical, "first_tokens", lambda *_: named)
    found = index.search(asking("queen"))
    assert (found.lexical, len(found.semantic)) == ((), 2)
