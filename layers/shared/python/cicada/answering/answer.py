"""Choose how to answer a message, and answer it: from passages, by an agent, or by the model alone."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace

from cicada.agents.model import AgentKind, AgentTurn
from cicada.agents.ports import Agent
from cicada.answering.evidence_loop import EvidenceLoop, Verdict, not_answered
from cicada.answering.model import AnswerPart, Cited, Finished, ModelUsage, Progress, Prompt, Text
from cicada.answering.ports import ChatModel
from cicada.answering.prompt import general_prompt, passages_prompt
from cicada.conversation.model import Question
from cicada.identity.principal import Principal
from cicada.permissions.readers import readable_passages
from cicada.planning.model import Classification, Intent
from cicada.retrieval.knowledge_search import KnowledgeSearch

_AGENTS = {Intent.PROFILE_REQUEST: AgentKind.PROFILES, Intent.THEORY_REQUEST: AgentKind.THEORIES}


@dataclass(frozen=True, slots=True)
class PassageAnswerer:
    """Retrieval-augmented generation that always searches, instead of letting a model choose a search tool."""

    search: KnowledgeSearch
    model: ChatModel
    evidence: EvidenceLoop = field(default_factory=EvidenceLoop)

    def answer(self, question: Question, principal: Principal) -> Iterator[AnswerPart]:
        """Sources first, then the text. Failures are `DependencyError`s, never an answer "nothing found"."""
        yield Progress("searching")
        readable = readable_passages(principal, question.knowledge_base, question.scope)
        base = self.search.bases.of(question.knowledge_base)
        found = self.evidence.gather(question.message, base, lambda query: self.search.search(query, readable))
        if found.passages:
            yield Cited(found.passages)
        if found.verdict is Verdict.BELOW_FLOOR:
            yield Text(not_answered(found, base.name))
            yield Finished(found.path, confidence=found.confidence)
            return
        prompt = passages_prompt(question.message, found.passages, base.content)
        usage = yield from streamed(self.model, prompt)
        yield Finished((*found.path, "generate"), found.confidence, usage.input_tokens, usage.output_tokens)


@dataclass(frozen=True, slots=True)
class Answerer:
    """Routes a message to retrieval, to an agent or to the model alone.

    A message classified as general with less confidence than `general_confidence` is searched for too: an unneeded
    search costs little, an unanswered question much. `classify` gets the message and the name of its knowledge base.
    """

    classify: Callable[[str, str], Classification]
    passages: PassageAnswerer
    agent: Agent
    model: ChatModel
    general_confidence: float = 0.5

    def answer(self, question: Question, principal: Principal) -> Generator[AnswerPart]:
        """The answer's parts; the last one is `Finished`. Raises `DependencyError` or `ConfigurationError`."""
        intent = self._intent(question)
        if intent in _AGENTS:
            parts = self._by_agent(_AGENTS[intent], question, principal)
        elif intent is Intent.GENERAL:
            parts = self._without_search(question)
        else:
            parts = self.passages.answer(question, principal)
        for part in parts:
            yield replace(part, path=(intent.value, *part.path)) if isinstance(part, Finished) else part

    def _intent(self, question: Question) -> Intent:
        found = self.classify(question.message, question.knowledge_base)
        unsure = found.intent is Intent.GENERAL and found.confidence < self.general_confidence
        return Intent.SCRIPT_QUERY if unsure else found.intent

    def _by_agent(self, agent: AgentKind, question: Question, principal: Principal) -> Iterator[AnswerPart]:
        yield Progress("agent", agent.value)
        turn = AgentTurn(agent, principal, question.session_id, question.knowledge_base, question.message)
        for piece in self.agent.reply(turn):
            yield Text(piece)
        yield Finished((f"agent:{agent.value}",), confidence=None)

    def _without_search(self, question: Question) -> Iterator[AnswerPart]:
        yield Progress("answering")
        usage = yield from streamed(self.model, general_prompt(question.message))
        yield Finished(("generate",), None, usage.input_tokens, usage.output_tokens)


def streamed(model: ChatModel, prompt: Prompt) -> Generator[AnswerPart, None, ModelUsage]:
    """The model's text as parts; the generator's return value is the usage."""
    usage = ModelUsage(0, 0)
    for piece in model.stream(prompt):
        if isinstance(piece, ModelUsage):
            usage = piece
        else:
            yield Text(piece)
    return usage
