from __future__ import annotations

from dataclasses import replace

import pytest

from cicada.answering.context_budget import estimated_tokens, within_budget
from cicada.answering.model import Cited
from cicada.answering.prompt import passage_text
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.retrieval.model import RankedPassage
from tests.fakes.retrieval import FixedIndex
from tests.unit.answering.situation import Situation, passage

LONG, SHORT = passage("word " * 400), passage("The queen is dead.", 2)


def ranked(*lengths: str) -> list[RankedPassage]:
    return [RankedPassage({"long": LONG, "short": SHORT}[length], 1.0) for length in lengths]


def cost(length: str) -> int:
    return estimated_tokens(passage_text(1, ranked(length)[0].passage))


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("女王", 2), ("女王 is", 3), ("한글", 2)]
)
def test_tokens_are_estimated_from_characters(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens


def test_passages_are_kept_while_they_fit_and_are_never_cut() -> None:
    found = ranked("short", "long", "long")
    assert within_budget(found, cost("short") + 2 * cost("long")) == tuple(found)
    assert within_budget(found, cost("short") + 2 * cost("long") - 1) == tuple(found[:2])


def test_a_passage_that_is_too_long_leaves_room_for_shorter_ones_after_it() -> None:
    assert within_budget(ranked("short", "long", "short"), 3 * cost("short")) == tuple(ranked("short", "short"))


def test_the_best_passage_is_shown_however_long_it_is() -> None:
    assert within_budget(ranked("long", "short"), 10) == tuple(ranked("long"))
    assert within_budget([], 10) == ()


def test_an_answer_cites_and_is_given_what_fits_into_the_bases_budget() -> None:
    here = Situation(index=FixedIndex(LONG, SHORT))
    here.bases = KnowledgeBases(KnowledgeBase("", context_tokens=50))
    here.reranker.relevance = {SHORT.passage_id: 0.5}
    [cited] = [part for part in here.parts() if isinstance(part, Cited)]
    assert [each.passage for each in cited.passages] == [LONG]
    assert "The queen is dead" not in here.model.prompts[0].user
    here.bases = KnowledgeBases(replace(here.bases.defaults, context_tokens=4000))
    [cited] = [part for part in here.parts() if isinstance(part, Cited)]
    assert [each.passage for each in cited.passages] == [LONG, SHORT]
