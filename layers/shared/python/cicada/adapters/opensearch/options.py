"""What all who use one index agree on."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from cicada.adapters.opensearch.schema import index_body, index_name
from cicada.adapters.retry import Retry
from cicada.retrieval.bm25 import Bm25


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """An index by its embedder, with the form that a new one gets, and how its server is waited for.

    `vector_engine`: the kNN engine, empty for the server's choice. `given_name`: an index or an alias; empty for the
    name that the embedder gives. `clock` gives seconds of the epoch. `visibility_seconds`: how long a write waits until
    it is seen.
    """

    model_id: str
    dimension: int
    vector_engine: str = "lucene"
    given_name: str = ""
    bm25: Bm25 = field(default_factory=Bm25)
    # A collection that wakes refuses for 10 to 30 s. One that never answers takes 45 s for a request, of the 300 s that
    # a processor has, and is not asked again.
    retry: Retry = field(default_factory=lambda: Retry(attempts=20, within_seconds=45))
    clock: Callable[[], float] = time.time
    visibility_seconds: float = 120.0

    @property
    def name(self) -> str:
        return self.given_name or index_name(self.model_id, self.dimension)

    def body(self) -> dict[str, Any]:
        """Settings and mapping of a new index."""
        return index_body(self.model_id, self.dimension, self.vector_engine, self.bm25)
