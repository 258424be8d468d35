"""Options shared by all users of one index."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from msgspec import Struct, field

from cicada.adapters.opensearch.schema import index_body, index_name
from cicada.adapters.retry import Retry
from cicada.retrieval.bm25 import Bm25


class IndexOptions(Struct, frozen=True):
    """The embedder of an index, the form of a new one, and the waits for its server.

    `vector_engine`: the kNN engine, empty for the server's choice. `given_name`: an index or an alias; empty to derive
    the name from the embedder. `clock` gives epoch seconds. `visibility_seconds`: how long a write waits to become
    visible.
    """

    model_id: str
    dimension: int
    vector_engine: str = "lucene"
    given_name: str = ""
    bm25: Bm25 = field(default_factory=Bm25)
    # A collection that wakes up refuses requests for 10 to 30 s. A request without a response takes 45 s of a
    # processor's 300 s and is not retried.
    retry: Retry = field(default_factory=lambda: Retry(attempts=20, within_seconds=45))
    clock: Callable[[], float] = time.time
    visibility_seconds: float = 120.0

    @property
    def name(self) -> str:
        return self.given_name or index_name(self.model_id, self.dimension)

    def body(self) -> dict[str, Any]:
        """Settings and mapping of a new index."""
        return index_body(self.model_id, self.dimension, self.vector_engine, self.bm25)
