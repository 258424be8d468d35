"""Answer from passages: one search, one model call."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass

from cicada.answering.model import AnswerPart, Cited, Finished, ModelUsage, Progress, Prompt, Text
from cicada.answering.ports import ChatModel
from cicada.answering.prompt import passages_prompt
from cicada.conversation.model import Question
from cicada.documents.model import Collection
from cicada.identity.principal import Principal
from cicada.retrieval.knowledge_search import KnowledgeSearch
from cicada.retrieval.model import PassageFilter

_NOTHING_FOUND = "I found no passage that matches your question, so I cannot answer it from the documents."


@dataclass(frozen=True, slots=True)
class PassageAnswerer:
    """Direct retrieval-augmented generation: what is searched does not depend on a model choosing a tool."""

    search: KnowledgeSearch
    model: ChatModel

    def answer(self, question: Question, principal: Principal) -> Iterator[AnswerPart]:
        """Sources first, then the text. Failures are `DependencyError`s, never an answer that says nothing is found."""
        yield Progress("searching")
        found = self.search.search(question.message, search_filter(question, principal))
        if not found.passages:
            yield Text(_NOTHING_FOUND)
            yield Finished(found.path, confidence=0.0)
            return
        yield Cited(found.passages)
        prompt = passages_prompt(question.message, found.passages, self.search.bases.of(question.knowledge_base).holds)
        usage = yield from streamed(self.model, prompt)
        confidence = found.passages[0].relevance
        yield Finished((*found.path, "generate"), confidence, usage.input_tokens, usage.output_tokens)


def search_filter(question: Question, principal: Principal) -> PassageFilter:
    """What this user's question may be answered from: the tenant always, then the scope that the client gave.

    Of passages that name their readers, those that name this user or a group that he is in.
    """
    metadata = {name: frozenset(values) for name, values in question.metadata.items()}
    if question.episodes:
        metadata["episode_id"] = frozenset(question.episodes)
    collection = Collection(principal.tenant, question.knowledge_base)
    return PassageFilter(collection, metadata=metadata, reader=reader_names(principal))


def reader_names(principal: Principal) -> frozenset[str]:
    """The names that the user bears where passages name their readers."""
    return frozenset({f"user:{principal.user}", *(f"group:{name}" for name in principal.groups)})


def streamed(model: ChatModel, prompt: Prompt) -> Generator[AnswerPart, None, ModelUsage]:
    """The model's text as parts; the generator's return value is the usage."""
    usage = ModelUsage(0, 0)
    for piece in model.stream(prompt):
        if isinstance(piece, ModelUsage):
            usage = piece
        else:
            yield Text(piece)
    return usage
