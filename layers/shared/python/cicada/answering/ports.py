"""Answering's ports."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from msgspec import Struct

from cicada.answering.parts import Prompt
from cicada.conversation.model import RequestKey, TokensUsed
from cicada.dialogue import Conversation
from cicada.documents.catalogue import DocumentRow
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.documents.states import DocumentState
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

    def add(self, tenant: str, day: str, tokens: TokensUsed, expires_at: float) -> None:
        """Add to the day's numbers, which may be forgotten after `expires_at`, in epoch seconds."""
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


class StoredSidecar(Struct, frozen=True):
    """A sidecar's bytes. `version` changes with them; `written_at`: epoch seconds."""

    content: bytes
    version: str
    written_at: float


class DocumentFiles(Protocol):
    """The uploaded files of documents, with their sidecars and reports. Failures are `DependencyError`s."""

    def state(self, document: DocumentKey, *, is_listed: bool) -> DocumentState | None:
        """The state of a document; None if there is no such document."""
        ...

    def states(
        self,
        base_key: KnowledgeBaseKey,
        listed: Mapping[str, datetime | None],
        of_others: Callable[[Sequence[str]], Collection[str]],
    ) -> Mapping[str, DocumentState]:
        """The states by document id; `listed` has the ids in the catalogue, with the time of their ingest.

        `of_others`: which of the stored documents that are not listed count too.
        """
        ...

    def holds(self, document: DocumentKey) -> bool:
        """Whether there is a file."""
        ...

    def sidecar(self, document: DocumentKey) -> StoredSidecar | None: ...

    def write_sidecar(self, document: DocumentKey, content: bytes, over: str) -> str | None:
        """Write it over the version `over`, empty for none; its version, None if another one is there by now."""
        ...

    def form(self, document: DocumentKey, size: int, seconds: int) -> tuple[str, Mapping[str, str]]:
        """The address and the fields of a form that takes a file of this size alone, for so many seconds."""
        ...

    def remove_file(self, document: DocumentKey) -> None: ...

    def remove_sidecar(self, document: DocumentKey) -> None: ...


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
