from __future__ import annotations

import pytest
from msgspec.structs import replace

from cicada.answering.parts import Cited
from cicada.answering.prompt import estimated_tokens, passage_text, spread_within_budget, within_budget
from cicada.documents.model import SectionLocator
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.retrieval.model import RankedPassage
from tests.fakes.retrieval import FixedIndex
from tests.unit.answering.situation import Situation, only, passage

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
    assert [each.passage for each in only(Cited, here.parts()).passages] == [LONG]
    assert "The queen is dead" not in here.model.prompts[0].user
    here.bases = KnowledgeBases(replace(here.bases.defaults, context_tokens=4000))
    assert [each.passage for each in only(Cited, here.parts()).passages] == [LONG, SHORT]


def document(*chapters: int) -> list[RankedPassage]:
    """A document whose chapters have so many passages, all of them equally long."""
    texts = [(number, at) for number, size in enumerate(chapters, start=1) for at in range(size)]
    return [
        RankedPassage(
            replace(
                passage("word " * 40, number),
                passage_id=f"{number:02}#{at}",
                locator=SectionLocator(("Title", f"Chapter {number}")),
            ),
            None,
        )
        for number, at in texts
    ]


ONE = estimated_tokens(passage_text(10, document(1)[0].passage))


def spread(tokens: int, *documents: list[RankedPassage]) -> list[str]:
    return [each.passage.passage_id for each in spread_within_budget(documents, tokens)]


def test_a_document_that_fits_is_read_whole_and_in_its_order() -> None:
    assert spread(5 * ONE, document(2, 3)) == ["01#0", "01#1", "02#0", "02#1", "02#2"]


def test_of_a_longer_one_every_part_is_read_before_any_is_read_further() -> None:
    assert spread(3 * ONE, document(3, 3, 3)) == ["01#0", "02#0", "03#0"]
    assert spread(5 * ONE, document(3, 3, 3)) == ["01#0", "01#1", "02#0", "02#1", "03#0"]
    assert spread(2 * ONE, document(1, 1, 1, 1, 1, 1)) == ["01#0", "04#0"]
    assert spread(1, document(1, 1)) == ["01#0"]


def test_documents_share_the_budget_and_a_short_one_leaves_its_rest() -> None:
    one, other = document(4), [replace_document(each) for each in document(4)]
    assert len(spread(4 * ONE, one, other)) == 4
    assert spread(4 * ONE, one, other)[:2] == ["01#0", "01#1"]
    assert len(spread(5 * ONE, one[:1], other)) == 5
    assert spread(100, *[[]]) == []


def replace_document(ranked: RankedPassage) -> RankedPassage:
    return replace(ranked, passage=replace(ranked.passage, passage_id=f"b{ranked.passage.passage_id}"))


def test_long_passages_at_equal_distances_do_not_exceed_the_budget() -> None:
    long = "a long passage " * 200
    book = [
        replace(each, passage=replace(each.passage, text=long)) if number % 4 == 0 else each
        for number, each in enumerate(document(*[1] * 40))
    ]
    tokens = estimated_tokens("\n".join(passage_text(10, each.passage) for each in book)) // 4
    chosen = spread_within_budget([book], tokens)
    assert sum(estimated_tokens(passage_text(10, each.passage)) for each in chosen) <= tokens
    assert int(chosen[-1].passage.passage_id[:2]) > 20
