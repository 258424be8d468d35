"""The micro-batcher: each caller gets its own vectors, and how texts are batched into calls."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cicada.deadline import Deadline, ending_by
from cicada.errors import ConfigurationError, ThrottledError, UnavailableError
from cicada.retrieval.batching import BatchingEmbedder
from cicada.retrieval.model import Vector
from tests.patience import PATIENCE_SECONDS


class ScriptedEmbedder:
    """A text's vector is its length. A call that holds a text of `refused` fails with its error."""

    model_id = "length"
    dimension = 1

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.refused: dict[str, BaseException] = {}
        self.before: Callable[[], object] = lambda: None
        self._lock = threading.Lock()

    def embed_query(self, text: str) -> Vector:
        return [float(len(text))]

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        with self._lock:
            self.batches.append(list(texts))
        self.before()
        for text in texts:
            if text in self.refused:
                raise self.refused[text]
        return [self.embed_query(text) for text in texts]


@contextmanager
def batching(
    embedder: ScriptedEmbedder, size: int = 64, wait_seconds: float = 0.0, flights: int = 2
) -> Iterator[BatchingEmbedder]:
    made = BatchingEmbedder(embedder, size, wait_seconds, flights)
    yield made
    made.close()


@contextmanager
def held(embedder: ScriptedEmbedder) -> Iterator[None]:
    """The embedder answers when the block ends."""
    go = threading.Event()
    embedder.before = lambda: go.wait(PATIENCE_SECONDS)
    try:
        yield
    finally:
        go.set()


def until(holds: Callable[[], bool]) -> None:
    turn = threading.Event()
    while not holds():
        turn.wait(0.001)


def test_callers_at_the_same_time_share_a_call_and_get_their_own_vectors() -> None:
    embedder = ScriptedEmbedder()
    with batching(embedder, size=6, wait_seconds=PATIENCE_SECONDS) as made, ThreadPoolExecutor(3) as callers:
        # Nobody's patience ends here: it is the sixth text that sends them all off.
        answers = [callers.submit(made.embed_passages, ["x" * length] * 2) for length in (1, 2, 3)]
        found = [answer.result(PATIENCE_SECONDS) for answer in answers]
    assert [len(batch) for batch in embedder.batches] == [6]
    assert found == [[array("f", [length])] * 2 for length in (1, 2, 3)]


def test_several_batches_are_under_way_at_once() -> None:
    embedder = ScriptedEmbedder()
    meeting = threading.Barrier(2, timeout=PATIENCE_SECONDS)
    embedder.before = meeting.wait
    with batching(embedder, size=1, flights=2) as made:
        assert made.embed_passages(["a", "bb"]) == [array("f", [1]), array("f", [2])]


def test_a_failing_service_fails_for_everybody_and_is_not_asked_again() -> None:
    embedder = ScriptedEmbedder()
    embedder.refused["bad"] = ThrottledError("…")
    with batching(embedder, size=2, wait_seconds=PATIENCE_SECONDS) as made, ThreadPoolExecutor(2) as callers:
        answers = [callers.submit(made.embed_passages, [text]) for text in ("good", "bad")]
        for answer in answers:
            with pytest.raises(ThrottledError):
                answer.result(PATIENCE_SECONDS)
    assert len(embedder.batches) == 1


def test_a_refused_text_is_its_own_callers_failure_alone() -> None:
    embedder, failure = ScriptedEmbedder(), ConfigurationError("refused")
    embedder.refused["bad"] = failure
    with batching(embedder, size=4, wait_seconds=PATIENCE_SECONDS) as made, ThreadPoolExecutor(3) as callers:
        good, bad, other = (callers.submit(made.embed_passages, texts) for texts in (["a"], ["bb", "bad"], ["ccc"]))
        assert good.result(PATIENCE_SECONDS) == [array("f", [1])]
        assert other.result(PATIENCE_SECONDS) == [array("f", [3])]
        assert bad.exception(PATIENCE_SECONDS) is failure
    assert sorted(len(batch) for batch in embedder.batches) == [1, 1, 2, 4]


def test_a_mistake_of_the_embedder_reaches_the_caller_and_stops_nothing_else() -> None:
    embedder = ScriptedEmbedder()
    embedder.refused["bug"] = ZeroDivisionError()
    with batching(embedder) as made:
        with pytest.raises(ZeroDivisionError):
            made.embed_passages(["bug"])
        assert made.embed_passages(["fine"]) == [array("f", [4])]


def test_a_mistake_after_others_were_answered_leaves_nobody_waiting() -> None:
    embedder = ScriptedEmbedder()
    embedder.refused |= {"bad": ConfigurationError("refused"), "bug": ZeroDivisionError()}
    with batching(embedder, size=3, wait_seconds=PATIENCE_SECONDS) as made, ThreadPoolExecutor(3) as callers:
        sent = []
        for number, text in enumerate(("good", "bad", "bug"), start=1):
            sent.append(callers.submit(made.embed_passages, [text]))
            until(lambda: len(made._waiting) == number % 3)  # noqa: B023
        good, bad, bug = sent
        assert good.result(PATIENCE_SECONDS) == [array("f", [4])]
        assert isinstance(bad.exception(PATIENCE_SECONDS), ConfigurationError)
        assert isinstance(bug.exception(5), ZeroDivisionError)


def test_too_few_vectors_are_a_failure_and_not_other_texts_vectors() -> None:
    class Forgetful(ScriptedEmbedder):
        def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
            return super().embed_passages(texts)[:-1]

    with batching(Forgetful()) as made, pytest.raises(UnavailableError, match="1 vectors for 2 texts"):
        made.embed_passages(["a", "b"])


def test_queries_do_not_wait_for_company() -> None:
    with batching(ScriptedEmbedder(), wait_seconds=PATIENCE_SECONDS) as made:
        assert made.embed_query("abc") == [3.0]
        assert (made.model_id, made.dimension) == ("length", 1)


def test_closing_waits_for_what_is_under_way() -> None:
    before = set(threading.enumerate())
    embedder = ScriptedEmbedder()
    made = BatchingEmbedder(embedder, wait_seconds=0.0)
    with ThreadPoolExecutor(2) as callers:
        with held(embedder):
            answer = callers.submit(made.embed_passages, ["abc"])
            until(lambda: bool(embedder.batches))
            closing = callers.submit(made.close)
        assert answer.result(PATIENCE_SECONDS) == [array("f", [3])]
        closing.result(PATIENCE_SECONDS)
    assert set(threading.enumerate()) <= before


def test_no_thread_is_started_before_something_is_embedded() -> None:
    before = threading.active_count()
    made = BatchingEmbedder(ScriptedEmbedder())
    assert threading.active_count() == before
    made.close()


@settings(max_examples=40)
@given(
    st.lists(st.lists(st.text(max_size=5), max_size=9), max_size=6), st.integers(1, 5), st.integers(1, 3), st.booleans()
)
def test_everybody_gets_the_vectors_of_their_own_texts(
    lists: list[list[str]], size: int, flights: int, hastily: bool
) -> None:
    embedder = ScriptedEmbedder()
    with (
        batching(embedder, size, 0.0 if hastily else 0.002, flights) as made,
        ThreadPoolExecutor(max(1, len(lists))) as callers,
    ):
        found = list(callers.map(made.embed_passages, lists))
    assert found == [[array("f", [len(text)]) for text in texts] for texts in lists]
    assert all(len(batch) <= size for batch in embedder.batches)
    assert sorted(text for batch in embedder.batches for text in batch) == sorted(t for texts in lists for t in texts)


def test_a_caller_waits_until_its_deadline_and_no_longer() -> None:
    embedder = ScriptedEmbedder()
    with batching(embedder) as made:
        with held(embedder), ending_by(Deadline(0.0, lambda: 0.0)), pytest.raises(UnavailableError, match="next try"):
            made.embed_passages(["a"])
        assert made.embed_passages(["ab"]) == [array("f", [2])]
