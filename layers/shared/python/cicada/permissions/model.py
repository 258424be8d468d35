"""Who is asking."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Principal:
    """A signed-in user. Comes from a verified token or from the connection's row, never from a frame or a model."""

    tenant: str
    user: str

    @property
    def owner(self) -> str:
        """Key prefix under which everything of this user is stored."""
        return f"{self.tenant}#{self.user}"
