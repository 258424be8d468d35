"""Answer a message by its plan: from passages, from the catalogue, by an agent, or by the model alone."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from cicada.agents.model import Agent, AgentKind, AgentTurn
from cicada.answering.asked_writes import asked_writes
from cicada.answering.listing import ListingAnswerer
from cicada.answering.parts import AnswerPart, Finished, Progress, Text
from cicada.answering.passages import PassageAnswerer
from cicada.answering.ports import ChatModel
from cicada.answering.prompt import general_prompt
from cicada.answering.pump import streamed
from cicada.answering.whole_documents import WholeDocumentAnswerer
from cicada.conversation.model import Question
from cicada.dialogue import NO_CONVERSATION, Conversation, Turn
from cicada.identity import Principal
from cicada.knowledge_bases.values import described
from cicada.observability.telemetry import phase
from cicada.observability.tracing import annotate
from cicada.planning.chosen import step_of
from cicada.planning.model import Intent
from cicada.planning.paging import listed_page
from cicada.planning.plan import Plan, Shape

_CLARIFICATION = "What exactly do you want to know? Name the document, the topic or the passage that you mean."
_FROM_DOCUMENTS = (Shape.METADATA_ONLY, Shape.CONTENT_ONLY, Shape.HYBRID)
_AGENTS = {Intent.PROFILE_REQUEST: AgentKind.PROFILES, Intent.THEORY_REQUEST: AgentKind.THEORIES}


class Answerer(Struct, frozen=True):
    """One plan for each message, and exactly one way to answer it.

    `plan` raises `UnknownKnowledgeBaseError` for a base that the user may not ask. A model that fails is no reason to
    raise: the rules make a plan of any message.
    """

    plan: Callable[[Question, Principal, Conversation], Plan]
    passages: PassageAnswerer
    whole_documents: WholeDocumentAnswerer
    listings: ListingAnswerer
    agent: Agent
    model: ChatModel

    def answer(
        self, question: Question, principal: Principal, before: Conversation = NO_CONVERSATION
    ) -> Generator[AnswerPart]:
        """The answer's parts; the last one is `Finished`.

        Raises `UnknownKnowledgeBaseError`, `DependencyError` or `ConfigurationError`.
        """
        with phase("planning"):
            plan = self.plan(question, principal, before)
        documents = self.whole_documents.found(plan, question, principal)
        if documents is not None:
            # What was read as conditions was a part of a name.
            plan = replace(plan, shape=Shape.CONTENT_ONLY, filters=())
            parts = self.whole_documents.answer(documents, plan, question, before.turns)
        else:
            parts = self._parts(plan, question, principal, before.turns)
        annotate(intent=plan.intent.value, strategy=plan.shape.value, knowledgeBase=plan.knowledge_base)
        for part in parts:
            yield self._finished(part, plan, question) if isinstance(part, Finished) else part

    def _parts(
        self, plan: Plan, question: Question, principal: Principal, earlier: tuple[Turn, ...]
    ) -> Iterator[AnswerPart]:
        if plan.intent in _AGENTS:
            agent = _AGENTS[plan.intent]
            return self._by_agent(
                AgentTurn(
                    agent,
                    principal,
                    question.session_id,
                    plan.knowledge_base,
                    question.message,
                    earlier,
                    asked_writes(question.message),
                )
            )
        if plan.intent is Intent.GENERAL or plan.shape is Shape.NO_MATCH:
            return self._without_search(question, earlier)
        if plan.shape is Shape.NEEDS_CLARIFICATION:
            return _asking_back(plan)
        if plan.shape is Shape.METADATA_ONLY:
            return self.listings.answer(plan, question, principal)
        return self.passages.answer(plan, question, principal, earlier)

    def _by_agent(self, turn: AgentTurn) -> Iterator[AnswerPart]:
        yield Progress("agent", turn.agent.value)
        with phase("agent"):
            for piece in self.agent.reply(turn):
                yield Text(piece)
        yield Finished((f"agent:{turn.agent.value}",), confidence=None)

    def _without_search(self, question: Question, earlier: Sequence[Turn]) -> Iterator[AnswerPart]:
        yield Progress("answering")
        usage = yield from streamed(self.model, general_prompt(question.message, earlier))
        yield Finished(("generate",), None, usage.input_tokens, usage.output_tokens)

    def _finished(self, part: Finished, plan: Plan, question: Question) -> Finished:
        schema = self.listings.bases.of(plan.knowledge_base).schema
        applied = (*question.scope, *plan.filters) if plan.shape in _FROM_DOCUMENTS else ()
        conditions = tuple(described(each, schema) for each in applied)
        listing = listed_page(plan, question.knowledge_base)
        return replace(part, path=(*_steps(plan), *part.path), plan=plan, conditions=conditions, listing=listing)


def _steps(plan: Plan) -> tuple[str, ...]:
    return (plan.intent.value, step_of(plan), *(("follow_up",) if plan.carried else ()))


def _asking_back(plan: Plan) -> Iterator[AnswerPart]:
    yield Text(plan.clarification or _CLARIFICATION)
    yield Finished(("clarify",), confidence=None)
