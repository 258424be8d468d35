"""Which knowledge bases a user may ask. One that a user may not ask looks like one that does not exist."""

from __future__ import annotations

from collections.abc import Callable

from cicada.errors import UnknownKnowledgeBaseError
from cicada.identity.principal import Principal
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.text import did_you_mean


def may_ask(base: KnowledgeBase, principal: Principal) -> bool:
    """Whether the base is open to everybody of the tenant or to one of the user's groups."""
    return not base.groups or not principal.groups.isdisjoint(base.groups)


def permitted_bases(bases: KnowledgeBases, principal: Principal) -> dict[str, KnowledgeBase]:
    """The named bases that the user may ask."""
    return {name: base for name, base in bases.named.items() if may_ask(base, principal)}


def check_base(bases: KnowledgeBases, principal: Principal, name: str, has_documents: Callable[[], bool]) -> None:
    """Raises `UnknownKnowledgeBaseError`, which names a base of a similar name, unless the user may ask this one.

    `has_documents`: whether the base has any that the user may read. It is asked only for a base that the settings do
    not name, where they leave names open.
    """
    if may_ask(bases.of(name), principal) and (name in bases.named or (bases.open_names and has_documents())):
        return
    meant = did_you_mean(name, sorted(permitted_bases(bases, principal)))
    raise UnknownKnowledgeBaseError(f"There is no knowledge base “{name}”{meant}")
