"""Who may read which documents: viewers, their names in an index, and the gate that lets nothing else through."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from cicada.documents.model import Condition, DocumentKey, KnowledgeBaseKey, PassageFilter
from cicada.errors import ConfigurationError, UnknownKnowledgeBaseError
from cicada.identity import Principal
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.text import did_you_mean


class AccessLists(Protocol):
    """Who may view which document, as it is at the moment of the question."""

    def readers_of(self, base_key: KnowledgeBaseKey, document_ids: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
        """The viewer names of each document, none for everybody; unknown documents are left out.

        Failures are `DependencyError`s.
        """
        ...


# Names that a viewer can have: those that Cognito takes for users and groups.
#
# botocore: cognito-idp GroupNameType and UsernameType. A name of another form is no user's and no group's, ever.

MAX_NAME = 128
NAME_RULE = f"at most {MAX_NAME} letters, digits, symbols and punctuation marks, and no spaces"


def can_be_named(name: str) -> bool:
    """Whether a user or a group can have this name, which is without its prefix `user:` or `group:`."""
    return 0 < len(name) <= MAX_NAME and all(unicodedata.category(each)[0] in "LMNPS" for each in name)


def readable_passages(
    principal: Principal,
    knowledge_base: str,
    conditions: tuple[Condition, ...] = (),
    documents: frozenset[str] | None = None,
) -> PassageFilter:
    """The passages of a knowledge base of the user's tenant that the user may read and that meet all conditions.

    A passage that names viewers must name this user or one of the user's groups. `documents`: ids, None for all.
    """
    base_key = KnowledgeBaseKey(principal.tenant, knowledge_base)
    return PassageFilter(base_key, documents, conditions, viewer_names(principal))


def every_document(base_key: KnowledgeBaseKey, conditions: tuple[Condition, ...] = ()) -> PassageFilter:
    """The documents of a knowledge base, whoever may read them.

    For operators, who have the bucket too, and whose calibrations are numbers alone; for the cards of documents, which
    show a user nothing of another one; and for the number of documents in an index, which nobody is told.
    """
    return PassageFilter(base_key, conditions=conditions, reader=None)


def common_to_viewers(base_key: KnowledgeBaseKey, viewers: tuple[str, ...]) -> PassageFilter:
    """What everybody may read who may read a document with these viewers: what is made of it shows nothing else.

    Of several viewers no other document is known that all of them may read, but those for everybody.
    """
    return PassageFilter(base_key, reader=frozenset(viewers if len(viewers) == 1 else ()))


def viewer_names(principal: Principal) -> frozenset[str]:
    """The names by which passages name this user as a viewer."""
    return frozenset({f"user:{principal.user}", *(f"group:{name}" for name in principal.groups)})


def may_ask(base: KnowledgeBase, principal: Principal) -> bool:
    """Whether the base is open to everybody of the tenant or to one of the user's groups."""
    return not base.groups or not principal.groups.isdisjoint(base.groups)


def base_of(bases: KnowledgeBases, principal: Principal, name: str) -> KnowledgeBase:
    """The settings of a base of the user's tenant, with the fields of the documents that the user may read."""
    return bases.of(KnowledgeBaseKey(principal.tenant, name), viewer_names(principal))


def permitted_bases(bases: KnowledgeBases, principal: Principal) -> dict[str, KnowledgeBase]:
    """The bases that the library names and that the user may ask."""
    found = {name: base_of(bases, principal, name) for name in bases.named}
    return {name: base for name, base in found.items() if may_ask(base, principal)}


def check_base(bases: KnowledgeBases, principal: Principal, name: str, has_documents: Callable[[], bool]) -> None:
    """Raises `UnknownKnowledgeBaseError`, which names a base of a similar name, unless the user may ask this one.

    `has_documents`: whether the base has any that the user may read. It is asked only for a base that the settings do
    not name, where they leave names open.
    """
    base = base_of(bases, principal, name)
    is_named = base.kept or name in bases.named
    if may_ask(base, principal) and (is_named or (bases.open_names and has_documents())):
        return
    meant = did_you_mean(name, sorted(permitted_bases(bases, principal)))
    raise UnknownKnowledgeBaseError(f"There is no knowledge base “{name}”{meant}")


# The permission gate: what may be shown to a user, checked once more after the search and before anything is shown.
#
# The search itself returns only what the filter's viewers let through. The gate asks again at the last moment, because
# an access list may have changed since the passages were written, and because an engine's filter must not be the only
# thing between a document and a stranger. A document of which nothing is known is withheld.

T = TypeVar("T")
_GATE = object()


class Permitted(Struct, Generic[T], frozen=True):
    """Items that this user may view; only the gate makes them. `withheld`: documents that were left out."""

    items: tuple[T, ...]
    withheld: int
    made_by: object

    def __post_init__(self) -> None:
        if self.made_by is not _GATE:
            raise ConfigurationError("Only the permission gate says what is permitted.")

    def only(self, chosen: Sequence[T]) -> Permitted[T]:
        """Keep the chosen ones of the items, in the order in which they are chosen."""
        return replace(self, items=tuple(each for each in chosen if any(each is item for item in self.items)))

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


class PermissionGate(Struct, frozen=True):
    """Withholds what the user may not view. If the access lists cannot be read, nothing is shown."""

    access: AccessLists

    def permit(self, principal: Principal, items: Sequence[T], document_of: Callable[[T], DocumentKey]) -> Permitted[T]:
        """The items whose documents the user may view, in their order. Raises `DependencyError`."""
        documents = {document_of(item) for item in items}
        allowed = self._viewable(principal, documents)
        kept = tuple(item for item in items if document_of(item) in allowed)
        return Permitted(kept, len(documents) - len(allowed), _GATE)

    def _viewable(self, principal: Principal, documents: set[DocumentKey]) -> set[DocumentKey]:
        names = viewer_names(principal)
        viewable: set[DocumentKey] = set()
        # Other tenants' documents are not even asked for.
        for base_key in {each.base_key for each in documents if each.base_key.tenant == principal.tenant}:
            ids = sorted(each.document_id for each in documents if each.base_key == base_key)
            viewers = self.access.readers_of(base_key, ids)
            viewable |= {
                DocumentKey(base_key, name)
                for name in ids
                if name in viewers and (not viewers[name] or names.intersection(viewers[name]))
            }
        return viewable
