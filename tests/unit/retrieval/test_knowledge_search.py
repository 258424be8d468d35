from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from cicada.circuit_breaker import CircuitBreaker
from cicada.deadline import seconds_left
from cicada.documents.model import KnowledgeBaseKey, PassageFilter
from cicada.errors import CicadaError, ConfigurationError, OpenCircuitError, ThrottledError, UnavailableError
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.retrieval.model import IndexHits, Ranking, Retrieval
from cicada.retrieval.search import GuardedStrategy, KnowledgeSearch
from cicada.retrieval.strategies import DEFAULT, STRATEGIES
from tests.fakes.clock import Clock
from tests.fakes.rerankers import FixedReranker
from tests.fakes.retrieval import FixedIndex
from tests.unit.answering.situation import Situation, passage

QUESTION = "Who tells Macbeth that the queen is dead?"
GERMAN = KnowledgeBases(named={"stücke": KnowledgeBase("stücke", content_language="de")})
FAILURES = [ThrottledError("Fewer calls."), UnavailableError("Out of reach."), ConfigurationError("No such model.")]


def found(here: Situation, text: str = QUESTION, knowledge_base: str = "stücke") -> Retrieval:
    return here.search.search(text, PassageFilter(KnowledgeBaseKey("acme", knowledge_base)))


def test_a_question_in_another_language_is_searched_in_that_of_the_base() -> None:
    here = Situation(bases=GERMAN)
    assert found(here).path == ("retrieve", "query:de", "rerank:local")
    assert here.formulator.asked == [(QUESTION, "de")]
    assert [query.text for query in here.index.queries] == [here.formulator.query]
    assert here.reranker.questions == [here.formulator.query]


@pytest.mark.parametrize(
    ("text", "knowledge_base"),
    [
        (QUESTION, "scripts"),
        ("Wer sagt ihm, dass die Königin nicht mehr lebt?", "stücke"),
        ("E-4102 (2)", "stücke"),
    ],
    ids=["no language", "the same language", "a code"],
)
def test_what_needs_no_other_language_is_searched_as_it_is(text: str, knowledge_base: str) -> None:
    here = Situation(bases=GERMAN)
    assert found(here, text, knowledge_base).path == ("retrieve", "rerank:local")
    assert here.formulator.asked == []
    assert [query.text for query in here.index.queries] == [text]


@pytest.mark.parametrize("failure", FAILURES)
def test_without_the_query_model_the_users_own_words_are_searched_and_that_is_reported(failure: CicadaError) -> None:
    here = Situation(bases=GERMAN)
    here.formulator.failure = failure
    assert found(here).path == ("retrieve", "query:own_words", "rerank:local")
    assert [query.text for query in here.index.queries] == [QUESTION]
    assert here.reported == [failure]


def test_a_base_is_searched_by_its_own_settings_and_an_unknown_one_by_the_defaults() -> None:
    here = Situation(FixedIndex(*(passage("x", number) for number in range(40))))
    here.bases = KnowledgeBases(KnowledgeBase("", limit=5), {"law": KnowledgeBase("law", candidates=7, limit=2)})
    assert (len(found(here, knowledge_base="law").passages), here.index.queries[-1].limit) == (2, 7)
    assert (len(found(here, knowledge_base="new").passages), here.index.queries[-1].limit) == (5, 100)


def test_only_passages_that_reach_the_bases_threshold_are_found() -> None:
    first, second, third = (passage("x", number).passage_id for number in (1, 2, 3))
    here = Situation(
        FixedIndex(*(passage("x", number) for number in (1, 2, 3))),
        reranker=FixedReranker("cohere", {first: 0.34, second: 0.9, third: 0.35}),
        bases=KnowledgeBases(KnowledgeBase("", score_threshold=0.35)),
    )
    assert [each.passage.passage_id for each in found(here).passages] == [second, third]


def test_an_empty_base_and_one_without_anything_relevant_end_differently() -> None:
    nowhere = Situation(FixedIndex())
    assert (found(nowhere).passages, found(nowhere).path) == ((), ("retrieve", "nothing_found"))
    irrelevant = Situation(reranker=FixedReranker("skipped", {passage("").passage_id: 0.02}))
    nothing = found(irrelevant)
    assert (nothing.passages, nothing.path) == ((), ("retrieve", "rerank:skipped", "below_threshold"))


def test_a_search_is_by_the_strategy_that_it_names_and_else_by_the_default() -> None:
    here = Situation()
    search = KnowledgeSearch({**here.search.strategies, "nowhere": lambda base: Searching()})
    assert search.search(QUESTION, FILTER, "nowhere").ranking is NOTHING.ranking
    assert here.index.queries == []
    assert search.search(QUESTION, FILTER).passages
    assert DEFAULT in STRATEGIES


FILTER = PassageFilter(KnowledgeBaseKey("acme", "scripts"))


@dataclass
class Searching:
    """Finds nothing; keeps the seconds that were left. `failure` is raised while set."""

    failure: CicadaError | None = None
    left: list[float] = field(default_factory=list)

    def retrieve(self, text: str, filter: PassageFilter, concepts: Sequence[str] = ()) -> Retrieval:
        self.left.append(seconds_left())
        if self.failure:
            raise self.failure
        return NOTHING


NOTHING = Retrieval(IndexHits((), ()), (), Ranking((), "nowhere"))


def test_a_search_has_the_time_of_its_phase_and_is_not_tried_for_a_minute_if_it_keeps_failing() -> None:
    clock, searching = Clock(), Searching(UnavailableError("…"))
    strategy = GuardedStrategy(searching, CircuitBreaker(clock, "search"), 45, clock)
    for _ in range(3):
        with pytest.raises(UnavailableError):
            strategy.retrieve("Who?", FILTER)
    with pytest.raises(OpenCircuitError, match="The search keeps failing"):
        strategy.retrieve("Who?", FILTER)
    assert searching.left == [45] * 3
    clock.now += 60
    searching.failure = None
    assert strategy.retrieve("Who?", FILTER) is NOTHING
