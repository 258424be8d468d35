"""The agents' tools over a store in memory, with a clock that the test moves."""

from __future__ import annotations

from itertools import count

from cicada.agents.entries import Keeping
from cicada.agents.model import AgentKind, AgentSearch, EntryScope, EntryStore, ToolSession, Write
from cicada.agents.theories import ProfileTools, TheoryTools
from cicada.identity import Principal
from tests.fakes.agent_search import FixedAgentSearch
from tests.fakes.clock import Clock
from tests.fakes.entry_store import InMemoryEntryStore

ALL_WRITES = frozenset(Write)
ANN = ToolSession(Principal("acme", "ann"), "scripts", ALL_WRITES)
BOB = ToolSession(Principal("acme", "bob"), "scripts", ALL_WRITES)
SHELF = EntryScope(ANN.principal, ANN.knowledge_base, AgentKind.THEORIES)
DAY_SECONDS = 24 * 3600.0
# 2026-11-01, noon, in UTC.
NOON = 1_793_534_400.0


def keeping(store: EntryStore | None = None, clock: Clock | None = None) -> Keeping:
    ids = count(1)
    return Keeping(store or InMemoryEntryStore(), clock or Clock(NOON), lambda: f"id-{next(ids)}")


def kept(store: InMemoryEntryStore) -> dict[str, str]:
    """The texts of Ann's theories by their names."""
    return {each.name: each.text for each in store.live(SHELF)}


def profile_tools(store: EntryStore | None = None, clock: Clock | None = None) -> ProfileTools:
    return ProfileTools(keeping(store, clock))


def theory_tools(
    store: EntryStore | None = None, clock: Clock | None = None, agent_search: AgentSearch | None = None
) -> TheoryTools:
    return TheoryTools(keeping(store, clock), agent_search or FixedAgentSearch("Passage: …"))
