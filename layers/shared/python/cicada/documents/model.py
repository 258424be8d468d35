"""Documents and their passages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct, field

MetadataValue: TypeAlias = str | float | bool | tuple[str, ...]
"""A field's value. A date is its ISO text (`2026-01-31`); a keyword list is a tuple."""


class KnowledgeBaseKey(Struct, frozen=True):
    """Identity of a knowledge base, the documents that a question is answered from; it belongs to one tenant."""

    tenant: str
    knowledge_base: str


class DocumentKey(Struct, frozen=True):
    """Identity of a document; re-ingesting a changed file keeps the key and changes the version."""

    base_key: KnowledgeBaseKey
    document_id: str


class ScriptLocator(Struct, frozen=True, tag=True):
    """Where in a script a passage stands: `first_message` to `last_message`, both inclusive, of one chapter."""

    episode_id: str
    episode_name: str
    chapter_id: str
    chapter_title: str
    first_message: int
    last_message: int
    speakers: tuple[str, ...]


class SectionLocator(Struct, frozen=True, tag=True):
    """Where in a prose document a passage stands: the headings above it, outermost first."""

    path: tuple[str, ...]


Locator = ScriptLocator | SectionLocator


class Passage(Struct, frozen=True):
    """A piece of a document, the unit of search and citation.

    `text` is what an answer is built from. `context` (title, place, speakers) is searched together with the
    text and never shown to the answering model as evidence. `metadata`: the fields to filter by.
    `readers`: who may read it, by name (`user:<id>`, `group:<name>`); empty for all users of the tenant.
    """

    passage_id: str
    document: DocumentKey
    version: str
    title: str
    text: str
    context: str
    locator: Locator
    language: str = "en"
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    readers: tuple[str, ...] = ()
