"""Evidence that the user may not view: it is not judged, so that no answer shows that it exists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pytest
from msgspec.structs import replace

from cicada.answering.parts import AnswerPart, Cited
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.retrieval.model import Retrieval
from cicada.retrieval.quality import evidence_quality
from tests.fakes.access import OpenAccess
from tests.fakes.quality import FixedJudge, FixedRewriter
from tests.fakes.rerankers import FixedReranker
from tests.fakes.retrieval import FixedIndex
from tests.unit.answering.situation import PLAY, Situation, end_of, passage, text_of

SECRET = DocumentKey(PLAY.base_key, "secret.md")
WEAK = passage("A walking shadow, a poor player.", 1)
NEXT = passage("It is a tale told by an idiot.", 3)
STRONG = replace(passage("Seyton tells Macbeth that the queen is dead.", 2), document=SECRET)
CLOSED = OpenAccess({SECRET.document_id: ("user:bob",)})


class ObservedJudge(FixedJudge):
    """Judges by the score; keeps the documents that it judged."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[frozenset[DocumentKey]] = []

    def judge(self, question: str, found: Retrieval) -> float | None:
        self.seen.append(found.documents)
        return evidence_quality(question, found)


@dataclass
class LateClosed(OpenAccess):
    """Closes the document after it was asked for once."""

    def readers_of(self, base_key: KnowledgeBaseKey, document_ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        before = super().readers_of(base_key, document_ids)
        self.readers = CLOSED.readers
        return before


def asked(
    *found: Passage, access: OpenAccess, floor: float = 0.0, limit: int = 15
) -> tuple[list[AnswerPart], ObservedJudge]:
    judge = ObservedJudge()
    base = KnowledgeBase("scripts", score_threshold=0.0, limit=limit, quality_threshold=0.9, quality_floor=floor)
    here = Situation(
        FixedIndex(*found),
        reranker=FixedReranker(relevance={WEAK.passage_id: 0.05}),
        bases=KnowledgeBases(named={"scripts": base}),
        rewriter=FixedRewriter("another query"),
        access=access,
        judge=judge,
    )
    return list(here.by_passages()), judge


def cited(parts: list[AnswerPart]) -> Iterator[str]:
    return (each.passage.text for part in parts if isinstance(part, Cited) for each in part.passages)


@pytest.mark.parametrize("floor", [0.0, 0.6])
def test_what_is_withheld_lifts_neither_confidence_nor_verdict(floor: float) -> None:
    alone, _ = asked(WEAK, access=OpenAccess(), floor=floor)
    beside, _ = asked(STRONG, WEAK, access=CLOSED, floor=floor)
    open_to_all, _ = asked(STRONG, WEAK, access=OpenAccess(), floor=floor)
    end = end_of(beside)
    assert replace(end, withheld=0) == end_of(alone)
    assert (text_of(beside), list(cited(beside))) == (text_of(alone), list(cited(alone)))
    assert end.withheld == 1
    assert (end_of(open_to_all).confidence or 0) > (end.confidence or 0) + 0.2


@pytest.mark.parametrize("floor", [0.0, 0.9])
def test_the_next_of_the_ranking_take_the_places_of_what_is_withheld_and_are_judged(floor: float) -> None:
    secrets = [replace(STRONG, passage_id=f"secret.md#{number}") for number in range(5)]
    alone, _ = asked(NEXT, WEAK, access=OpenAccess(), floor=floor, limit=2)
    beside, _ = asked(*secrets, NEXT, WEAK, access=CLOSED, floor=floor, limit=2)
    assert list(cited(beside)) == list(cited(alone)) == [NEXT.text, WEAK.text]
    assert text_of(beside) == text_of(alone)
    assert replace(end_of(beside), withheld=0) == end_of(alone)
    assert end_of(beside).withheld == 1


def test_each_attempt_is_judged_without_what_is_withheld() -> None:
    _, judge = asked(STRONG, WEAK, access=CLOSED)
    assert judge.seen == [{PLAY}, {PLAY}]


def test_where_everything_is_withheld_the_answer_is_that_nothing_was_found() -> None:
    parts, judge = asked(STRONG, access=CLOSED)
    nothing, _ = asked(access=OpenAccess())
    assert text_of(parts) == text_of(nothing)
    assert (end_of(parts).confidence, end_of(parts).withheld) == (0.0, 1)
    assert "nothing_permitted" in end_of(parts).path
    assert judge.seen == []


def test_what_is_closed_after_it_was_judged_is_not_shown_and_its_quality_is_not_told() -> None:
    parts, judge = asked(STRONG, WEAK, access=LateClosed())
    assert judge.seen == [{PLAY, SECRET}]
    assert list(cited(parts)) == [WEAK.text]
    assert (end_of(parts).confidence, end_of(parts).withheld) == (None, 1)
