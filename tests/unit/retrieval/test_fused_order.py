from __future__ import annotations

import pytest

from cicada.knowledge_bases.settings import Fusion
from cicada.retrieval.fusion import fuse
from cicada.retrieval.model import EncodedQuery, IndexHits
from cicada.retrieval.rerank.fused import FusedOrder
from cicada.retrieval.rerank.local import LocalReranker
from tests.fakes.retrieval import FixedIndex
from tests.unit.retrieval.test_gated import hits_of

QUERY = EncodedQuery("Who?", [1.0])
COSINES = [0.7, 0.5, *(0.4 - number / 100 for number in range(20))]
SCORES = [9.0, 7.0, *(5.0 - number / 10 for number in range(20))]


def hits(cosine: float = 1.0) -> IndexHits:
    order = list(range(22))
    return IndexHits(hits_of(SCORES, [1, 0, *order[2:]]), hits_of([cosine * each for each in COSINES], order))


@pytest.mark.parametrize("fusion", ["zscore", "rrf"])
def test_the_order_stays_and_relevance_falls_along_it(fusion: Fusion) -> None:
    candidates = fuse(hits(), fusion)
    ranking = FusedOrder().rerank(QUERY, candidates)
    relevance = [each.relevance or 0.0 for each in ranking.passages]
    assert [each.passage for each in ranking.passages] == [each.passage for each in candidates]
    assert relevance == sorted(relevance, reverse=True)
    assert all(0 < each < 1 for each in relevance)
    assert ranking.by == "fusion"


def test_passages_that_are_alike_to_each_other_and_far_from_the_question_are_less_relevant() -> None:
    near, far = (
        FusedOrder().rerank(QUERY, fuse(hits(cosine), "zscore")).passages[0].relevance for cosine in (1.0, 0.3)
    )
    assert near is not None
    assert far is not None
    assert far < near / 3


def test_a_threshold_means_what_it_means_behind_the_local_reranker() -> None:
    candidates = fuse(hits(), "zscore")
    fused = FusedOrder().rerank(QUERY, candidates).passages
    local = LocalReranker(FixedIndex()).rerank(QUERY, candidates).passages
    assert [each.relevance for each in fused] == pytest.approx([each.relevance for each in local])


def test_nothing_found_is_an_empty_ranking() -> None:
    assert FusedOrder().rerank(QUERY, ()).passages == ()
