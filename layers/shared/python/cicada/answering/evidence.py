"""The evidence of an answer, and the search for more of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct, field
from msgspec.structs import replace

from cicada.answering.ports import EvidenceJudge, QueryRewriter
from cicada.documents.model import Passage, ScriptLocator
from cicada.errors import CicadaError, ConfigurationError, DependencyError
from cicada.knowledge_bases.schema import Standing
from cicada.knowledge_bases.settings import KnowledgeBase, QualityJudge
from cicada.languages.terms import LANGUAGES, language_of
from cicada.observability.telemetry import count_search, ignore
from cicada.retrieval.model import RankedPassage, Retrieval
from cicada.retrieval.quality import evidence_quality
from cicada.text import one_line, with_carried

_QUERY_CHARACTERS = 200
BELOW_FLOOR = "below_floor"
WITH_BEFORE = "with_question_before"


class Verdict(StrEnum):
    """What to do with the evidence. `WEAK`: answer from it all the same, because no attempt is left."""

    GOOD = "good"
    RETRY = "retry"
    WEAK = "weak"
    BELOW_FLOOR = BELOW_FLOOR


def verdict(quality: float | None, base: KnowledgeBase, can_retry: bool) -> Verdict:
    """Judge a quality by the base's thresholds; each belongs to what is above it. Unjudged evidence is good."""
    if quality is None or quality >= base.quality_threshold:
        return Verdict.GOOD
    if can_retry:
        return Verdict.RETRY
    return Verdict.WEAK if quality >= base.quality_floor else Verdict.BELOW_FLOOR


class Gathered(Struct, frozen=True):
    """The best evidence of all attempts. `quality`: 0 to 1, or None if it was not judged.

    `passages`: to answer from; below the floor, the nearest ones, to be shown only. `queries`: what was searched for,
    in order. They and `path` are for people and telemetry, never for the prompt of the answer. `withheld`: documents
    that the best attempt found and that the user may not view. `follows`: it was found with the question before.
    """

    passages: tuple[RankedPassage, ...]
    quality: float | None
    verdict: Verdict
    queries: tuple[str, ...]
    path: tuple[str, ...]
    withheld: int = 0
    follows: bool = False

    @property
    def of_a_named_document(self) -> Gathered:
        """The same, to be answered from however weak it is: who names a document means what that says."""
        if self.verdict is not Verdict.BELOW_FLOOR or not self.passages:
            return self
        path = tuple(step for step in self.path if step != BELOW_FLOOR)
        return replace(self, verdict=Verdict.WEAK, path=path)

    @property
    def confidence(self) -> float | None:
        """The answer's confidence: the quality, else the relevance of the first passage."""
        if self.quality is None and self.passages:
            return self.passages[0].relevance
        return self.quality


class _Attempt(Struct, frozen=True):
    found: Retrieval
    quality: float | None


class EvidenceLoop(Struct, frozen=True):
    """Searches again at most `quality_retries` times; it ends earlier when no rewriter has another query.

    `judges` by the base's setting; without the one that it names the score of `retrieval.quality` is used, which takes
    about a millisecond and no call of a model. `rewriters` are asked in order. `report` is called when a judge or a
    rewriter fails: the others are asked then. A search that fails is never caught here.
    """

    judges: Mapping[QualityJudge, EvidenceJudge] = field(default_factory=dict)
    rewriters: Sequence[QueryRewriter] = ()
    report: Callable[[CicadaError], object] = ignore

    def gather(
        self, question: str, base: KnowledgeBase, search: Callable[[str], Retrieval], after: str = ""
    ) -> Gathered:
        """The evidence for a question that needs no others, or perhaps the one `after` which it was asked.

        Raises what `search` raises.

        `search` returns only what the user may view: else a document that is withheld would lift the quality, and so
        show that it exists.
        """
        first = search(question)
        asked = first.query or question
        best, path = self._judged(asked, first, base)
        queries, follows = [question], False
        if after and self._searches_again(best, queries, base):
            queries.append(with_carried(question, (after,)))
            attempt, steps = self._judged(queries[-1], search(queries[-1]), base)
            path = (*path, WITH_BEFORE, *steps)
            follows = (attempt.quality or 0.0) > (best.quality or 0.0)
            best, asked = (attempt, queries[-1]) if follows else (best, asked)
        while self._searches_again(best, queries, base):
            query = self._rewritten(asked, queries, base)
            if query is None:
                break
            queries.append(query)
            # Judged by the question, not by the rewritten query: a query of fewer words is easier to match.
            attempt, steps = self._judged(asked, search(query), base)
            path = (*path, f"rewrite:{len(queries) - 1}", *steps)
            best = max(best, attempt, key=lambda each: each.quality or 0.0)
        return replace(_gathered(best, base, queries, path), follows=follows)

    def _searches_again(self, best: _Attempt, queries: Sequence[str], base: KnowledgeBase) -> bool:
        """Not without any candidate: then the scope is empty, and another query finds nothing either."""
        can_retry = bool(best.found.candidates) and len(queries) <= base.quality_retries
        return verdict(best.quality, base, can_retry) is Verdict.RETRY

    def _judged(self, question: str, found: Retrieval, base: KnowledgeBase) -> tuple[_Attempt, tuple[str, ...]]:
        """The attempt and its steps."""
        quality = self._quality(question, found, base)
        count_search(quality)
        step = () if quality is None or not found.candidates else (f"quality:{quality:.2f}",)
        return _Attempt(found, quality), (*found.path, *step)

    def _quality(self, question: str, found: Retrieval, base: KnowledgeBase) -> float | None:
        """0 if no passage is relevant enough, whatever a judge would say."""
        if not found.passages:
            return 0.0
        if base.quality_judge == "none":
            return None
        try:
            if judge := self.judges.get(base.quality_judge):
                return judge.judge(question, found)
        except (DependencyError, ConfigurationError) as error:
            self.report(error)
        return evidence_quality(question, found, base.calibrations.of(found.ranking.by))

    def _rewritten(self, question: str, tried: Sequence[str], base: KnowledgeBase) -> str | None:
        for rewriter in self.rewriters:
            try:
                query = rewriter.rewrite(question, tried, base)
            except (DependencyError, ConfigurationError) as error:
                self.report(error)
                continue
            if query and query not in tried:
                return query
        return None


def _gathered(best: _Attempt, base: KnowledgeBase, queries: Sequence[str], path: tuple[str, ...]) -> Gathered:
    end = verdict(best.quality, base, can_retry=False) if best.found.passages else Verdict.BELOW_FLOOR
    shown, withheld = best.found.passages, best.found.withheld
    if end is Verdict.BELOW_FLOOR and best.found.candidates:
        shown, path = best.found.nearest, (*path, BELOW_FLOOR)
    return Gathered(shown, best.quality, end, tuple(queries), path, withheld)


def not_answered(gathered: Gathered, knowledge_base: str) -> str:
    """What is said instead of an answer: what was searched for, and what was nearest. Its passages are the sources.

    What is not in force is said to be so.
    """
    searched = ", then for ".join(f"“{one_line(each)[:_QUERY_CHARACTERS]}”" for each in gathered.queries)
    if not gathered.passages:
        return (
            "I found no passage that matches your question, so I cannot answer it from the documents. "
            f"I searched “{knowledge_base}” for {searched}."
        )
    nearest = "\n".join(
        f"[{number}] {one_line(_title(each.passage))}{_not_in_force(each.state)}"
        for number, each in enumerate(gathered.passages, start=1)
    )
    return (
        "I found no passage that answers your question well enough, so I do not answer it from the documents. "
        f"I searched “{knowledge_base}” for {searched}. Nearest were:\n\n{nearest}\n\n"
        f"Ask again with other words, or with the name of what you are looking for.{_in_their_language(gathered)}"
    )


def _in_their_language(gathered: Gathered) -> str:
    """What may help where the question is in another language than all that was nearest."""
    written = {each.passage.language for each in gathered.passages}
    asked, language = language_of(gathered.queries[0]), next(iter(written))
    if len(written) > 1 or not asked or language == asked or language not in LANGUAGES:
        return ""
    return f" What I searched is in {LANGUAGES[language]}: asked in {LANGUAGES[language]}, I may find more."


def _not_in_force(state: str) -> str:
    """The state behind a title, unless the document is in force or nothing says so."""
    return "" if not state or state.endswith(f"({Standing.IN_FORCE})") else f" – {state}"


def _title(passage: Passage) -> str:
    """The place; of a script it is taken from the locator, because its context has words that are only searched."""
    locator = passage.locator
    if not isinstance(locator, ScriptLocator):
        return passage.context or passage.title
    return " · ".join(filter(None, (passage.title, f"{locator.chapter_id} {locator.chapter_title}".strip())))
