"""The agents' ports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from cicada.agents.model import AgentTurn, Profile, ProfileKind, Theory
from cicada.identity.principal import Principal


class Agent(Protocol):
    """Answers a turn, calling tools on the way."""

    def reply(self, turn: AgentTurn) -> Iterator[str]:
        """Pieces of the final response. Closing the iterator stops the agent.

        Raises `ThrottledError` or `UnavailableError` before the first piece, `StreamBrokenError` after it.
        """
        ...


class ProfileStore(Protocol):
    """A user's profiles. Names are matched without regard to case and surrounding space."""

    def list(self, principal: Principal, kind: ProfileKind | None) -> list[Profile]:
        """All of them, or those of one kind; ordered by kind and name."""
        ...

    def get(self, principal: Principal, kind: ProfileKind, name: str) -> Profile | None: ...

    def save(self, principal: Principal, profile: Profile) -> None:
        """Replaces the profile of this kind and name, if there is one."""
        ...

    def delete(self, principal: Principal, kind: ProfileKind, name: str) -> bool:
        """False if there was none."""
        ...


class TheoryStore(Protocol):
    """A user's theories. Titles are matched as names are."""

    def list(self, principal: Principal) -> list[Theory]:
        """All of them, ordered by title."""
        ...

    def get(self, principal: Principal, title: str) -> Theory | None: ...

    def save(self, principal: Principal, theory: Theory) -> None:
        """Replaces the theory of this title, if there is one."""
        ...


class Evidence(Protocol):
    """Passages for and against a theory."""

    def search(self, principal: Principal, knowledge_base: str, query: str) -> str:
        """The best passages as text under their locations, unnumbered; empty only if nothing matches."""
        ...
