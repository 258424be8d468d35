"""Answer a message by its plan: from passages, from the catalogue, by an agent, or by the model alone."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace

from cicada.agents.model import AgentKind, AgentTurn
from cicada.agents.ports import Agent
from cicada.answering.listing import ListingAnswerer
from cicada.answering.model import AnswerPart, Finished, Progress, Text
from cicada.answering.passages import PassageAnswerer
from cicada.answering.ports import ChatModel
from cicada.answering.prompt import general_prompt
from cicada.answering.streaming import streamed
from cicada.conversation.model import Question
from cicada.identity.principal import Principal
from cicada.knowledge_bases.wording import described
from cicada.planning.model import Intent
from cicada.planning.plan import Plan, Shape

_CLARIFICATION = "What exactly do you want to know? Name the document, the topic or the passage that you mean."
_FROM_DOCUMENTS = (Shape.METADATA_ONLY, Shape.CONTENT_ONLY, Shape.HYBRID)
_AGENTS = {Intent.PROFILE_REQUEST: AgentKind.PROFILES, Intent.THEORY_REQUEST: AgentKind.THEORIES}


@dataclass(frozen=True, slots=True)
class Answerer:
    """One plan for each message, and exactly one way to answer it. `plan` never fails: the rules make one always."""

    plan: Callable[[Question, Principal], Plan]
    passages: PassageAnswerer
    listings: ListingAnswerer
    agent: Agent
    model: ChatModel

    def answer(self, question: Question, principal: Principal) -> Generator[AnswerPart]:
        """The answer's parts; the last one is `Finished`. Raises `DependencyError` or `ConfigurationError`."""
        plan = self.plan(question, principal)
        for part in self._parts(plan, question, principal):
            yield self._finished(part, plan, question) if isinstance(part, Finished) else part

    def _parts(self, plan: Plan, question: Question, principal: Principal) -> Iterator[AnswerPart]:
        if plan.intent in _AGENTS:
            return self._by_agent(_AGENTS[plan.intent], plan, question, principal)
        if plan.intent is Intent.GENERAL or plan.shape is Shape.NO_MATCH:
            return self._without_search(question)
        if plan.shape is Shape.NEEDS_CLARIFICATION:
            return _asking_back(plan)
        if plan.shape is Shape.METADATA_ONLY:
            return self.listings.answer(plan, question, principal)
        return self.passages.answer(plan, question, principal)

    def _by_agent(self, agent: AgentKind, plan: Plan, question: Question, principal: Principal) -> Iterator[AnswerPart]:
        yield Progress("agent", agent.value)
        turn = AgentTurn(agent, principal, question.session_id, plan.knowledge_base, question.message)
        for piece in self.agent.reply(turn):
            yield Text(piece)
        yield Finished((f"agent:{agent.value}",), confidence=None)

    def _without_search(self, question: Question) -> Iterator[AnswerPart]:
        yield Progress("answering")
        usage = yield from streamed(self.model, general_prompt(question.message))
        yield Finished(("generate",), None, usage.input_tokens, usage.output_tokens)

    def _finished(self, part: Finished, plan: Plan, question: Question) -> Finished:
        schema = self.listings.bases.of(plan.knowledge_base).schema
        applied = (*question.scope, *plan.filters) if plan.shape in _FROM_DOCUMENTS else ()
        conditions = tuple(described(each, schema) for each in applied)
        return replace(part, path=(plan.intent.value, f"plan:{plan.by}", *part.path), plan=plan, conditions=conditions)


def _asking_back(plan: Plan) -> Iterator[AnswerPart]:
    yield Text(plan.clarification or _CLARIFICATION)
    yield Finished(("clarify",), confidence=None)
