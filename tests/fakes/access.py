"""Access lists in memory, and items that a gate has let through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import CicadaError
from cicada.identity.principal import Principal
from cicada.permissions.gate import PermissionGate, Permitted

T = TypeVar("T")
_SOME = DocumentKey(KnowledgeBaseKey("acme", "scripts"), "some")


@dataclass
class OpenAccess:
    """Every document is for everybody, but for those in `readers`; `unknown` ones do not exist. `failure` is raised."""

    readers: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unknown: set[str] = field(default_factory=set)
    failure: CicadaError | None = None
    asked: list[tuple[KnowledgeBaseKey, tuple[str, ...]]] = field(default_factory=list)

    def readers_of(self, base_key: KnowledgeBaseKey, document_ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        self.asked.append((base_key, tuple(document_ids)))
        if self.failure:
            raise self.failure
        return {name: self.readers.get(name, ()) for name in document_ids if name not in self.unknown}


def permitted(items: Sequence[T]) -> Permitted[T]:
    """The items as a gate that withholds nothing gives them."""
    return PermissionGate(OpenAccess()).permit(Principal("acme", "ann"), items, lambda item: _SOME)
