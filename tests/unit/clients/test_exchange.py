"""When a request is asked again, resumed or given up: with a clock that the test turns."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada_client.errors import RefusedError
from cicada_client.exchange import Exchange
from cicada_client.timing import Timing

RID = "11111111-2222-3333-4444-555555555555"
QUESTION = {"action": "sendMessage", "requestId": RID, "message": "q"}
CANCEL = {"action": "cancel", "requestId": RID}
TIMING = Timing()


def resume(after: int) -> dict[str, Any]:
    return {"action": "resume", "requestId": RID, "afterSeq": after}


def event(seq: int, kind: str = "chunk", **fields: object) -> dict[str, Any]:
    return {"requestId": RID, "seq": seq, "type": kind, "content": f"<{seq}>", "sessionId": "s"} | fields


def refused(code: str, *, retryable: bool, **more: object) -> dict[str, Any]:
    return {"requestId": RID, "type": "error", "error": "No.", "code": code, "retryable": retryable} | more


def pending(wait: object) -> dict[str, Any]:
    return {"requestId": RID, "type": "pending", "retryAfterSeconds": wait}


def asked(*events: dict[str, Any]) -> Exchange:
    """An exchange that was opened and got these events, all at 0 s."""
    exchange = Exchange(RID, QUESTION, TIMING, 0.0)
    assert exchange.opening(0.0) == [QUESTION]
    for frame in events:
        exchange.receive(frame, 0.0)
    return exchange


def test_an_unaccepted_question_is_sent_again_later_and_later() -> None:
    exchange = asked()
    for sent_at in (5.0, 15.0, 35.0, 75.0, 115.0):
        assert exchange.due(sent_at - 0.1) == []
        assert exchange.due(sent_at) == [QUESTION]


def test_a_new_connection_gets_the_question_until_anything_came_back() -> None:
    assert asked().opening(1.0) == [QUESTION]
    assert asked(event(1, "accepted")).opening(1.0) == [resume(1)]
    assert asked(event(3)).opening(1.0) == [resume(0)]


def test_a_silent_request_is_resumed() -> None:
    exchange = asked(event(1, "accepted"))
    assert exchange.due(9.9) == []
    assert exchange.due(10.0) == [resume(1)]
    assert exchange.due(19.9) == []
    assert exchange.due(20.0) == [resume(1)]


def test_the_server_says_when_to_resume_again() -> None:
    exchange = asked(event(1, "accepted"))
    assert exchange.due(10.0) == [resume(1)]
    assert exchange.receive(pending(12.5), 10.1) == []
    assert exchange.due(22.5) == []
    assert exchange.due(22.7) == [resume(1)]
    exchange.receive(pending(0.0), 23.0)
    assert exchange.due(23.9) == []
    assert exchange.due(24.0) == [resume(1)]


def test_news_count_more_than_what_the_server_said_before() -> None:
    exchange = asked(event(1, "accepted"))
    exchange.receive(pending(3.0), 0.0)
    exchange.receive(event(2), 1.0)
    assert exchange.due(10.9) == []
    assert exchange.due(11.0) == [resume(2)]


@pytest.mark.parametrize("wait", [None, "soon", -1, float("inf"), float("nan")])
def test_a_reply_without_a_time_changes_nothing(wait: object) -> None:
    exchange = asked(event(1, "accepted"))
    exchange.receive(pending(wait), 1.0)
    assert exchange.due(9.9) == []
    assert exchange.due(10.0) == [resume(1)]


def test_what_is_missing_is_not_waited_for_as_long_as_the_server_says() -> None:
    unanswered = asked()
    unanswered.receive(pending(15.0), 0.0)
    assert unanswered.due(5.0) == [QUESTION]
    gap = asked(event(1, "accepted"), event(3))
    gap.receive(pending(15.0), 0.0)
    assert gap.due(1.0) == [resume(1)]


def test_duplicates_are_no_sign_of_life() -> None:
    exchange = asked(event(1, "accepted"))
    exchange.receive(event(1, "accepted"), 19.0)
    assert exchange.due(20.0) == [resume(1)]


def test_a_gap_is_asked_for_soon_and_ever_more_rarely() -> None:
    exchange = asked(event(1, "accepted"), event(3))
    assert exchange.due(0.9) == []
    assert exchange.due(1.0) == [resume(1)]
    assert exchange.due(2.9) == []
    assert exchange.due(3.0) == [resume(1)]
    assert exchange.due(7.0) == [resume(1)]


def test_later_events_do_not_hide_a_gap() -> None:
    exchange = asked(event(1, "accepted"))
    for tenth in range(10):
        exchange.receive(event(3 + tenth), tenth / 10)
    assert exchange.due(1.0) == [resume(1)]


def test_a_gap_that_closes_by_itself_is_not_asked_for() -> None:
    exchange = asked(event(1, "accepted"), event(3))
    assert len(exchange.receive(event(2), 0.5)) == 2
    assert exchange.due(10.4) == []


def test_the_wait_ends_when_something_is_due() -> None:
    assert asked().wait(1.0) == 4.0
    assert asked(event(1, "accepted"), event(3)).wait(0.25) == 0.75
    assert asked(event(1, "accepted")).wait(1000.0) == 0.0


def test_the_patience_counts_from_the_last_news() -> None:
    exchange = asked()
    assert exchange.gives_up_at == 300.0
    exchange.receive(event(1, "accepted"), 100.0)
    exchange.receive(event(1, "accepted"), 200.0)
    assert exchange.gives_up_at == 400.0


def test_the_time_that_the_caller_takes_is_not_silence() -> None:
    exchange = asked(event(1, "accepted"))
    exchange.taken(1000.0)
    assert exchange.due(1009.0) == []
    assert exchange.gives_up_at == 1300.0


def test_a_cancel_is_sent_once_the_question_is_known_to_have_arrived() -> None:
    exchange = asked()
    exchange.cancel()
    assert exchange.owed() == []
    exchange.receive(event(1, "accepted"), 1.0)
    assert exchange.owed() == [CANCEL]
    assert exchange.owed() == []


def test_a_cancel_is_sent_again_on_a_new_connection_and_in_silence() -> None:
    exchange = asked(event(1, "accepted"))
    exchange.cancel()
    assert exchange.owed() == [CANCEL]
    assert exchange.opening(1.0) == [resume(1), CANCEL]
    assert exchange.due(21.0) == [resume(1), CANCEL]


def test_nothing_is_sent_after_the_end() -> None:
    exchange = asked(event(1, "accepted"), event(2, "complete"))
    exchange.cancel()
    assert exchange.finished
    assert exchange.due(1e9) == []
    assert exchange.owed() == []


def test_a_final_refusal_is_raised() -> None:
    with pytest.raises(RefusedError) as caught:
        asked(refused("request_conflict", retryable=False))
    assert (caught.value.code, caught.value.retryable, str(caught.value)) == ("request_conflict", False, "No.")


def test_a_rate_limit_on_a_question_is_raised_with_the_seconds_to_wait() -> None:
    with pytest.raises(RefusedError) as caught:
        asked(refused("rate_limited", retryable=True, retryAfterSeconds=7))
    assert caught.value.retry_after_seconds == 7.0


def test_a_rate_limit_on_a_resume_is_waited_for() -> None:
    exchange = asked(event(1, "accepted"), refused("rate_limited", retryable=True, retryAfterSeconds=7))
    assert exchange.due(6.9) == []
    assert exchange.due(7.0) == [resume(1)]
    assert exchange.due(16.9) == []


def test_a_failing_service_is_asked_again_ever_more_rarely() -> None:
    exchange = asked(refused("dependency_unavailable", retryable=True))
    assert exchange.due(1.0) == [QUESTION]
    exchange.receive(refused("dependency_unavailable", retryable=True), 1.0)
    assert exchange.due(2.9) == []
    assert exchange.due(3.0) == [QUESTION]


def test_a_question_that_a_failing_service_keeps_refusing_is_given_up() -> None:
    failing = refused("internal", retryable=True)
    exchange, now = asked(failing), 0.0
    for _ in range(3):
        now += exchange.wait(now)
        assert exchange.due(now) == [QUESTION]
        exchange.receive(failing, now)
    with pytest.raises(RefusedError):
        exchange.receive(failing, now)


def test_a_running_request_outlives_any_number_of_failing_resumes() -> None:
    exchange = asked(event(1, "accepted"))
    for _ in range(50):
        exchange.receive(refused("internal", retryable=True), 0.0)
    assert exchange.due(100.0) == [resume(1)]


@pytest.mark.parametrize("wait", [float("nan"), float("inf"), -1, "soon", None, [3]])
def test_seconds_to_wait_that_are_none_are_passed_over(wait: object) -> None:
    exchange = asked(event(1, "accepted"), refused("rate_limited", retryable=True, retryAfterSeconds=wait))
    assert exchange.due(1.0) == [resume(1)]


def test_a_request_that_was_sent_before_is_only_resumed() -> None:
    exchange = Exchange(RID, None, TIMING, 0.0, after_seq=4)
    assert exchange.opening(0.0) == [resume(4)]
    exchange.cancel()
    assert exchange.owed() == [CANCEL]


@dataclass
class Network:
    """A server's log of one request behind a network that loses, doubles, delays and disorders frames, by chance."""

    log: list[dict[str, Any]]
    chance: random.Random
    under_way: list[dict[str, Any]] = field(default_factory=list)
    accepted: bool = False

    def take(self, command: dict[str, Any]) -> None:
        if self.chance.random() < 0.3:
            return
        if command["action"] == "sendMessage":
            self.accepted = True
            self._send(self.log)
        elif command["action"] == "resume" and self.accepted:
            self._send(self.log[command["afterSeq"] :])

    def _send(self, frames: list[dict[str, Any]]) -> None:
        for frame in frames:
            self.under_way += [frame] * self.chance.choice([0, 1, 1, 1, 2])
        self.chance.shuffle(self.under_way)


@given(st.lists(st.text(max_size=3), max_size=8), st.integers(0, 2**32))
def test_the_text_is_whole_after_any_loss(words: list[str], seed: int) -> None:
    chance = random.Random(seed)
    bodies = [event(1, "accepted"), *(event(seq, content=word) for seq, word in enumerate(words, start=2))]
    log = [*bodies, event(len(bodies) + 1, "complete")]
    network = Network(log, chance)
    exchange, now, taken = Exchange(RID, QUESTION, Timing(patience_seconds=1e9), 0.0), 0.0, []
    outgoing = exchange.opening(now)
    for _ in range(3000):
        for command in outgoing:
            network.take(command)
        if network.under_way:
            taken += exchange.receive(network.under_way.pop(), now)
        else:
            now += exchange.wait(now)
        if chance.random() < 0.05:  # the connection breaks: what was under way is lost
            network.under_way.clear()
            outgoing = exchange.opening(now)
        else:
            outgoing = exchange.due(now)
        if exchange.finished:
            break
    assert taken == log
    assert exchange.assembly.text == "".join(words)


@given(st.integers(1, 10_000), st.floats(0, 1, exclude_max=True))
def test_the_back_off_is_bounded_and_never_negative(attempt: int, chance: float) -> None:
    assert 0 <= TIMING.back_off(attempt, chance) <= TIMING.back_off_limit_seconds


def test_the_back_off_doubles_up_to_its_limit() -> None:
    assert [TIMING.back_off(attempt, 1.0) for attempt in (1, 2, 3, 6, 7)] == [0.25, 0.5, 1.0, 8.0, 10.0]
