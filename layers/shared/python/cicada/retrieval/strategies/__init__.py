"""The search strategies by name. A new one is a file here and a line in `STRATEGIES`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from cicada.knowledge_bases.settings import KnowledgeBase
from cicada.retrieval.ports import SearchBackend, Strategy
from cicada.retrieval.strategies.hybrid import filtered, hybrid

DEFAULT = "hybrid"
FILTERED = "filtered"
STRATEGIES: Mapping[str, Callable[[SearchBackend, KnowledgeBase], Strategy]] = {
    DEFAULT: hybrid,
    FILTERED: filtered,
}


def strategies(backend: SearchBackend) -> dict[str, Callable[[KnowledgeBase], Strategy]]:
    """A factory for each strategy. All share the backend and its state, such as circuit breakers."""
    return {name: partial(strategy, backend) for name, strategy in STRATEGIES.items()}
