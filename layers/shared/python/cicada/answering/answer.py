"""Answer a message by its plan: from passages, from the catalogue, by an agent, or by the model alone."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from cicada.agents.model import Agent, AgentKind, AgentTurn
from cicada.answering.asked_writes import asked_writes
from cicada.answering.listing import ListingAnswerer
from cicada.answering.named_documents import FROM_DOCUMENTS, Meant, NamedDocuments, Reply
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
from cicada.permissions import base_of
from cicada.understanding.model import Intent
from cicada.understanding.paging import listed_page
from cicada.understanding.plan import Plan, Shape
from cicada.understanding.planners import step_of

_CLARIFICATION = "What exactly do you want to know? Name the document, the topic or the passage that you mean."
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
        meant, parts = self._answered(plan, question, principal, before.turns)
        plan = meant.plan
        annotate(intent=plan.intent.value, strategy=plan.shape.value, knowledgeBase=plan.knowledge_base)
        for part in parts:
            yield self._finished(part, meant, question, principal) if isinstance(part, Finished) else part

    def _answered(
        self, plan: Plan, question: Question, principal: Principal, earlier: tuple[Turn, ...]
    ) -> tuple[Meant, Iterator[AnswerPart]]:
        """The answer with what it is about. Documents that are named are looked up before anything is searched."""
        meant = Meant(plan)
        documents = self.whole_documents.found(plan, question, principal)
        if documents is None:
            found = self._named_documents.meant(plan, question, principal)
            if isinstance(found, Reply):
                return Meant(found.plan), found.parts(question)
            meant = found
            if meant.plan.subjects != plan.subjects:
                documents = self.whole_documents.found(meant.plan, question, principal)
        if documents is None:
            return meant, self._parts(meant, question, principal, earlier)
        # What was read as conditions was a part of a name.
        meant = replace(meant, plan=replace(meant.plan, shape=Shape.CONTENT_ONLY, filters=()))
        return meant, self.whole_documents.answer(documents, question, earlier)

    @property
    def _named_documents(self) -> NamedDocuments:
        """Names are looked up where listings are read."""
        listings = self.listings
        return NamedDocuments(listings.catalogue, listings.bases, listings.gate, listings.check_index)

    def _parts(
        self, meant: Meant, question: Question, principal: Principal, earlier: tuple[Turn, ...]
    ) -> Iterator[AnswerPart]:
        plan, documents = meant.plan, meant.documents
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
            return self.listings.answer(plan, question, principal, documents)
        return self.passages.answer(plan, question, principal, earlier, documents)

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

    def _finished(self, part: Finished, meant: Meant, question: Question, principal: Principal) -> Finished:
        plan = meant.plan
        schema = base_of(self.listings.bases, principal, plan.knowledge_base).schema
        applied = (*question.scope, *plan.filters) if plan.shape in FROM_DOCUMENTS else ()
        conditions = (*(described(each, schema) for each in applied), *meant.conditions)
        listing = part.listing or listed_page(plan, question.knowledge_base)
        if listing and not part.listing:
            listing = replace(listing, documents=meant.ids)
        path = (*_steps(plan), *meant.path, *part.path)
        return replace(part, path=path, plan=plan, conditions=conditions, listing=listing)


def _steps(plan: Plan) -> tuple[str, ...]:
    return (plan.intent.value, step_of(plan), *(("follow_up",) if plan.carried else ()))


def _asking_back(plan: Plan) -> Iterator[AnswerPart]:
    yield Text(plan.clarification or _CLARIFICATION)
    yield Finished(("clarify",), confidence=None)
