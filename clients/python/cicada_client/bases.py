"""The knowledge bases that a user may ask."""

from __future__ import annotations

from dataclasses import dataclass

from cicada_client.events import Frame
from cicada_client.forms import count, objects, text_or_none, texts


@dataclass(frozen=True, slots=True)
class KnowledgeBase:
    """`documents`: how many of it the user may read. `questions`: some to begin with."""

    name: str
    documents: int
    description: str | None = None
    questions: tuple[str, ...] = ()


def parse_bases(frame: Frame) -> tuple[KnowledgeBase, ...]:
    """The bases in a `knowledgeBases` frame; items that are not objects are left out."""
    return tuple(_base(item) for item in objects(frame.get("bases")))


def _base(item: Frame) -> KnowledgeBase:
    name, description = text_or_none(item.get("name")), text_or_none(item.get("description"))
    return KnowledgeBase(name or "", count(item.get("documents")), description, texts(item.get("questions")))
