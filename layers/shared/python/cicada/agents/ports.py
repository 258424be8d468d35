"""The agents' ports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from cicada.agents.model import AgentTurn, Change, EarlierState, Entry, Shelf
from cicada.identity.principal import Principal


class Agent(Protocol):
    """Answers a turn, calling tools on the way."""

    def reply(self, turn: AgentTurn) -> Iterator[str]:
        """Pieces of the final response. Closing the iterator stops the agent.

        Raises `ThrottledError` or `UnavailableError` before the first piece, `StreamBrokenError` after it.
        """
        ...


class EntryChangedError(Exception):
    """The change does not start from the state that is stored, or its new name was taken meanwhile: read again."""


class EntryStore(Protocol):
    """The users' profiles and theories with their earlier states."""

    def live(self, shelf: Shelf) -> list[Entry]:
        """The entries as they are, ordered by kind and matching name."""
        ...

    def earlier(self, shelf: Shelf, now: float) -> list[EarlierState]:
        """The states that can be brought back, the latest loss first; those that have expired by `now` are left out."""
        ...

    def write(self, shelf: Shelf, change: Change) -> None:
        """Stores the new state and keeps the old one among the earlier states, all or nothing.

        Raises `EntryChangedError` if `before` is no longer the state, or another entry has the key of `after`.
        """
        ...


class Evidence(Protocol):
    """Passages for and against a theory."""

    def search(self, principal: Principal, knowledge_base: str, query: str) -> str:
        """The best passages as text under their locations, unnumbered; empty only if nothing matches."""
        ...
