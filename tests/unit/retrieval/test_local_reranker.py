"""The local reranker."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from cicada.documents.model import KnowledgeBaseKey
from cicada.errors import UnavailableError
from cicada.knowledge_bases.calibrations import SHIPPED, Cosines
from cicada.retrieval.model import Candidate, EmbeddedPassage, EncodedQuery, RankedPassage, Ranking, Vector
from cicada.retrieval.rerank.local import (
    RELEVANCE_MAP,
    LocalReranker,
    RelevanceMap,
    Signals,
    cosines,
    falling,
    leads,
    quoted,
    retriever_scores,
    with_feedback,
)
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.fakes.passages import MACBETH, passage
from tests.patience import PATIENCE_SECONDS

LANES = st.lists(
    st.tuples(st.none() | st.floats(0.1, 30), st.none() | st.floats(-0.2, 0.9)).filter(
        lambda pair: pair != (None, None)
    ),
    min_size=1,
    max_size=12,
)


def direction(degrees: float) -> list[float]:
    return [math.cos(math.radians(degrees)), math.sin(math.radians(degrees))]


def candidates(*hits: tuple[float | None, float | None]) -> list[Candidate]:
    return [Candidate(passage(number=number), *pair, fused=1 / (1 + number)) for number, pair in enumerate(hits)]


def index(*angles: float) -> InMemoryPassageIndex:
    """An index of passages, by the direction of their vectors."""
    made = InMemoryPassageIndex("model", 2)
    made.replace(MACBETH, [EmbeddedPassage(passage(number=n), direction(angle)) for n, angle in enumerate(angles)])
    return made


QUESTION = EncodedQuery("Is the queen dead?", direction(0))


def rerank(
    *hits: tuple[float | None, float | None], kept: InMemoryPassageIndex | None = None, depth: int = 50
) -> Ranking:
    """The ranking of these candidates by an index that keeps their vectors, if any."""
    return LocalReranker(kept or index(), depth).rerank(QUESTION, candidates(*hits))


def numbers(ranking: Ranking) -> list[int]:
    return [int(each.passage.passage_id.partition("#")[2]) for each in ranking.passages]


def relevances(ranking: Ranking) -> list[float]:
    return [each.relevance or 0.0 for each in ranking.passages]


def test_without_vectors_the_lanes_decide() -> None:
    ranking = rerank((1.0, 0.3), (9.0, 0.6), (5.0, 0.4))
    assert (numbers(ranking), ranking.by) == ([1, 2, 0], "local")


def test_a_passage_whose_words_lead_by_far_is_first_whatever_the_vectors_say() -> None:
    others = [(4.0 + near, near) for near in (0.36, 0.35, 0.34, 0.33)] + [(1.0, 0.3)] * 8
    assert numbers(rerank((8.2, 0.2), *others))[0] == 0


def test_a_lead_is_what_a_score_is_above_the_fifth_best() -> None:
    found = candidates((8.0, None), (6.0, None), (5.0, None), (4.0, None), (4.0, 0.5), (None, 0.5))
    assert leads(found) == [0.75, 0.25, 0.0, 0.0, 0.0, 0.0]
    assert leads(found[:4]) == [0.0] * 4


@pytest.mark.parametrize(
    ("asked", "lead", "is_quoted"),
    [
        ("Who says that something is rotten in the state of Denmark?", 0.6, True),
        ("Who says that something is rotten in the state of Denmark?", 0.2, False),
        ("In which state is the rotten bridge of Denmark's capital?", 0.6, False),
        ("rotten Denmark", 0.6, False),
    ],
)
def test_a_question_quotes_what_leads_and_has_most_of_its_words(asked: str, lead: float, is_quoted: bool) -> None:
    line = replace(passage(), text="Something is rotten in the state of Denmark.")
    assert quoted(asked, line, lead) is is_quoted


def test_a_quoted_passage_is_relevant_however_strange_its_language_is_to_the_embedder() -> None:
    strange, plain = Signals(1.0, 0.1, quoted=True), Signals(1.0, 0.1)
    assert RELEVANCE_MAP.relevances([strange, plain], 100) == [0.5, pytest.approx(0.01, abs=0.01)]


def test_passages_like_the_first_one_are_lifted() -> None:
    ranking = rerank((9.0, 0.9), (5.0, 0.5), (5.0, 0.5), kept=index(30, -40, 40))
    assert numbers(ranking) == [0, 2, 1]


def test_what_lies_beyond_the_depth_stays_behind_in_its_order() -> None:
    ranking = rerank((1.0, 0.1), (2.0, 0.2), (3.0, 0.3), (9.0, 0.9), kept=index(*[40] * 4), depth=2)
    assert numbers(ranking) == [1, 0, 2, 3]


def test_a_question_that_nothing_is_near_to_has_no_relevant_passage() -> None:
    """The retrievers' spread is the same in both; only how near the passages are differs."""
    near = [(20 * 0.8**number, 0.25 + 0.4 * 0.8**number) for number in range(100)]
    far = [(lexical, cosine - 0.45) for lexical, cosine in near]
    relevant, irrelevant = (relevances(rerank(*hits)) for hits in (near, far))
    assert relevant[0] > 0.5
    assert irrelevant[0] < 0.15


def test_the_only_passage_of_a_base_is_relevant_if_it_is_near() -> None:
    """There is nothing for it to stand out from, and it is no less relevant for that."""
    near, far = (relevances(rerank((3.0, cosine))) for cosine in (0.65, 0.1))
    assert near[0] > 0.3
    assert far[0] < 0.15


@given(LANES)
def test_relevance_falls_from_one_to_zero_along_the_order(hits: list[tuple[float | None, float | None]]) -> None:
    ranking = rerank(*hits, depth=5)
    found = relevances(ranking)
    assert sorted(numbers(ranking)) == list(range(len(hits)))
    assert found == sorted(found, reverse=True)
    assert all(0 < each < 1 for each in found)


def test_relevance_is_the_documented_map_of_score_and_cosine() -> None:
    hits = [(5.0 - number / 50, 0.5 - number / 500) for number in range(100)]
    kept = index(*[0] * 100)
    _, signals = LocalReranker(kept).signals(QUESTION, candidates(*hits))[0]
    x = RELEVANCE_MAP.constant + RELEVANCE_MAP.score * signals.score + RELEVANCE_MAP.cosine * 0.5
    assert relevances(rerank(*hits, kept=kept))[0] == pytest.approx(1 / (1 + math.exp(-x)))


def test_in_a_base_smaller_than_the_pool_the_usual_distance_stands_in_for_the_firsts_own() -> None:
    map = RelevanceMap(constant=-1.0, score=0.5, cosine=0.0, typical=8.0)
    scores = [Signals(2.0, 0.5), Signals(0.0, 0.5)]
    for pool, first in ((100, 2.0), (150, 2.0), (50, 5.0), (0, 8.0)):
        assert map.relevances(scores, pool) == pytest.approx(
            [1 / (1 + math.exp(1 - 0.5 * first)), 1 / (1 + math.exp(1 - 0.5 * (first - 2)))]
        )


@given(st.lists(st.floats(-5, 5), max_size=10))
def test_what_never_rises_is_left_alone_and_what_rises_is_averaged(values: list[float]) -> None:
    found = falling(values)
    assert found == sorted(found, reverse=True)
    assert sum(found) == pytest.approx(sum(values), abs=1e-6)
    assert falling(sorted(values, reverse=True)) == pytest.approx(sorted(values, reverse=True))
    assert falling([3.0, 1.0, 2.0, 0.0]) == [3.0, 1.5, 1.5, 0.0]


def test_no_candidates_need_no_index() -> None:
    class FailingIndex(InMemoryPassageIndex):
        def vectors_of(self, base_key: KnowledgeBaseKey, passage_ids: Sequence[str]) -> Mapping[str, Vector]:
            raise UnavailableError("no index")

    failing = LocalReranker(FailingIndex("model", 2))
    assert failing.rerank(QUESTION, []) == Ranking((), "local")
    with pytest.raises(UnavailableError):
        failing.rerank(QUESTION, candidates((5.0, 0.5)))


def test_the_reranker_needs_no_numpy() -> None:
    code = "import sys; import cicada.retrieval.rerank.local; assert 'numpy' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=PATIENCE_SECONDS).returncode == 0


def logit(passage: RankedPassage) -> float:
    assert passage.relevance is not None
    return math.log(passage.relevance / (1 - passage.relevance))


def only(score: float = 0.0, cosine: float = 0.0) -> RelevanceMap:
    """A relevance that shows one signal: its logit is that signal."""
    return RelevanceMap(0.0, score, cosine, typical=0.0)


def test_the_feedback_counts_in_one_and_a_half_standard_deviations() -> None:
    vectors = [direction(0), direction(90)]
    assert with_feedback([2.0, 1.0], direction(0), vectors) == pytest.approx([3.5, -0.5])


def test_the_feedback_is_the_cosine_to_the_question_moved_half_way_to_the_first_passage() -> None:
    vectors = [direction(60), direction(30), direction(-30), direction(30)]
    found = with_feedback([1.0, 0.0, 0.0, 0.0], direction(0), vectors)
    assert found[1] == found[3] > found[0] - 1 > found[2]


def test_a_passage_without_a_vector_has_the_lowest_feedback() -> None:
    found = with_feedback([5.0, 0.0, 0.0], direction(0), [direction(0), direction(90), None])
    assert found[2] == pytest.approx(found[1])
    assert found[1] < 0


def test_without_the_first_passages_vector_there_is_no_feedback() -> None:
    assert with_feedback([5.0, 1.0], direction(0), [None, direction(0)]) == [5.0, 1.0]
    assert with_feedback([], direction(0), []) == []


def test_a_cosine_is_the_lanes_or_the_vectors_or_the_lowest_of_the_lane() -> None:
    found = candidates((9.0, 0.6), (8.0, None), (7.0, 0.2), (6.0, None), (5.0, None))
    vectors = [direction(90), direction(60), None, None]
    assert cosines(direction(0), found, vectors) == pytest.approx([0.6, 0.5, 0.2, 0.2, 0.2])
    assert cosines(direction(0), candidates((9.0, None)), ()) == [0.0]


def test_what_lies_beyond_the_depth_is_below_the_last_ranked_one_by_as_much_as_the_lanes_say() -> None:
    hits = candidates((9.0, 0.9), (2.0, 0.4), (8.0, 0.3), (7.0, 0.2))
    score = LocalReranker(index(), 2, lambda _: only(score=1.0))
    found = score.signals(QUESTION, hits)
    shift = (1 - 4 / 100) * -found[0][1].score
    logits = [logit(each) - shift for each in score.rerank(QUESTION, hits).passages]
    apart = retriever_scores(hits)[2] - retriever_scores(hits)[3]
    assert logits[1] == pytest.approx(found[1][1].score)
    assert logits[2] == pytest.approx(logits[1])
    assert logits[3] == pytest.approx(logits[2] - apart)
    assert apart > 0.1


def test_what_lies_beyond_the_depth_has_its_own_cosine() -> None:
    hits = candidates((9.0, 0.9), (8.0, 0.8), (7.0, 0.3), (6.0, None))
    near = LocalReranker(index(0, 0, 0, 0), 2, lambda _: only(cosine=1.0)).rerank(QUESTION, hits).passages
    assert [logit(each) for each in near] == pytest.approx([0.9, 0.8, 0.3, 0.3])


def test_the_first_fifty_are_ranked() -> None:
    """Both the fiftieth and the one behind it are nearer to the first passage than the others."""
    kept = index(0, *[5 if number in (49, 50) else 60 for number in range(1, 51)])
    found = numbers(LocalReranker(kept).rerank(QUESTION, candidates((5.1, 0.5), *[(5.0, 0.5)] * 50)))
    assert (found[:2], found[-1]) == ([0, 49], 50)


def test_the_map_of_another_embedder_gives_its_usual_cosines_the_usual_relevance() -> None:
    usual = SHIPPED.cosines
    assert usual is not None
    assert RELEVANCE_MAP.with_cosines(usual) == RELEVANCE_MAP
    moved = RELEVANCE_MAP.with_cosines(Cosines(best=0.9, distant=0.8))
    for ours, theirs in ((usual.best, 0.9), (usual.distant, 0.8)):
        [known], [found] = (
            each.relevances([Signals(12.0, cosine)], 100) for each, cosine in ((RELEVANCE_MAP, ours), (moved, theirs))
        )
        assert found == pytest.approx(known)


def test_a_cosine_of_an_unknown_embedder_counts_for_nothing() -> None:
    unknown = RELEVANCE_MAP.with_cosines(None)
    near, far = (unknown.relevances([Signals(12.0, cosine)], 100) for cosine in (0.9, 0.1))
    assert near == far < RELEVANCE_MAP.relevances([Signals(12.0, 0.5)], 100)


@pytest.mark.parametrize(("candidate_count", "expected"), [(100, 3.004), (0, 1.1367)])
def test_the_shipped_calibration_is_the_one_that_was_fitted(candidate_count: int, expected: float) -> None:
    """Thresholds are set by it: who fits it anew changes this table too."""
    assert RELEVANCE_MAP.typical == 12.9
    [relevance] = RELEVANCE_MAP.relevances([Signals(20.0, 0.6)], candidate_count)
    assert math.log(relevance / (1 - relevance)) == pytest.approx(expected, abs=1e-3)
