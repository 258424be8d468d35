"""Values of the agents: turns, tool sessions, and the entries that users save."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from cicada.identity.principal import Principal


class AgentKind(StrEnum):
    """The two agents."""

    PROFILES = "profiles"
    THEORIES = "theories"


@dataclass(frozen=True, slots=True)
class AgentTurn:
    """One message to an agent. `principal` and `knowledge_base` reach the tools as session attributes."""

    agent: AgentKind
    principal: Principal
    session_id: str
    knowledge_base: str
    message: str


@dataclass(frozen=True, slots=True)
class ToolSession:
    """The user that a tool works for. Read from the session's attributes, never from the model's text."""

    principal: Principal
    knowledge_base: str


class ProfileKind(StrEnum):
    """The kinds of profiles."""

    CHARACTER = "character"
    LOCATION = "location"
    EPISODE = "episode"
    GROUP = "group"


@dataclass(frozen=True, slots=True)
class Profile:
    """A user's notes on something of the story. `updated_at` is epoch seconds."""

    kind: ProfileKind
    name: str
    description: str
    updated_at: float


@dataclass(frozen=True, slots=True)
class Theory:
    """A user's claim about the story. `updated_at` is epoch seconds."""

    title: str
    statement: str
    updated_at: float
