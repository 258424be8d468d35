"""Answer from documents, or parts of them, as a whole: summaries, what a chapter is about, comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby

from msgspec import Struct

from cicada.answering.in_force import OtherVersions
from cicada.answering.parts import AnswerPart, Cited, Finished, Progress
from cicada.answering.ports import ChatModel
from cicada.answering.preference import preference, preferred
from cicada.answering.prompt import passages_prompt, spread_within_budget, within_budget
from cicada.answering.pump import streamed
from cicada.conversation.model import Question
from cicada.dialogue import ShownDocument, Turn
from cicada.document_routing.naming import Dispatched, Dispatcher
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, ScriptLocator, meets
from cicada.identity import Principal
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.languages.terms import words
from cicada.observability.telemetry import phase
from cicada.permissions import PermissionGate, Permitted, base_of, readable_passages
from cicada.retrieval.model import RankedPassage
from cicada.understanding.plan import Plan

# Passages on either side of one that was shown.
_NEIGHBOURS = 3
# Documents that are read for them.
_MOST_READ_AGAIN = 4


class WholeDocuments(Struct, frozen=True):
    """The permitted passages of the documents that a plan names, in the order of the documents, of `total` in all.

    `base`: the settings of the base that they are in.
    """

    passages: Permitted[RankedPassage]
    total: int
    kind: str
    base: KnowledgeBase

    @property
    def path(self) -> tuple[str, ...]:
        return (f"read:{self.kind}", f"passages:{len(self.passages)}/{self.total}")


class WholeDocumentAnswerer(Struct, frozen=True):
    """Answers from whole documents that the plan names. Nothing is searched for, so passages have no relevance."""

    dispatcher: Dispatcher
    bases: KnowledgeBases
    gate: PermissionGate
    model: ChatModel

    def found(self, plan: Plan, question: Question, principal: Principal) -> WholeDocuments | None:
        """The documents that the plan's subjects name. Failures are `DependencyError`s.

        None if they name nothing that the user may view: then the plan is searched for like any other.
        """
        if plan.again:
            return self._again(plan, question, principal)
        if not plan.subjects:
            return None
        readable = readable_passages(principal, plan.knowledge_base, question.scope)
        with phase("searching"):
            dispatched = _in_question(self.dispatcher.dispatch(plan.subjects, readable), plan, question.message)
        base = base_of(self.bases, principal, plan.knowledge_base)
        order = preference(question.message, base.schema, (*question.scope, *plan.filters), plan.today)
        dispatched = tuple(preferred(dispatched, lambda each: each.row, order))
        passages = [RankedPassage(each, None) for one in dispatched for each in one.passages]
        passages = self._stated(passages, base, plan, principal)
        with phase("gate"):
            permitted = self.gate.permit(principal, passages, lambda each: each.passage.document)
        # A comparison of what may be viewed with nothing is no comparison.
        if not permitted or permitted.withheld:
            return None
        left = iter(passages)
        documents = [[next(left) for _ in one.passages] for one in dispatched]
        shown = permitted.only(spread_within_budget(documents, base.context_tokens))
        if len(shown) < len(permitted) and any(each.if_short for each in plan.subjects):
            return None
        return WholeDocuments(shown, len(permitted), _kind(dispatched), base)

    def _again(self, plan: Plan, question: Question, principal: Principal) -> WholeDocuments | None:
        """The passages of the last answer and those around them, as they are now.

        None if they are gone: then the message is searched for.
        """
        base_key = KnowledgeBaseKey(principal.tenant, plan.knowledge_base)
        names = list(dict.fromkeys(each.document_id for each in plan.again))[:_MOST_READ_AGAIN]
        with phase("gate"):
            # What is withheld is not even read.
            documents = self.gate.permit(principal, [DocumentKey(base_key, name) for name in names], lambda key: key)
        with phase("searching"):
            texts = {each.document_id: self.dispatcher.index.passages_of(each) for each in documents}
        again = [each for each in plan.again if each.document_id in texts]
        around = _around(again, texts) if plan.scene is None else _scene(again, texts, plan.scene)
        found = [each for each in around if meets(each.metadata, question.scope)]
        base = base_of(self.bases, principal, plan.knowledge_base)
        passages = self._stated([RankedPassage(each, None) for each in found], base, plan, principal)
        with phase("gate"):
            permitted = self.gate.permit(principal, passages, lambda each: each.passage.document)
        if not permitted:
            return None
        tokens = base.context_tokens
        if plan.scene is not None:
            fitting = spread_within_budget([permitted.items], tokens)
            return WholeDocuments(permitted.only(fitting), len(found), "section", base)
        return WholeDocuments(permitted.only(within_budget(permitted.items, tokens)), len(found), "last_answer", base)

    def _stated(
        self, passages: Sequence[RankedPassage], base: KnowledgeBase, plan: Plan, principal: Principal
    ) -> list[RankedPassage]:
        """The passages with the states of their documents."""
        readable = readable_passages(principal, plan.knowledge_base)
        versions = OtherVersions(self.dispatcher.index, self.gate)
        return versions.stated(passages, base.schema, plan.today, readable, principal)

    def answer(
        self, documents: WholeDocuments, plan: Plan, question: Question, earlier: Sequence[Turn]
    ) -> Iterator[AnswerPart]:
        """Sources first, in the order of the documents, then the text."""
        base = documents.base
        asked = plan.asked(question.message)
        total = None if plan.again and plan.scene is None else documents.total
        yield Progress("searching")
        yield Cited(documents.passages, base.schema)
        prompt = passages_prompt(asked, documents.passages, base.content, earlier, total)
        written = yield from streamed(self.model.stream(prompt))
        yield written.finish(Finished((*documents.path, "generate"), None))


def _in_question(found: tuple[Dispatched, ...], plan: Plan, message: str) -> tuple[Dispatched, ...]:
    """The documents that have the part; of several those whose title the question has, if there are any."""
    if len(found) < 2 or any(each.document for each in plan.subjects):
        return found
    said = set(words(message))
    return tuple(each for each in found if said.issuperset(words(each.row.title))) or found


def _around(shown: Sequence[ShownDocument], texts: Mapping[str, Sequence[Passage]]) -> list[Passage]:
    """The passages that were shown, then their neighbours: the nearest first, and what follows before what precedes."""
    places = [
        (each.document_id, at)
        for each in shown
        for at, passage in enumerate(texts[each.document_id])
        if _is_of(passage.text, each.excerpt)
    ]
    distances = [0, *chain.from_iterable((step, -step) for step in range(1, _NEIGHBOURS + 1))]
    found = dict.fromkeys((name, at + step) for step in distances for name, at in places)
    return [texts[name][at] for name, at in found if 0 <= at < len(texts[name])]


def _scene(shown: Sequence[ShownDocument], texts: Mapping[str, Sequence[Passage]], step: int) -> list[Passage]:
    """All passages of the chapter so many places after that of the first one that was shown; none outside of a play."""
    first = next(iter(_around(shown[:1], texts)), None)
    if first is None or not isinstance(first.locator, ScriptLocator):
        return []
    chapters = [list(group) for _, group in groupby(texts[first.document.document_id], lambda each: each.chapter)]
    at = next(at for at, chapter in enumerate(chapters) if first in chapter) + step
    return chapters[at] if 0 <= at < len(chapters) else []


def _is_of(text: str, excerpt: str) -> bool:
    """Whether the excerpt is the beginning of this text, or if it was cut there, a part of it."""
    shown = excerpt.strip("… ")
    return text.startswith(shown) or (excerpt.startswith("…") and shown in text)


def _kind(dispatched: Sequence[Dispatched]) -> str:
    if len(dispatched) > 1:
        return "comparison"
    return "section" if dispatched[0].is_part else "document"
