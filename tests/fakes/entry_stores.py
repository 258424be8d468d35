"""The users' entries in memory."""

from __future__ import annotations

from cicada.agents.model import Profile, ProfileKind, Theory
from cicada.agents.text import matching_key
from cicada.identity.principal import Principal


class InMemoryProfileStore:
    def __init__(self) -> None:
        self._profiles: dict[tuple[Principal, ProfileKind, str], Profile] = {}

    def list(self, principal: Principal, kind: ProfileKind | None) -> list[Profile]:
        keys = (key for key in self._profiles if key[0] == principal and kind in (None, key[1]))
        return [self._profiles[key] for key in sorted(keys, key=lambda key: key[1:])]

    def get(self, principal: Principal, kind: ProfileKind, name: str) -> Profile | None:
        return self._profiles.get((principal, kind, matching_key(name)))

    def save(self, principal: Principal, profile: Profile) -> None:
        self._profiles[principal, profile.kind, matching_key(profile.name)] = profile

    def delete(self, principal: Principal, kind: ProfileKind, name: str) -> bool:
        return self._profiles.pop((principal, kind, matching_key(name)), None) is not None


class InMemoryTheoryStore:
    def __init__(self) -> None:
        self._theories: dict[tuple[Principal, str], Theory] = {}

    def list(self, principal: Principal) -> list[Theory]:
        return [self._theories[key] for key in sorted(self._theories, key=lambda key: key[1]) if key[0] == principal]

    def get(self, principal: Principal, title: str) -> Theory | None:
        return self._theories.get((principal, matching_key(title)))

    def save(self, principal: Principal, theory: Theory) -> None:
        self._theories[principal, matching_key(theory.title)] = theory
