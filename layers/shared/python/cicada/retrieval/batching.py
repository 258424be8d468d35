"""Batches the texts of concurrent callers into few calls of an embedder.

It implements the port beside it and needs no adapter, so ingest and the evaluations can share it.
"""

from __future__ import annotations

import math
from array import array
from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import groupby
from operator import attrgetter
from threading import Condition

from msgspec import Struct, field

from cicada.deadline import seconds_left
from cicada.errors import CicadaError, DependencyError, UnavailableError
from cicada.retrieval.model import Vector
from cicada.retrieval.ports import Embedder


class _Text(Struct, eq=False):
    """A queued text. `caller` identifies the call that it belongs to."""

    caller: object
    text: str
    found: Future[Vector] = field(default_factory=Future)
    is_launched: bool = False


class BatchingEmbedder:
    """Collects the texts of concurrent callers into batches of at most `size`, waiting at most `wait_seconds`.

    `flights`: concurrent batches; with only one, the embedder would be idle between batches. Each caller gets its own
    vectors, as arrays of 32-bit floats, and its own failure: a refused batch is repeated for each caller separately,
    unless the service itself fails. Queries are not batched. Thread-safe.
    """

    def __init__(self, embedder: Embedder, size: int = 96, wait_seconds: float = 0.05, flights: int = 2) -> None:
        self._embedder = embedder
        self._size = size
        self._wait_seconds = wait_seconds
        self._launched = Condition()
        self._waiting: deque[_Text] = deque()
        # It starts its threads with the first batches.
        self._pool = ThreadPoolExecutor(flights, thread_name_prefix="embedding")

    @property
    def model_id(self) -> str:
        return self._embedder.model_id

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    def embed_query(self, text: str) -> Vector:
        return self._embedder.embed_query(text)

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        caller = object()
        mine = [_Text(caller, text) for text in texts]
        if not mine:
            return []
        with self._launched:
            self._waiting.extend(mine)
            self._launch(at_least=self._size)
            # Texts are sent in order of arrival, so all are sent when the last one is.
            if not self._launched.wait_for(lambda: mine[-1].is_launched, self._wait_seconds):
                self._launch(at_least=1)
        return [_found(each) for each in mine]

    def close(self) -> None:
        """Wait for running batches and stop the threads; nothing can be embedded afterwards."""
        self._pool.shutdown()

    def _launch(self, at_least: int) -> None:
        """Submit batches while at least `at_least` texts wait. The caller holds the lock."""
        waiting = self._waiting
        while len(waiting) >= at_least:
            batch = [waiting.popleft() for _ in range(min(self._size, len(waiting)))]
            self._pool.submit(self._answer_each, batch).add_done_callback(partial(_settle, batch))
            for each in batch:
                each.is_launched = True
            self._launched.notify_all()

    def _answer_each(self, batch: Sequence[_Text]) -> None:
        """An exception raised here fails every caller of the batch."""
        # The texts of one caller are queued, and so sent, one behind the other.
        callers = [list(own) for _, own in groupby(batch, key=attrgetter("caller"))]
        try:
            self._answer(batch)
        except CicadaError as error:
            if isinstance(error, DependencyError) or len(callers) == 1:
                raise
            for own in callers:
                self._answer_alone(own)

    def _answer_alone(self, own: Sequence[_Text]) -> None:
        try:
            self._answer(own)
        except CicadaError as error:
            _fail(own, error)

    def _answer(self, batch: Sequence[_Text]) -> None:
        vectors = self._embedder.embed_passages([each.text for each in batch])
        if len(vectors) != len(batch):
            raise UnavailableError(f"The embedder returned {len(vectors)} vectors for {len(batch)} texts; try again.")
        for each, vector in zip(batch, vectors, strict=True):
            each.found.set_result(array("f", vector))


def _found(text: _Text) -> Vector:
    """Waits for it until the caller's deadline."""
    left = seconds_left()
    try:
        return text.found.result(None if left == math.inf else max(0.0, left))
    except TimeoutError as error:
        raise UnavailableError("The embedding model takes longer than there is time; the next try goes on.") from error


def _settle(batch: Iterable[_Text], done: Future[None]) -> None:
    if error := done.exception():
        _fail(batch, error)


def _fail(batch: Iterable[_Text], error: BaseException) -> None:
    """Fail the texts of the batch that have no result yet."""
    for each in batch:
        if not each.found.done():
            each.found.set_exception(error)
