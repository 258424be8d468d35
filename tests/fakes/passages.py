"""Passages for tests."""

from __future__ import annotations

from collections.abc import Mapping

from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Locator, MetadataValue, Passage, SectionLocator

PLAYS = KnowledgeBaseKey("tenant-a", "plays")
MACBETH = DocumentKey(PLAYS, "macbeth.json")


def passage(
    document: DocumentKey = MACBETH,
    number: int = 0,
    text: str = "The queen, my lord, is dead.",
    *,
    version: str = "v1",
    title: str | None = None,
    context: str = "",
    locator: Locator | None = None,
    language: str = "en",
    metadata: Mapping[str, MetadataValue] | None = None,
    readers: tuple[str, ...] = (),
) -> Passage:
    """The passage of this number. Its title is the document's id, and its place a scene, unless they are given."""
    return Passage(
        passage_id=f"{document.document_id}#{number:06d}",
        document=document,
        version=version,
        title=document.document_id if title is None else title,
        text=text,
        context=context,
        locator=locator or SectionLocator(("Act 1", f"Scene {number}")),
        language=language,
        metadata=metadata or {},
        readers=readers,
    )
