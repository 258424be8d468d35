"""Answer from documents, or parts of them, as a whole: summaries, what a chapter is about, comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from msgspec import Struct

from cicada.answering.context_budget import spread_within_budget
from cicada.answering.parts import AnswerPart, Cited, Finished, Progress
from cicada.answering.ports import ChatModel
from cicada.answering.prompt import passages_prompt
from cicada.answering.pump import streamed
from cicada.conversation.model import Question
from cicada.dialogue import Turn
from cicada.document_routing.naming import Dispatched, Dispatcher
from cicada.documents.model import DocumentKey
from cicada.identity import Principal
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.observability.telemetry import phase
from cicada.permissions import PermissionGate, Permitted, base_of, readable_passages
from cicada.retrieval.model import RankedPassage
from cicada.understanding.plan import Plan


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
        if not plan.subjects:
            return None
        readable = readable_passages(principal, plan.knowledge_base, question.scope)
        with phase("searching"):
            dispatched = self.dispatcher.dispatch(plan.subjects, readable)
        documents = [[RankedPassage(each, None) for each in one.passages] for one in dispatched]
        with phase("gate"):
            permitted = self.gate.permit(principal, list(chain.from_iterable(documents)), _document)
        # A comparison of what may be viewed with nothing is no comparison.
        if not permitted or permitted.withheld:
            return None
        base = base_of(self.bases, principal, plan.knowledge_base)
        shown = permitted.only(spread_within_budget(documents, base.context_tokens))
        return WholeDocuments(shown, len(permitted), _kind(dispatched), base)

    def answer(self, documents: WholeDocuments, question: Question, earlier: Sequence[Turn]) -> Iterator[AnswerPart]:
        """Sources first, in the order of the documents, then the text."""
        base = documents.base
        yield Progress("searching")
        yield Cited(documents.passages, base.schema)
        usage = yield from streamed(
            self.model, passages_prompt(question.message, documents.passages, base.content, earlier, documents.total)
        )
        yield Finished((*documents.path, "generate"), None, usage.input_tokens, usage.output_tokens)


def _kind(dispatched: Sequence[Dispatched]) -> str:
    if len(dispatched) > 1:
        return "comparison"
    return "section" if dispatched[0].is_part else "document"


def _document(ranked: RankedPassage) -> DocumentKey:
    return ranked.passage.document
