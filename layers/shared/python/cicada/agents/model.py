"""Values and ports of agents."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Protocol

from msgspec import Struct, field

from cicada.agents.evidence import Judgement, Standing, TurnEvidence
from cicada.dialogue import Turn
from cicada.generation import ModelUsage
from cicada.identity import Principal
from cicada.text import one_line

# An action group's answer may take 25 KB, including its envelope:
# https://docs.aws.amazon.com/bedrock/latest/userguide/agents-lambda.html
ANSWER_LIMIT_BYTES = 20_000


def matching_key(name: str) -> str:
    """The form by which names are matched: NFKC, case folded, single spaces."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    # Case folding can undo the normal form (Unicode Standard 3.13, D146), so the text is normalised again.
    return one_line(unicodedata.normalize("NFKC", folded))


def storable(text: str) -> str:
    """The text without lone surrogates, which a model can write in JSON but UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode()


def beginning(text: str, limit: int) -> str:
    """The first `limit` characters of the text or fewer, on one line."""
    line = one_line(text)
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def fitted(parts: Sequence[str], separator: str = "\n") -> str:
    """The first parts that fit into a tool's answer, and a line that counts the others."""
    kept = fitting(parts, separator)
    left = len(parts) - len(kept)
    return separator.join([*kept, f"({left} more not shown here.)"] if left else kept)


def fitting(parts: Sequence[str], separator: str = "\n") -> list[str]:
    """The first parts that fit into a tool's answer. If the first part alone is too long, it is cut."""
    kept: list[str] = []
    room = ANSWER_LIMIT_BYTES
    for part in parts:
        room -= len((part + separator).encode())
        if room < 0:
            break
        kept.append(part)
    if parts and not kept:
        kept.append(parts[0].encode()[:ANSWER_LIMIT_BYTES].decode(errors="ignore") + "…")
    return kept


# What a change or a deletion took away can be brought back for this long, up to so many states of each entry.
VERSIONS_KEPT = 10
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
    changed; tools refuse any other change, whatever the model calls. `evidence`: what the tools find that run in this
    process, which becomes the answer's sources.
    """

    agent: AgentKind
    principal: Principal
    session_id: str
    knowledge_base: str
    message: str
    earlier: tuple[Turn, ...] = ()
    writes: frozenset[Write] = frozenset()
    evidence: TurnEvidence = field(default_factory=TurnEvidence)


class ToolSession(Struct, frozen=True):
    """The user that a tool works for, and what the user's message of this turn asks to be changed.

    Read from the session's attributes, never from the model's text. `evidence`: None where Bedrock Agents run the
    tools; their answers have no sources.
    """

    principal: Principal
    knowledge_base: str
    writes: frozenset[Write] = frozenset()
    evidence: TurnEvidence | None = None


class ProfileKind(StrEnum):
    """The kinds of profiles. `topic` is anything that is none of the others."""

    CHARACTER = "character"
    LOCATION = "location"
    EPISODE = "episode"
    GROUP = "group"
    TOPIC = "topic"


THEORY = "theory"


class EntryScope(Struct, frozen=True):
    """Where one user's profiles or theories of one knowledge base are kept."""

    principal: Principal
    knowledge_base: str
    agent: AgentKind


class Entry(Struct, frozen=True):
    """A profile or a theory in one state. On a scope, kind and matching name are unique.

    `id` and `kind` never change; `kind` is a `ProfileKind` or `THEORY`. `version` counts the states from 1.
    `saved_at`: epoch seconds. `brought_back`: the version that this state repeats, 0 if it was written anew.
    `judgement`: of this text, if it is a theory that was judged; a state with another text begins without one.
    """

    id: str
    kind: str
    name: str
    text: str
    version: int
    saved_at: float
    brought_back: int = 0
    judgement: Judgement | None = None

    @property
    def key(self) -> tuple[str, str]:
        """Kind and matching name."""
        return self.kind, matching_key(self.name)


class EntryVersion(Struct, frozen=True):
    """A state that was changed or deleted at `lost_at`, in epoch seconds."""

    entry: Entry
    lost_at: float

    @property
    def expires_at(self) -> float:
        return self.lost_at + EARLIER_KEPT_SECONDS


class Change(Struct, frozen=True):
    """One state of an entry follows another. `at`: epoch seconds.

    `before` is None for a new entry or one that was deleted; `after` is None to delete it.
    """

    before: Entry | None
    after: Entry | None
    at: float


class Agent(Protocol):
    """Answers a turn, calling tools on the way."""

    def reply(self, turn: AgentTurn) -> Iterator[str | ModelUsage]:
        """Pieces of the final response, and last why it ended early, if it did. Closing the iterator stops the agent.

        Raises `ThrottledError` or `UnavailableError` before the first piece, `StreamBrokenError` after it.
        """
        ...


class EntryChangedError(Exception):
    """The change does not start from the state that is stored, or its new name was taken meanwhile: read again."""


class EntryStore(Protocol):
    """The users' profiles and theories with their earlier states."""

    def live(self, scope: EntryScope) -> list[Entry]:
        """The entries as they are, ordered by kind and matching name."""
        ...

    def earlier(self, scope: EntryScope, now: float) -> list[EntryVersion]:
        """The states that can be brought back, the latest loss first; those that have expired by `now` are left out."""
        ...

    def write(self, scope: EntryScope, change: Change) -> None:
        """Stores the new state and keeps the old one among the earlier states, all or nothing.

        Raises `EntryChangedError` if `before` is no longer the state, or another entry has the key of `after`.
        """
        ...

    def keep_judgement(self, scope: EntryScope, entry: Entry) -> None:
        """Stores the judgement of this entry in place; its version stays, and no earlier state is kept.

        Raises `EntryChangedError` if the version is no longer the state.
        """
        ...


class AgentSearch(Protocol):
    """What an agent may read of the documents: passages for and against a theory. Failures are `DependencyError`s."""

    def search(
        self, principal: Principal, knowledge_base: str, query: str, evidence: TurnEvidence | None = None
    ) -> str:
        """The best passages as text under their locations; empty only if nothing matches.

        They have the numbers of `evidence`, where the search is recorded, and none without it.
        """
        ...

    def standing(self, principal: Principal, knowledge_base: str, judgement: Judgement) -> Standing:
        """What has become of the documents of a verdict."""
        ...
