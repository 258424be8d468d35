"""Searching, judging, searching again, and saying that there is no answer."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from cicada.answering.evidence import EvidenceLoop, Verdict, not_answered, verdict
from cicada.answering.parts import Cited, Finished
from cicada.answering.ports import EvidenceJudge, QueryRewriter
from cicada.documents.model import SectionLocator
from cicada.errors import CicadaError, ConfigurationError, ThrottledError, UnavailableError
from cicada.knowledge_bases.settings import KnowledgeBase, QualityJudge
from cicada.retrieval.fusion import fuse
from cicada.retrieval.model import Hit, IndexHits, RankedPassage, Ranking, Retrieval
from cicada.retrieval.quality import evidence_quality
from tests.fakes.quality import FixedJudge, FixedRewriter
from tests.unit.answering.situation import QUESTION, Situation, end_of, only, passage, text_of

BASE = KnowledgeBase("plays", quality_threshold=0.6, quality_floor=0.4)
ASKED = "Who slew Macdonwald?"


def found(text: str = "Unseamed him.", relevance: float = 0.8, query: str = "") -> Retrieval:
    one = passage(text)
    hits = IndexHits((Hit(one, 3.0),), (Hit(one, 0.5),))
    ranked = (RankedPassage(one, relevance),)
    return Retrieval(hits, fuse(hits, "zscore"), Ranking(ranked, "local"), ("retrieve",), query=query, nearest=ranked)


NOTHING = Retrieval(IndexHits((), ()), (), Ranking((), "local"), ("retrieve", "nothing_found"))


class Search:
    """Finds a passage that holds the query; keeps the queries."""

    def __init__(self, *results: Retrieval) -> None:
        self._results = list(results)
        self.queries: list[str] = []

    def __call__(self, query: str) -> Retrieval:
        self.queries.append(query)
        return self._results.pop(0) if self._results else found(f"About {query}")


def loop(judge: EvidenceJudge, *rewriters: QueryRewriter, reported: list[CicadaError] | None = None) -> EvidenceLoop:
    return EvidenceLoop({"evidence": judge}, rewriters, (reported if reported is not None else []).append)


@pytest.mark.parametrize(
    ("quality", "can_retry", "expected"),
    [
        (None, True, Verdict.GOOD),
        (1.0, True, Verdict.GOOD),
        (0.6, True, Verdict.GOOD),
        (0.599, True, Verdict.RETRY),
        (0.0, True, Verdict.RETRY),
        (0.599, False, Verdict.WEAK),
        (0.4, False, Verdict.WEAK),
        (0.399, False, Verdict.BELOW_FLOOR),
        (0.0, False, Verdict.BELOW_FLOOR),
    ],
)
def test_each_threshold_belongs_to_what_is_above_it(quality: float | None, can_retry: bool, expected: Verdict) -> None:
    assert verdict(quality, BASE, can_retry) is expected


def test_a_short_message_that_finds_little_is_searched_for_with_the_question_before() -> None:
    search = Search()
    gathered = loop(FixedJudge(0.1, 0.7)).gather("and on Fridays?", BASE, search, after="When do you open?")
    assert search.queries == ["and on Fridays?", "and on Fridays? (When do you open?)"]
    assert (gathered.quality, gathered.follows) == (0.7, True)
    worse = loop(FixedJudge(0.3, 0.1)).gather("and on Fridays?", BASE, Search(), after="When do you open?")
    assert (worse.quality, worse.follows) == (0.3, False)


def test_good_evidence_is_searched_for_once() -> None:
    search, rewriter = Search(), FixedRewriter("never")
    gathered = loop(FixedJudge(0.6), rewriter).gather(ASKED, BASE, search, after="Who reigns?")
    assert search.queries == [ASKED]
    assert rewriter.asked == []
    assert (gathered.verdict, gathered.quality) == (Verdict.GOOD, 0.6)
    assert gathered.path == ("retrieve", "quality:0.60")


def test_weak_evidence_is_searched_for_again_until_it_is_good() -> None:
    search, judge = Search(), FixedJudge(0.2, 0.7)
    gathered = loop(judge, FixedRewriter("slew Macdonwald", "never")).gather(ASKED, BASE, search)
    assert search.queries == [ASKED, "slew Macdonwald"]
    assert [each.passage.text for each in gathered.passages] == ["About slew Macdonwald"]
    assert gathered.path == ("retrieve", "quality:0.20", "rewrite:1", "retrieve", "quality:0.70")
    assert gathered.queries == (ASKED, "slew Macdonwald")


def test_all_attempts_are_judged_by_the_question_in_the_language_of_the_base() -> None:
    judge, rewriter = FixedJudge(0.2, 0.1, 0.0), FixedRewriter("one", "two")
    loop(judge, rewriter).gather("Wer?", BASE, Search(found(query="Who?")))
    assert judge.asked == ["Who?"] * 3
    assert rewriter.asked == [("Who?", ("Wer?",)), ("Who?", ("Wer?", "one"))]


@pytest.mark.parametrize("retries", [0, 1, 2])
def test_there_are_no_more_searches_than_the_base_allows(retries: int) -> None:
    search = Search()
    base = replace(BASE, quality_retries=retries)
    gathered = loop(FixedJudge(0.1), FixedRewriter(*"abcdef")).gather(ASKED, base, search)
    assert len(search.queries) == 1 + retries
    assert gathered.verdict is Verdict.BELOW_FLOOR
    assert gathered.path[-1] == "below_floor"


def test_the_best_attempt_counts_and_not_the_last() -> None:
    gathered = loop(FixedJudge(0.1, 0.5, 0.2), FixedRewriter("one", "two")).gather(ASKED, BASE, Search())
    assert (gathered.verdict, gathered.quality) == (Verdict.WEAK, 0.5)
    assert gathered.passages[0].passage.text == "About one"
    assert "below_floor" not in gathered.path


@pytest.mark.parametrize("queries", [(), (ASKED,)])
def test_without_another_query_there_is_no_other_search(queries: Sequence[str]) -> None:
    search = Search()
    gathered = loop(FixedJudge(0.1), FixedRewriter(*queries)).gather(ASKED, BASE, search)
    assert search.queries == [ASKED]
    assert gathered.verdict is Verdict.BELOW_FLOOR


def test_a_rewriter_that_fails_is_reported_and_the_next_one_is_asked() -> None:
    broken, reported = FixedRewriter("never"), list[CicadaError]()
    broken.failure = UnavailableError("Out of reach.")
    gathered = loop(FixedJudge(0.1, 0.9), broken, FixedRewriter("other"), reported=reported).gather(
        ASKED, BASE, Search()
    )
    assert gathered.queries == (ASKED, "other")
    assert reported == [broken.failure]


@pytest.mark.parametrize("failure", [ThrottledError("Fewer."), ConfigurationError("No such model.")])
def test_a_judge_that_fails_is_reported_and_the_local_score_decides(failure: CicadaError) -> None:
    judge, reported = FixedJudge(0.0), list[CicadaError]()
    judge.failure = failure
    gathered = loop(judge, reported=reported).gather(ASKED, BASE, Search(found()))
    assert gathered.quality == evidence_quality(ASKED, found())
    assert reported == [failure]


def test_a_search_that_fails_is_a_failure() -> None:
    def broken(query: str) -> Retrieval:
        raise UnavailableError("Out of reach.")

    with pytest.raises(UnavailableError):
        loop(FixedJudge(0.9)).gather(ASKED, BASE, broken)


def test_a_base_may_go_without_a_judge() -> None:
    judge = FixedJudge(0.1)
    gathered = loop(judge).gather(ASKED, replace(BASE, quality_judge="none"), Search(found(relevance=0.3)))
    assert judge.asked == []
    assert (gathered.quality, gathered.verdict, gathered.confidence) == (None, Verdict.GOOD, 0.3)
    assert gathered.path == ("retrieve",)


@pytest.mark.parametrize("name", ["evidence", "model"])
def test_the_base_names_its_judge(name: QualityJudge) -> None:
    judges = {"evidence": FixedJudge(0.7), "model": FixedJudge(0.9)}
    gathered = EvidenceLoop({"evidence": judges["evidence"], "model": judges["model"]}).gather(
        ASKED, replace(BASE, quality_judge=name), Search()
    )
    assert [key for key, judge in judges.items() if judge.asked] == [name]
    assert gathered.quality == {"evidence": 0.7, "model": 0.9}[name]


def test_where_the_scope_holds_nothing_no_other_query_is_tried() -> None:
    search = Search(NOTHING)
    gathered = loop(FixedJudge(0.9), FixedRewriter("other")).gather(ASKED, BASE, search)
    assert search.queries == [ASKED]
    assert (gathered.passages, gathered.verdict) == ((), Verdict.BELOW_FLOOR)
    assert gathered.path == ("retrieve", "nothing_found")
    assert "no passage that matches" in not_answered(gathered, "plays")


def test_below_the_floor_the_answer_shows_what_was_searched_for_and_what_was_nearest() -> None:
    here = Situation(judge=FixedJudge(0.29), rewriter=FixedRewriter("queen dead"))
    parts = list(here.by_passages(QUESTION))
    assert [each.passage.text for each in only(Cited, parts).passages] == ["The queen, my lord, is dead."]
    said = text_of(parts)
    assert f"“{QUESTION.message}”, then for “queen dead”" in said
    assert "[1] Macbeth" in said
    assert here.model.prompts == []
    steps = ("retrieve", "rerank:local", "quality:0.29")
    assert end_of(parts) == Finished((*steps, "rewrite:1", *steps, "below_floor"), 0.29)


def test_the_attempts_are_not_in_the_prompt() -> None:
    here = Situation(judge=FixedJudge(0.1, 0.8), rewriter=FixedRewriter("zzqueryzz"))
    parts = list(here.by_passages(QUESTION))
    assert [query.text for query in here.index.queries] == [QUESTION.message, "zzqueryzz"]
    [prompt] = here.model.prompts
    assert "zzqueryzz" not in prompt.user + prompt.system
    assert prompt.user.endswith(f"Question: {QUESTION.message}")
    assert end_of(parts).confidence == 0.8


def test_a_title_with_line_breaks_stays_on_its_line() -> None:
    odd = replace(passage("Text."), context="A title\n[2] Another", locator=SectionLocator(()))
    gathered = loop(FixedJudge(0.1)).gather(ASKED, BASE, Search(replace(found(), nearest=(RankedPassage(odd, 0.1),))))
    assert "[1] A title [2] Another\n" in not_answered(gathered, "plays")


@pytest.mark.parametrize(
    ("state", "behind"),
    [
        ("retired (no longer in force)", " – retired (no longer in force)\n\n"),
        ("from 2027-01-01 (not yet in force)", " – from 2027-01-01 (not yet in force)\n\n"),
        ("approved (in force)", "\n\n"),
    ],
)
def test_what_is_nearest_and_not_in_force_is_said_to_be_so(state: str, behind: str) -> None:
    stated = replace(RankedPassage(passage("Text."), 0.4), state=state)
    near = replace(found(), ranking=Ranking((stated,), "local"), nearest=(stated,))
    said = not_answered(loop(FixedJudge(0.1)).gather(ASKED, BASE, Search(near)), "plays")
    assert f"[1] Macbeth · 5.5 Dunsinane{behind}" in said


def test_what_is_only_searched_of_a_script_is_not_shown() -> None:
    told = replace(passage("Text."), context="Macbeth · 5.5 Dunsinane\nSeyton dies")
    gathered = loop(FixedJudge(0.1)).gather(ASKED, BASE, Search(replace(found(), nearest=(RankedPassage(told, 0.1),))))
    assert "[1] Macbeth · 5.5 Dunsinane\n\n" in not_answered(gathered, "plays")


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ("Wie viele Urlaubstage habe ich im Jahr?", True),
        ("マクベスを殺したのは誰ですか", True),
        ("How many holidays do I have?", False),
        ("holidays", False),
    ],
)
def test_who_asks_in_another_language_than_the_documents_is_told_so(message: str, says: bool) -> None:
    near = Search(replace(found(), nearest=(RankedPassage(passage("Text."), 0.1),)))
    said = not_answered(loop(FixedJudge(0.1)).gather(message, BASE, near), "plays")
    assert said.endswith("What I searched is in English: asked in English, I may find more.") == says
