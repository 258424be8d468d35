"""Answer from passages: one search, one model call."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass

from cicada.answering.model import AnswerPart, Cited, Finished, ModelUsage, Progress, Prompt, Text
from cicada.answering.ports import ChatModel
from cicada.answering.prompt import passages_prompt
from cicada.conversation.model import Question
from cicada.documents.model import Collection
from cicada.permissions.model import Principal
from cicada.retrieval.model import PassageFilter
from cicada.retrieval.search import Retriever

_NOTHING_FOUND = "I found no passage that matches your question, so I cannot answer it from the scripts."


@dataclass(frozen=True, slots=True)
class PassageAnswerer:
    """Direct retrieval-augmented generation: what is searched does not depend on a model choosing a tool."""

    retriever: Retriever
    model: ChatModel

    def answer(self, question: Question, principal: Principal) -> Iterator[AnswerPart]:
        """Sources first, then the text. Failures are `DependencyError`s, never an answer that says nothing is found."""
        yield Progress("searching")
        found = self.retriever.search(question.message, search_filter(question, principal))
        if not found:
            yield Text(_NOTHING_FOUND)
            yield Finished(path=("retrieve", "nothing_found"), confidence=0.0)
            return
        yield Cited(found)
        usage = yield from streamed(self.model, passages_prompt(question.message, found))
        yield Finished(("retrieve", "generate"), found[0].relevance, usage.input_tokens, usage.output_tokens)


def search_filter(question: Question, principal: Principal) -> PassageFilter:
    """What this user's question may be answered from: the tenant always, then the scope that the client gave."""
    metadata = {name: frozenset(values) for name, values in question.metadata.items()}
    if question.episodes:
        metadata["episode_id"] = frozenset(question.episodes)
    return PassageFilter(Collection(principal.tenant, question.knowledge_base), metadata=metadata)


def streamed(model: ChatModel, prompt: Prompt) -> Generator[AnswerPart, None, ModelUsage]:
    """The model's text as parts; the generator's return value is the usage."""
    usage = ModelUsage(0, 0)
    for piece in model.stream(prompt):
        if isinstance(piece, ModelUsage):
            usage = piece
        else:
            yield Text(piece)
    return usage
