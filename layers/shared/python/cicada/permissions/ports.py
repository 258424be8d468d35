"""What the permission gate needs from the outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from cicada.documents.model import KnowledgeBaseKey


class AccessLists(Protocol):
    """Who may view which document, as it is at the moment of the question."""

    def readers_of(self, base_key: KnowledgeBaseKey, document_ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """The reader names of each document, none for everybody; unknown documents are left out.

        Failures are `DependencyError`s.
        """
        ...
