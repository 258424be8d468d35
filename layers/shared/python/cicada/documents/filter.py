"""Which passages of a collection a search may find."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cicada.documents.model import KnowledgeBaseKey


@dataclass(frozen=True, slots=True)
class PassageFilter:
    """Which passages may be found. A collection, and with it a tenant, is always part of it.

    `document_ids`: None for all documents. `metadata`: for each field the values of which one must match.
    `reader`: the names that the asker bears; a passage that names its readers is found by nobody else.
    """

    base_key: KnowledgeBaseKey
    document_ids: frozenset[str] | None = None
    metadata: Mapping[str, frozenset[str]] = field(default_factory=dict)
    reader: frozenset[str] = frozenset()
