"""The tools of the profiles agent. Each returns sentences for the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cicada.agents.arguments import answering_refusals, read_kind, read_name, read_text
from cicada.agents.description import describe
from cicada.agents.model import AgentKind, Profile, ProfileKind, ToolSession
from cicada.agents.ports import ProfileStore
from cicada.agents.text import beginning, fitted
from cicada.agents.toolbox import Toolbox
from cicada.identity.principal import Principal

_PREVIEW_CHARACTERS = 120


@dataclass(frozen=True, slots=True)
class ProfileTools:
    """Failures of the store are `DependencyError`s, never an empty answer."""

    store: ProfileStore
    clock: Callable[[], float]

    @answering_refusals
    def list_profiles(self, session: ToolSession, kind: str = "") -> str:
        """Kind, name and beginning of every profile."""
        wanted = read_kind(kind) if kind.strip() else None
        profiles = self.store.list(session.principal, wanted)
        if not profiles:
            return f"The user has no {wanted} profiles." if wanted else "The user has no profiles."
        lines = [f"- {each.kind} {each.name}: {beginning(each.description, _PREVIEW_CHARACTERS)}" for each in profiles]
        what = f"{wanted} profile" if wanted else "profile"
        return fitted([f"The user has {len(profiles)} {what}{'s' if len(profiles) > 1 else ''}:", *lines])

    @answering_refusals
    def get_profile(self, session: ToolSession, kind: str = "", name: str = "") -> str:
        """The whole profile."""
        wanted, called = read_kind(kind), read_name(name, "name")
        profile = self.store.get(session.principal, wanted, called)
        if profile is None:
            return self._missing(session.principal, wanted, called)
        return f"The {profile.kind} profile “{profile.name}”:\n{profile.description}"

    @answering_refusals
    def save_profile(self, session: ToolSession, kind: str = "", name: str = "", description: str = "") -> str:
        """Says what was replaced, so that a description lost by mistake can be put back."""
        profile = Profile(read_kind(kind), read_name(name, "name"), read_text(description, "description"), self.clock())
        earlier = self.store.get(session.principal, profile.kind, profile.name)
        self.store.save(session.principal, profile)
        saved = f"Saved the {profile.kind} profile “{profile.name}”."
        if earlier is None or earlier.description == profile.description:
            return saved
        return f"{saved} It replaced this earlier description:\n{earlier.description}"

    @answering_refusals
    def delete_profile(self, session: ToolSession, kind: str = "", name: str = "") -> str:
        """Deletes it for good."""
        wanted, called = read_kind(kind), read_name(name, "name")
        if self.store.delete(session.principal, wanted, called):
            return f"Deleted the {wanted} profile “{called}”."
        return self._missing(session.principal, wanted, called)

    def _missing(self, principal: Principal, kind: ProfileKind, name: str) -> str:
        profiles = self.store.list(principal, None)
        return fitted([f"There is no {kind} profile “{name}”.", *_existing(profiles)])


def _existing(profiles: Sequence[Profile]) -> list[str]:
    if not profiles:
        return ["The user has no profiles at all."]
    return ["The user's profiles are:", *(f"- {each.kind} {each.name}" for each in profiles)]


def profile_toolbox(tools: ProfileTools) -> Toolbox:
    """The tools by their names in the description."""
    verbs = (tools.list_profiles, tools.get_profile, tools.save_profile, tools.delete_profile)
    return Toolbox(describe(AgentKind.PROFILES), {verb.__name__: verb for verb in verbs})
