"""Answer from passages: search, check who may view what was found, judge that evidence, generate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from cicada.answering.evidence import BELOW_FLOOR, EvidenceLoop, Gathered, Verdict, not_answered
from cicada.answering.in_force import OtherVersions
from cicada.answering.parts import AnswerPart, Cited, Finished, Progress, Prompt, Text, Unanswered
from cicada.answering.ports import ChatModel
from cicada.answering.preference import preference, preferred_passages
from cicada.answering.prompt import passages_prompt, within_budget
from cicada.answering.pump import streamed
from cicada.answering.texts_instead import left_out_of
from cicada.conversation.model import Question
from cicada.dialogue import Turn
from cicada.documents.model import TABLE, Condition, Contains, DocumentKey
from cicada.identity import Principal
from cicada.knowledge_bases.schema import Schema
from cicada.knowledge_bases.settings import KnowledgeBase
from cicada.knowledge_bases.values import described
from cicada.observability.telemetry import phase
from cicada.permissions import PermissionGate, Permitted, base_of, readable_passages
from cicada.retrieval.completeness import CheckIndex, unchecked
from cicada.retrieval.model import RankedPassage, Ranking, Retrieval
from cicada.retrieval.search import KnowledgeSearch
from cicada.retrieval.strategies import DEFAULT, FILTERED
from cicada.understanding.follow_ups import emphasised
from cicada.understanding.plan import BY_RULES, Plan

T = TypeVar("T")
UNMET = "filter:0"
"""The step in an answer's path that says that no document meets the conditions of its plan."""
BEYOND = "filter:left_out"
"""The step that says that documents which meet the conditions answer nothing, and that all were searched then."""


class PassageAnswerer(Struct, frozen=True):
    """Retrieval-augmented generation that always searches, instead of letting a model choose a search tool.

    `check_index` is called before it is said that nothing was found; it raises if the index lacks documents.
    `versions`: tells what of the passages is in force; without it nothing is said of that.
    """

    search: KnowledgeSearch
    model: ChatModel
    gate: PermissionGate
    evidence: EvidenceLoop = field(default_factory=EvidenceLoop)
    check_index: CheckIndex = unchecked
    versions: OtherVersions | None = None

    def answer(
        self,
        plan: Plan,
        question: Question,
        principal: Principal,
        earlier: Sequence[Turn] = (),
        documents: frozenset[str] | None = None,
    ) -> Iterator[AnswerPart]:
        """Sources first, then the text. Failures are `DependencyError`s, never an answer "nothing found".

        `documents`: the ids of those that are searched, None for all. Conditions of the plan that no document meets
        are left out, and the text says so first.
        """
        yield Progress("searching")
        base = base_of(self.search.bases, principal, plan.knowledge_base)
        found = self._found(plan, question, principal, base, documents)
        if not found.answers:
            self.check_index(principal, plan.knowledge_base)
            yield Unanswered()
        if found.shown:
            yield Cited(found.shown, base.schema)
        yield from found.preface(question, base.schema)
        if not found.answers:
            yield Text(not_answered(replace(found.gathered, passages=found.shown.items), base.name))
            yield found.end
            return
        prompt = _prompt(found.plan, question, found.shown, base, earlier)
        written = yield from streamed(self.model.stream(prompt))
        yield written.finish(replace(found.end, path=(*found.end.path, "generate")))

    def texts_answer(self, plan: Plan, question: Question, principal: Principal) -> bool:
        """Whether a text, and no row of a table, answers the question with the words that a list of rows leaves out."""
        base = base_of(self.search.bases, principal, plan.knowledge_base)
        left_out = left_out_of(plan, base.schema)
        if left_out is None:
            return False
        instead = plan.as_search
        search = _PermittedSearch(self, instead, question, principal, None)
        with phase("judging"):
            found = self.evidence.gather(instead.search_value, base, search)
        return found.verdict is Verdict.GOOD and left_out.is_told_by(found.passages)

    def _found(
        self,
        plan: Plan,
        question: Question,
        principal: Principal,
        base: KnowledgeBase,
        documents: frozenset[str] | None,
    ) -> _Found:
        """What the plan finds, or where that is too little what it finds without names."""

        def gathered(plan: Plan) -> tuple[_PermittedSearch, Gathered]:
            search = _PermittedSearch(self, plan, question, principal, documents)
            with phase("judging"):
                found = self.evidence.gather(plan.search_value or plan.query, base, search, after=plan.may_follow)
            return search, found.of_a_named_document if plan.named and documents else found

        beyond: tuple[Condition, ...] = ()
        search, found = gathered(plan)
        wider = _without_names(plan) if found.verdict is Verdict.BELOW_FLOOR and documents is None else None
        if wider is not None:
            everywhere, more = gathered(wider)
            if more.verdict is not Verdict.BELOW_FLOOR:
                found = replace(more, path=(*found.path, BEYOND, *more.path))
                plan, search, beyond = wider, everywhere, plan.filters
        if plan.spoken_of and documents is None:
            found = self._with_spoken_of(found, plan, question, principal, base)
        shown = search.shown(found.passages, base.context_tokens)
        return _Found(plan, found, shown, search.matching, search.unmet, beyond)

    def _with_spoken_of(
        self, found: Gathered, plan: Plan, question: Question, principal: Principal, base: KnowledgeBase
    ) -> Gathered:
        """What was found, with what the documents of the last answer have for the message alone; the better first."""
        alone = replace(plan, carried=(), filters=())
        search = _PermittedSearch(self, alone, question, principal, frozenset(plan.spoken_of))
        plainly = replace(base, quality_retries=0, quality_judge="evidence")  # One search, and no call of a model.
        with phase("judging"):
            there = self.evidence.gather(question.message, plainly, search)
        if not there.passages or there.verdict is Verdict.BELOW_FLOOR:
            return found
        best, other = (there, found) if (there.quality or 0.0) >= (found.quality or 0.0) else (found, there)
        known = {each.passage.passage_id for each in best.passages}
        others = () if other.verdict is Verdict.BELOW_FLOOR else other.passages
        return replace(
            found,
            passages=(*best.passages, *(each for each in others if each.passage.passage_id not in known)),
            quality=best.quality,
            verdict=best.verdict,
            path=(*(step for step in found.path if step != BELOW_FLOOR), f"spoken_of:{there.quality or 0.0:.2f}"),
        )


class _Found(Struct, frozen=True):
    """What an answer is made from. `found_by`: the plan that found it.

    `shown`: what the user may view and the prompt has room for. `matching`, `unmet`: as in `_PermittedSearch`.
    `beyond`: conditions that were left out because the documents that meet them answer nothing.
    """

    found_by: Plan
    gathered: Gathered
    shown: Permitted[RankedPassage]
    matching: int | None
    unmet: tuple[Condition, ...]
    beyond: tuple[Condition, ...]

    @property
    def answers(self) -> bool:
        return bool(self.shown) and self.gathered.verdict is not Verdict.BELOW_FLOOR

    @property
    def plan(self) -> Plan:
        """The plan with what holds of the passages: its conditions if they meet them, and the turns before."""
        plan = self.found_by
        before = plan.may_follow if self.gathered.follows else plan.before
        return replace(plan, filters=() if self.unmet else plan.filters, before=before)

    def preface(self, question: Question, schema: Schema) -> Iterator[Text]:
        """What is said first, if conditions were left out."""
        if self.unmet:
            yield Text(_without(self.unmet, question, schema))
        if self.beyond:
            yield Text(f"Nothing answers that where {_said(self.beyond, schema)}. Without this condition:\n\n")

    @property
    def end(self) -> Finished:
        """The end of an answer that no model writes."""
        path, withheld = self.gathered.path, self.gathered.withheld + self.shown.withheld
        if withheld and not self.shown:
            path = (*path, "nothing_permitted")
        # Judged with a document that was closed meanwhile.
        confidence = None if self.shown.withheld else self.gathered.confidence
        # What the gate withholds is not counted among the documents that meet the conditions.
        seen = None if self.matching is None else self.matching - withheld
        return Finished(path, confidence, matching=seen, withheld=withheld)


def _without_names(plan: Plan) -> Plan | None:
    """The plan that searches all documents, if it restricts them by nothing but names that rules have read.

    A name that is a value somewhere may be meant as a word: the answer may be in the texts of other documents.
    """
    are_names = bool(plan.filters) and all(isinstance(each, Contains) for each in plan.filters)
    if not are_names or plan.by != BY_RULES:
        return None
    return replace(plan, filters=(), search_value=_with_names(plan.search_value or plan.query, plan.filters))


def _with_names(query: str, conditions: Sequence[Condition]) -> str:
    """The query with the names of conditions that are left out, so that they are searched for at least."""
    names = [each.text for each in conditions if isinstance(each, Contains)]
    return " ".join([query, *(each for each in names if each.casefold() not in query.casefold())])


def _prompt(
    plan: Plan, question: Question, shown: Permitted[RankedPassage], base: KnowledgeBase, earlier: Sequence[Turn]
) -> Prompt:
    conditions = [described(each, base.schema) for each in (*question.scope, *plan.filters)]
    return passages_prompt(plan.asked(question.message), shown, base.content, earlier, conditions=conditions)


def _without(conditions: Sequence[Condition], question: Question, schema: Schema) -> str:
    """What is said before an answer from documents that do not meet the plan's conditions, because none does."""
    of_rows = any(each.field == TABLE for each in conditions)
    which = "Of the documents that were chosen none" if question.scope else "No row" if of_rows else "No document"
    return f"{which} meets these conditions: {_said(conditions, schema)}. Without them:\n\n"


def _said(conditions: Sequence[Condition], schema: Schema) -> str:
    return ", ".join(described(each, schema) for each in conditions)


class _PermittedSearch:
    """The searches for one answer. What the user may not view by now is judged and shown as if it did not exist.

    The passages are ordered by what is in force; the evidence is judged by the nearest ones, in the search's order.

    `matching`: how many documents meet the conditions of the last search, if there are any. `unmet`: the plan's, if no
    document meets them; from then on it searches without them.
    """

    def __init__(
        self,
        answerer: PassageAnswerer,
        plan: Plan,
        question: Question,
        principal: Principal,
        documents: frozenset[str] | None,
    ) -> None:
        self.matching: int | None = None
        self.unmet: tuple[Condition, ...] = ()
        self._knowledge, self._gate, self._versions = answerer.search, answerer.gate, answerer.versions
        self._plan, self._question, self._principal = plan, question, principal
        self._schema = base_of(self._knowledge.bases, principal, plan.knowledge_base).schema
        conditions = (*question.scope, *plan.filters)
        self._order = preference(question.message, self._schema, conditions, plan.today)
        self._readable = readable_passages(principal, plan.knowledge_base, conditions, documents)

    def __call__(self, query: str) -> Retrieval:
        found = self._found(query)
        if found.matching == 0 and self._plan.filters and self._readable.document_ids is None and not self.unmet:
            self.unmet = self._plan.filters
            query = _with_names(query, self.unmet)
            self._readable = readable_passages(self._principal, self._plan.knowledge_base, self._question.scope)
            found = self._found(query)
            found = replace(found, path=(UNMET, *found.path))
        self.matching = found.matching
        found = found.of(frozenset(self.permitted(tuple(found.documents), lambda each: each)))
        ordered = preferred_passages(found.passages, self._order, found.candidates)
        nearest = list(found.nearest)
        if self._versions:
            asked = self._schema, self._plan.today, self._readable, self._principal
            ordered, nearest = (self._versions.stated(each, *asked) for each in (ordered, nearest))
        return replace(found, ranking=Ranking(tuple(ordered), found.ranking.by), nearest=tuple(nearest))

    def _found(self, query: str) -> Retrieval:
        plan, readable = self._plan, self._readable
        strategy = FILTERED if readable.conditions or readable.document_ids is not None else DEFAULT
        with phase("searching"):
            return self._knowledge.search(emphasised(query, plan.carried), readable, strategy, plan.key_concepts)

    def shown(self, passages: Sequence[RankedPassage], budget_tokens: int) -> Permitted[RankedPassage]:
        """The passages that the budget has room for. The gate is asked again: a judge may have taken seconds."""
        permitted = self.permitted(passages, lambda each: each.passage.document)
        return permitted.only(within_budget(permitted.items, budget_tokens))

    def permitted(self, items: Sequence[T], document: Callable[[T], DocumentKey]) -> Permitted[T]:
        with phase("gate"):
            return self._gate.permit(self._principal, items, document)
