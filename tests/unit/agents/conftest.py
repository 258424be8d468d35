"""The theories agent's tools over a store in memory."""

from __future__ import annotations

import pytest

from cicada.agents.theories import TheoryTools
from tests.fakes.clock import Clock
from tests.fakes.entry_store import InMemoryEntryStore
from tests.unit.agents.keeping import NOON, theory_tools


@pytest.fixture
def clock() -> Clock:
    return Clock(NOON)


@pytest.fixture
def store() -> InMemoryEntryStore:
    return InMemoryEntryStore()


@pytest.fixture
def tools(store: InMemoryEntryStore, clock: Clock) -> TheoryTools:
    return theory_tools(store, clock)
