"""Answering's ports."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Protocol

from cicada.answering.parts import Prompt
from cicada.conversation.model import RequestKey
from cicada.dialogue import Conversation
from cicada.documents.catalogue import DocumentRow
from cicada.generation import ModelUsage
from cicada.knowledge_bases.settings import KnowledgeBase
from cicada.retrieval.model import Retrieval


class ConversationMemory(Protocol):
    """What was said in a session before a request."""

    def before(self, key: RequestKey, session_id: str) -> Conversation:
        """Failures are `DependencyError`s."""
        ...


class TokenCounter(Protocol):
    """The tokens that tenants use, by day. Failures are `DependencyError`s."""

    def used(self, tenant: str, day: str) -> int: ...

    def add(self, tenant: str, day: str, tokens: int, expires_at: float) -> None:
        """Add to the day's number, which may be forgotten after `expires_at`, in epoch seconds."""
        ...


class ChatModel(Protocol):
    """A model that writes text."""

    def stream(self, prompt: Prompt) -> Generator[str | ModelUsage]:
        """Pieces of text as they are generated, then the usage, with why the model stopped. Closing it stops the model.

        Raises `ThrottledError` or `UnavailableError` before the first piece, `StreamBrokenError` after it.
        """
        ...


class Originals(Protocol):
    """The files that documents were made from."""

    def address(self, row: DocumentRow) -> str | None:
        """An address of the document's file for a minute; None without one. Failures are `DependencyError`s."""
        ...


class EvidenceJudge(Protocol):
    """Judges whether a question can be answered from what was found."""

    def judge(self, question: str, found: Retrieval) -> float | None:
        """0 to 1, the probability that it can; None if no judgement was reached. Failures are `DependencyError`s."""
        ...


class QueryRewriter(Protocol):
    """Writes another search query for a question whose evidence was weak."""

    def rewrite(self, question: str, tried: Sequence[str], base: KnowledgeBase) -> str | None:
        """A query that is not among those tried, or None if there is no other. Failures are `DependencyError`s."""
        ...
