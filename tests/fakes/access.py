"""Access lists in memory, and items that a gate has let through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from cicada.conversation.withholding import Withholding
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import CicadaError
from cicada.identity import Principal
from cicada.knowledge_bases.settings import KnowledgeBases
from cicada.permissions import PermissionGate, Permitted

T = TypeVar("T")
_SOME = DocumentKey(KnowledgeBaseKey("acme", "scripts"), "some")


@dataclass
class OpenAccess:
    """Every document is for everybody, but for those in `readers`; `unknown` ones do not exist. `failure` is raised.

    `bases`: the settings of the bases that the documents are in.
    """

    readers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)
    failure: CicadaError | None = None
    asked: list[tuple[KnowledgeBaseKey, tuple[str, ...]]] = field(default_factory=list)
    bases: KnowledgeBases = field(default_factory=KnowledgeBases)

    def readers_of(self, base_key: KnowledgeBaseKey, document_ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        self.asked.append((base_key, tuple(document_ids)))
        if self.failure:
            raise self.failure
        return {name: self.readers.get(name, ()) for name in document_ids if name not in self.unknown}


@dataclass
class RecordedAccessLists(OpenAccess):
    """The record of viewers that ingest writes; what it does not have does not exist."""

    rows: dict[DocumentKey, tuple[str, ...]] = field(default_factory=dict)

    def readers_of(self, base_key: KnowledgeBaseKey, document_ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        if self.failure:
            raise self.failure
        keys = {name: DocumentKey(base_key, name) for name in document_ids}
        return {name: self.rows[key] for name, key in keys.items() if key in self.rows}

    def record(self, document: DocumentKey, viewers: tuple[str, ...]) -> None:
        self.rows[document] = viewers

    def record_if_missing(self, document: DocumentKey, viewers: tuple[str, ...]) -> None:
        self.rows.setdefault(document, viewers)

    def forget(self, document: DocumentKey) -> None:
        self.rows.pop(document, None)


def withholding(access: OpenAccess | None = None) -> Withholding:
    """What withholds by these access lists and bases; without them nothing."""
    access = access or OpenAccess()
    return Withholding(PermissionGate(access), lambda: access.bases)


def permitted(items: Sequence[T]) -> Permitted[T]:
    """The items as a gate that withholds nothing gives them."""
    return PermissionGate(OpenAccess()).permit(Principal("acme", "ann"), items, lambda item: _SOME)
