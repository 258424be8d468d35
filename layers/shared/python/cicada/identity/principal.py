"""The user behind a request."""

from __future__ import annotations

import json
from collections.abc import Iterable

from msgspec import Struct


class Principal(Struct, frozen=True, eq=False):
    """A signed-in user, read from a verified token or the connection's row, never from a frame or a model.

    `groups`: the user's groups when the token was issued. They grant reading rights and are not part of the identity:
    principals that differ only in groups are equal. `login`: the name that the user signs in with, empty if unknown; it
    tells whose "my documents" are, and grants nothing.
    """

    tenant: str
    user: str
    groups: frozenset[str] = frozenset()
    login: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Principal) and (self.tenant, self.user) == (other.tenant, other.user)

    def __ne__(self, other: object) -> bool:
        """Python would ask `__eq__`, but the base class compares every value or none."""
        return not self == other

    def __hash__(self) -> int:
        return hash((self.tenant, self.user))

    @property
    def owner(self) -> str:
        """Key prefix under which everything of this user is stored."""
        return f"{self.tenant}#{self.user}"


def groups_text(groups: Iterable[str]) -> str:
    """The groups as one string."""
    return json.dumps(sorted(groups))


def groups_of(text: str) -> frozenset[str]:
    """The groups in `groups_text`. Raises `ValueError` for any other text."""
    names = json.loads(text)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("The groups are no list of names.")
    return frozenset(names)
