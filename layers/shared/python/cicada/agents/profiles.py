"""The tools of the profiles agent. Each returns sentences for the model."""

from __future__ import annotations

from msgspec import Struct

from cicada.agents.arguments import answering_refusals, read_kind, when_asked
from cicada.agents.description import describe
from cicada.agents.entries import Entries, Keeping
from cicada.agents.model import AgentKind, Shelf, ToolSession, Write
from cicada.agents.restoring import Restoring
from cicada.agents.toolbox import Toolbox


class ProfileTools(Struct, frozen=True):
    """Failures of the store are `DependencyError`s, never an empty answer. `kind` may be left out, except to save."""

    keeping: Keeping

    @answering_refusals
    def list_profiles(self, session: ToolSession, kind: str = "") -> str:
        """Kind, name, date and beginning of every profile."""
        return self._entries(session).listed(_any_kind(kind))

    @answering_refusals
    def get_profile(self, session: ToolSession, kind: str = "", name: str = "") -> str:
        """The whole profile."""
        return self._entries(session).read(_any_kind(kind), name)

    @answering_refusals
    @when_asked(Write.SAVE)
    def save_profile(self, session: ToolSession, kind: str = "", name: str = "", description: str = "") -> str:
        """A new profile."""
        return self._entries(session).save(read_kind(kind), name, description)

    @answering_refusals
    @when_asked(Write.APPEND)
    def append_to_profile(self, session: ToolSession, kind: str = "", name: str = "", addition: str = "") -> str:
        """Adds to the description."""
        return self._entries(session).append(_any_kind(kind), name, addition)

    @answering_refusals
    @when_asked(Write.AMEND)
    def amend_profile(self, session: ToolSession, kind: str = "", name: str = "", description: str = "") -> str:
        """Replaces the description."""
        return self._entries(session).amend(_any_kind(kind), name, description)

    @answering_refusals
    @when_asked(Write.RENAME)
    def rename_profile(self, session: ToolSession, kind: str = "", name: str = "", new_name: str = "") -> str:
        """Gives it another name."""
        return self._entries(session).rename(_any_kind(kind), name, new_name)

    @answering_refusals
    @when_asked(Write.DELETE)
    def delete_profile(self, session: ToolSession, kind: str = "", name: str = "") -> str:
        """Deletes it; `restore_profile` brings it back."""
        return self._entries(session).delete(_any_kind(kind), name)

    @answering_refusals
    @when_asked(Write.RESTORE)
    def restore_profile(self, session: ToolSession, kind: str = "", name: str = "", version: str = "") -> str:
        """Brings a deleted profile or an earlier version back."""
        return Restoring(self._entries(session)).restore(_any_kind(kind), name, version)

    def _entries(self, session: ToolSession) -> Entries:
        return Entries(self.keeping, Shelf(session.principal, session.knowledge_base, AgentKind.PROFILES))


def _any_kind(text: str) -> str:
    return read_kind(text) if text.strip() else ""


def profile_toolbox(tools: ProfileTools) -> Toolbox:
    """The tools by their names in the description."""
    verbs = (
        tools.list_profiles,
        tools.get_profile,
        tools.save_profile,
        tools.append_to_profile,
        tools.amend_profile,
        tools.rename_profile,
        tools.delete_profile,
        tools.restore_profile,
    )
    return Toolbox(describe(AgentKind.PROFILES), {verb.__name__: verb for verb in verbs})
