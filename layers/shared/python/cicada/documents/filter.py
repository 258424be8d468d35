"""Filters of passages within a knowledge base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cicada.documents.model import KnowledgeBaseKey


@dataclass(frozen=True, slots=True)
class PassageFilter:
    """The passages that a search may return, always of one knowledge base and so of one tenant.

    `document_ids`: None for all documents. `metadata`: for each field, the values of which one must match.
    `reader`: the user's reader names; a passage that names readers is returned only if one of them matches.
    """

    base_key: KnowledgeBaseKey
    document_ids: frozenset[str] | None = None
    metadata: Mapping[str, frozenset[str]] = field(default_factory=dict)
    reader: frozenset[str] = frozenset()
