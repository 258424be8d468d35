"""Values of the agents: turns, tool sessions, and the entries that users save."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from cicada.agents.text import matching_key
from cicada.dialogue import Turn
from cicada.identity.principal import Principal

# What a change or a deletion took away can be brought back for this long, up to so many states of each entry.
EARLIER_STATES_KEPT = 10
EARLIER_KEPT_SECONDS = 30 * 24 * 3600


class AgentKind(StrEnum):
    """The two agents."""

    PROFILES = "profiles"
    THEORIES = "theories"


class Write(StrEnum):
    """What the tools can change; each tool that writes does one of these."""

    SAVE = "save"
    APPEND = "append"
    AMEND = "amend"
    RENAME = "rename"
    DELETE = "delete"
    RESTORE = "restore"


class AgentTurn(Struct, frozen=True):
    """One message to an agent. `principal`, `knowledge_base` and `writes` reach the tools as session attributes.

    `earlier`: turns of the conversation before the message, oldest first. `writes`: what the message itself asks to be
    changed; tools refuse any other change, whatever the model calls.
    """

    agent: AgentKind
    principal: Principal
    session_id: str
    knowledge_base: str
    message: str
    earlier: tuple[Turn, ...] = ()
    writes: frozenset[Write] = frozenset()


class ToolSession(Struct, frozen=True):
    """The user that a tool works for, and what the user's message of this turn asks to be changed.

    Read from the session's attributes, never from the model's text.
    """

    principal: Principal
    knowledge_base: str
    writes: frozenset[Write] = frozenset()


class ProfileKind(StrEnum):
    """The kinds of profiles. `topic` is anything that is none of the others."""

    CHARACTER = "character"
    LOCATION = "location"
    EPISODE = "episode"
    GROUP = "group"
    TOPIC = "topic"


THEORY = "theory"


class Shelf(Struct, frozen=True):
    """Where one user's profiles or theories of one knowledge base are kept."""

    principal: Principal
    knowledge_base: str
    agent: AgentKind


class Entry(Struct, frozen=True):
    """A profile or a theory in one state. On a shelf, kind and matching name are unique.

    `id` and `kind` never change; `kind` is a `ProfileKind` or `THEORY`. `version` counts the states from 1.
    `saved_at`: epoch seconds. `brought_back`: the version that this state repeats, 0 if it was written anew.
    """

    id: str
    kind: str
    name: str
    text: str
    version: int
    saved_at: float
    brought_back: int = 0

    @property
    def key(self) -> tuple[str, str]:
        """Kind and matching name."""
        return self.kind, matching_key(self.name)


class EarlierState(Struct, frozen=True):
    """A state that was changed or deleted at `lost_at`, in epoch seconds."""

    entry: Entry
    lost_at: float

    @property
    def expires_at(self) -> float:
        return self.lost_at + EARLIER_KEPT_SECONDS


class Change(Struct, frozen=True):
    """One state of an entry follows another. `before` is None for a new entry or one that was deleted; `after` is None
    to delete it. `at`: epoch seconds.
    """

    before: Entry | None
    after: Entry | None
    at: float
