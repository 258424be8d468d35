"""Answer from passages: one search, one model call."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass

from cicada.answering.model import AnswerPart, Cited, Finished, ModelUsage, Progress, Prompt, Text
from cicada.answering.ports import ChatModel
from cicada.answering.prompt import passages_prompt
from cicada.conversation.model import Question
from cicada.identity.principal import Principal
from cicada.permissions.readers import readable_passages
from cicada.retrieval.knowledge_search import KnowledgeSearch

_NOTHING_FOUND = "I found no passage that matches your question, so I cannot answer it from the documents."


@dataclass(frozen=True, slots=True)
class PassageAnswerer:
    """Direct retrieval-augmented generation: what is searched does not depend on a model choosing a tool."""

    search: KnowledgeSearch
    model: ChatModel

    def answer(self, question: Question, principal: Principal) -> Iterator[AnswerPart]:
        """Sources first, then the text. Failures are `DependencyError`s, never an answer that says nothing is found."""
        yield Progress("searching")
        readable = readable_passages(principal, question.knowledge_base, question.scope)
        found = self.search.search(question.message, readable)
        if not found.passages:
            yield Text(_NOTHING_FOUND)
            yield Finished(found.path, confidence=0.0)
            return
        yield Cited(found.passages)
        prompt = passages_prompt(question.message, found.passages, self.search.bases.of(question.knowledge_base).holds)
        usage = yield from streamed(self.model, prompt)
        confidence = found.passages[0].relevance
        yield Finished((*found.path, "generate"), confidence, usage.input_tokens, usage.output_tokens)


def streamed(model: ChatModel, prompt: Prompt) -> Generator[AnswerPart, None, ModelUsage]:
    """The model's text as parts; the generator's return value is the usage."""
    usage = ModelUsage(0, 0)
    for piece in model.stream(prompt):
        if isinstance(piece, ModelUsage):
            usage = piece
        else:
            yield Text(piece)
    return usage
