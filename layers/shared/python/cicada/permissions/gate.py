"""The permission gate: what may be shown to a user, checked once more after the search and before anything is shown.

The search itself returns only what the filter's readers let through. The gate asks again at the last moment, because an
access list may have changed since the passages were written, and because an engine's filter must not be the only thing
between a document and a stranger. A document of which nothing is known is withheld.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from cicada.documents.model import DocumentKey
from cicada.errors import ConfigurationError
from cicada.identity.principal import Principal
from cicada.permissions.ports import AccessLists
from cicada.permissions.readers import reader_names

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
        """Those of the items that are among the chosen ones."""
        return replace(self, items=tuple(item for item in self.items if any(item is each for each in chosen)))

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
        names = reader_names(principal)
        viewable: set[DocumentKey] = set()
        # Other tenants' documents are not even asked for.
        for base_key in {each.base_key for each in documents if each.base_key.tenant == principal.tenant}:
            ids = sorted(each.document_id for each in documents if each.base_key == base_key)
            readers = self.access.readers_of(base_key, ids)
            viewable |= {
                DocumentKey(base_key, name)
                for name in ids
                if name in readers and (not readers[name] or names.intersection(readers[name]))
            }
        return viewable
