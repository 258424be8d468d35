from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from cicada.answering.process import CANCELLED_TOKENS, Processed, Processor, TokenQuota
from cicada.conversation.accept import cancel
from cicada.conversation.history import answer_text
from cicada.conversation.model import RequestKey, Status, TokensUsed
from cicada.conversation.protocol import StatusChanged
from cicada.errors import (
    CicadaError,
    ConfigurationError,
    InvalidFilterError,
    StreamBrokenError,
    ThrottledError,
    UnavailableError,
)
from cicada.generation import ModelUsage
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from tests.fakes.chat_model import ScriptedModel
from tests.fakes.retrieval import FixedIndex
from tests.fakes.token_counter import InMemoryTokenCounter
from tests.patience import PATIENCE_SECONDS
from tests.unit.answering.situation import SAID
from tests.unit.answering.situation import Situation as Answering
from tests.unit.conversation.situation import BOB, ID, KEY, LEASE_SECONDS
from tests.unit.conversation.situation import Situation as Conversation


@dataclass
class Situation(Conversation):
    """A conversation whose requests are processed."""

    answering: Answering = field(default_factory=Answering)
    heartbeat_seconds: float = PATIENCE_SECONDS
    reported: list[CicadaError] = field(default_factory=list)
    quota: TokenQuota | None = None

    @property
    def processor(self) -> Processor:
        return Processor(
            self.log,
            self.channel,
            self.queue,
            self.answering.answerer,
            self.clock,
            LEASE_SECONDS,
            self.heartbeat_seconds,
            report=self.reported.append,
            quota=self.quota,
        )

    def process(self, key: RequestKey = KEY) -> Processed:
        return self.processor.process(key)

    def answer(self, key: RequestKey = KEY) -> str:
        return answer_text(self.log.events(key, 0, self.head(key).last_seq))

    def kinds(self, connection_id: str = "c1") -> list[str]:
        return [event["type"] for event in self.received(connection_id)]

    def last(self) -> dict[str, Any]:
        return self.received("c1")[-1]


def asked(*scripts: Any, **fields: Any) -> Situation:
    """A request that a model answers by these scripts."""
    here = Situation(answering=Answering(model=ScriptedModel(*scripts or [SAID])), **fields)
    here.ask("Who tells Macbeth that the queen is dead?")
    return here


def once(here: Situation, wanted: str, act: Callable[[], object]) -> None:
    """Do `act` when a frame that holds `wanted` is about to be sent for the first time."""

    def before_post(connection_id: str, frame: str) -> None:
        if wanted in frame:
            here.channel.before_post = lambda connection_id, frame: None
            act()

    here.channel.before_post = before_post


def test_a_question_is_answered_with_its_sources_and_its_end() -> None:
    here = asked()
    assert here.process() is Processed.COMPLETE
    kinds = here.kinds()
    assert [kind for kind, _ in itertools.groupby(kinds)] == ["status", "sources", "chunk", "complete"]
    assert here.numbers("c1") == list(range(2, 2 + len(kinds)))
    assert here.answer() == "Seyton [1]."
    assert here.head().status is Status.COMPLETE
    end = here.last()
    assert end["usage"] == {"inputTokens": 90, "outputTokens": 4}
    assert end["path"] == ["script_query", "plan:rules", "retrieve", "rerank:local", "generate"]
    phases = ("planning", "searching", "ranking", "judging", "gate", "answering")
    assert end["timings"] == dict.fromkeys((*phases, "total", "firstToken"), 0)
    assert end["confidence"] == 1.0
    assert (here.queue.buried, here.reported) == ([], [])


QUOTED = ("“The queen, my ", "lord, is dead.” [1]", ModelUsage(90, 4))


def test_what_the_whole_text_rests_on_is_told_before_the_end() -> None:
    here = asked(["“The queen”, [1] ", StreamBrokenError("Broke off.")], QUOTED)
    assert here.process() is Processed.COMPLETE
    kinds = [kind for kind, _ in itertools.groupby(here.kinds())]
    assert kinds[-5:] == ["status", "sources", "chunk", "sources", "complete"]
    before, after = [each["sources"] for each in here.received("c1") if each["type"] == "sources"][-2:]
    assert after == [before[0] | {"spans": [[0, len("The queen, my lord, is dead.")]]}]
    assert all("spans" not in source for each in here.received("c1")[:-2] for source in each.get("sources", ()))


def test_a_question_that_nothing_answers_says_so() -> None:
    here = asked()
    here.answering.index = FixedIndex()
    assert here.process() is Processed.COMPLETE
    assert "no passage" in here.answer()
    assert "sources" not in here.kinds()
    assert here.last()["confidence"] == 0.0


def test_a_request_that_does_not_exist_is_passed_over() -> None:
    here = asked()
    assert here.process(RequestKey(BOB, ID)) is Processed.SKIPPED
    assert here.head().attempt == 0


def test_a_second_delivery_of_a_finished_request_is_passed_over() -> None:
    here = asked()
    here.process()
    before = here.received("c1")
    here.clock.now += 1000
    assert here.process() is Processed.SKIPPED
    assert here.received("c1") == before
    assert len(here.answering.model.prompts) == 1


def test_of_two_processors_at_once_one_answers() -> None:
    here = asked()
    outcomes: list[Processed] = []
    once(here, "chunk", lambda: outcomes.append(here.process()))
    assert here.process() is Processed.COMPLETE
    assert outcomes == [Processed.SKIPPED]
    assert here.kinds().count("complete") == 1
    assert here.answer() == "Seyton [1]."


def test_a_successor_begins_again_and_its_predecessor_stops_without_a_word() -> None:
    here = asked()
    outcomes: list[Processed] = []

    def take_over() -> None:
        here.clock.now += LEASE_SECONDS + 1
        outcomes.append(here.process())

    once(here, "chunk", take_over)
    assert here.process() is Processed.SKIPPED
    assert outcomes == [Processed.COMPLETE]
    kinds = here.kinds()
    assert kinds[-2:] == ["complete", "chunk"]  # the post under way at the takeover, of an event that was stored before
    assert here.numbers("c1")[-1] < here.numbers("c1")[-2]
    assert kinds.count("reset") == 1
    assert here.answer() == "Seyton [1]."
    assert here.head().attempt == 2


def test_a_database_that_fails_in_mid_answer_is_left_to_the_queue_and_the_next_processor_finishes() -> None:
    here = asked()

    def fail() -> None:
        def before(step: str) -> None:
            raise UnavailableError("The database could not be reached.")

        here.log.before = before

    once(here, "chunk", fail)
    with pytest.raises(UnavailableError):
        here.process()
    here.log.before = lambda step: None
    assert here.head().status is Status.PROCESSING
    assert here.answering.model.closed.wait(PATIENCE_SECONDS)
    assert here.process() is Processed.SKIPPED
    here.clock.now += LEASE_SECONDS + 1
    assert here.process() is Processed.COMPLETE
    assert here.kinds().count("reset") == 1
    assert here.answer() == "Seyton [1]."
    assert here.queue.buried == []


def test_a_processor_that_died_before_its_first_event_leaves_nothing_to_discard() -> None:
    here = asked()
    here.lease()
    here.clock.now += LEASE_SECONDS + 1
    assert here.process() is Processed.COMPLETE
    assert "reset" not in here.kinds()


@pytest.mark.parametrize("sent", [1, 2])
def test_whatever_a_processor_sent_before_it_died_is_taken_back(sent: int) -> None:
    here = asked()
    delivery = here.delivery()
    for _ in range(sent):
        delivery.send(StatusChanged(stage="searching"))
    here.clock.now += LEASE_SECONDS + 1
    assert here.process() is Processed.COMPLETE
    assert here.kinds()[sent] == "reset"
    assert here.kinds().count("reset") == 1


def test_an_answer_is_begun_three_times_and_then_set_aside_with_an_error() -> None:
    for deaths, outcome in ((2, Processed.COMPLETE), (3, Processed.FAILED)):
        here = asked()
        for _ in range(deaths):
            here.lease()
            here.clock.now += LEASE_SECONDS + 1
        assert here.process() is outcome
        assert here.head().status is Status(outcome.value)
    assert (here.last()["type"], here.last()["code"], here.last()["retryable"]) == ("error", "internal", False)
    assert here.queue.buried == [(KEY, "internal")]
    assert here.answering.model.prompts == []
    assert len(here.reported) == 1


def test_a_stream_that_breaks_once_is_begun_again() -> None:
    here = asked(["Mac", StreamBrokenError("Broke off.")], SAID)
    assert here.process() is Processed.COMPLETE
    kinds = here.kinds()
    assert kinds.count("reset") == 1
    assert kinds.index("reset") < kinds.index("complete")
    assert here.answer() == "Seyton [1]."
    assert here.head().attempt == 1
    assert here.queue.buried == []


def test_a_stream_that_breaks_twice_ends_in_an_error() -> None:
    here = asked(["Mac", StreamBrokenError("Broke off.")])
    assert here.process() is Processed.FAILED
    assert here.last() == {
        "requestId": ID,
        "seq": here.head().last_seq,
        "type": "error",
        "error": "Broke off.",
        "code": "stream_broken",
        "retryable": True,
    }
    assert here.queue.buried == [(KEY, "stream_broken")]
    assert len(here.answering.model.prompts) == 2
    assert here.head().status is Status.FAILED


@pytest.mark.parametrize(
    ("failure", "code", "retryable"),
    [
        (ThrottledError("The model is asked too often."), "dependency_throttled", True),
        (UnavailableError("The model could not be reached."), "dependency_unavailable", True),
        (ConfigurationError("The role may not invoke the model m."), "misconfigured", False),
    ],
)
@pytest.mark.parametrize("part", ["model", "index", "embedder"])
def test_a_failing_dependency_ends_the_answer(part: str, failure: CicadaError, code: str, retryable: bool) -> None:
    here = asked([failure] if part == "model" else SAID)
    if part != "model":
        getattr(here.answering, part).failure = failure
    assert here.process() is Processed.FAILED
    assert (here.last()["type"], here.last()["code"], here.last()["retryable"]) == ("error", code, retryable)
    assert "role" not in here.last()["error"]
    assert here.queue.buried == [(KEY, code)]
    assert here.reported == [failure]
    assert here.answer() == ""
    assert here.kinds().count("error") == 1


def test_what_cannot_be_set_aside_is_left_to_the_queue() -> None:
    here = asked([ThrottledError("The model is asked too often.")])
    here.queue.failure = UnavailableError("The request queue could not be reached.")
    with pytest.raises(UnavailableError):
        here.process()
    assert here.head().status is Status.PROCESSING
    assert "error" not in here.kinds()


def test_a_cancel_before_the_answer_ends_it_at_once() -> None:
    here = asked()
    cancel(KEY, here.log)
    assert here.process() is Processed.CANCELLED
    assert here.kinds() == ["status", "cancelled"]
    assert here.head().status is Status.CANCELLED


def test_a_cancel_in_mid_answer_stops_the_model() -> None:
    def endless() -> Iterator[str]:
        while True:
            yield "and "

    here = asked(endless())
    once(here, "chunk", lambda: cancel(KEY, here.log))
    assert here.process() is Processed.CANCELLED
    assert here.kinds()[-1] == "cancelled"
    assert here.kinds().count("cancelled") == 1
    assert here.answering.model.closed.wait(PATIENCE_SECONDS)
    assert here.queue.buried == []


def test_a_cancel_before_a_stream_breaks_stops_a_second_try() -> None:
    here: Situation = asked(["Mac", lambda: cancel(KEY, here.log), StreamBrokenError("Broke off.")], SAID)
    assert here.process() is Processed.CANCELLED
    assert here.kinds()[-1] == "cancelled"
    assert len(here.answering.model.prompts) == 1
    assert here.queue.buried == []


def test_a_cancel_after_the_end_changes_nothing() -> None:
    here = asked()
    once(here, "complete", lambda: cancel(KEY, here.log))
    assert here.process() is Processed.COMPLETE
    assert here.head().status is Status.COMPLETE


def test_a_gone_connection_does_not_stop_the_answer() -> None:
    here = asked()
    here.channel.closed.add("c1")
    assert here.process() is Processed.COMPLETE
    here.resumer.resume(KEY, 0, "c2")
    assert here.numbers("c2") == list(range(1, here.head().last_seq + 1))
    assert here.answer() == "Seyton [1]."


def test_a_client_that_reconnects_in_mid_answer_misses_nothing() -> None:
    here = asked()

    def reconnect() -> None:
        here.channel.closed.add("c1")
        here.resumer.resume(KEY, max(here.numbers("c1")), "c2")

    once(here, "sources", reconnect)
    assert here.process() is Processed.COMPLETE
    assert sorted({*here.numbers("c1"), *here.numbers("c2")}) == list(range(2, here.head().last_seq + 1))


def test_while_the_model_is_silent_the_lease_is_prolonged() -> None:
    beats = threading.Semaphore(0)

    def three_heartbeats() -> None:
        for _ in range(3):
            assert beats.acquire(timeout=PATIENCE_SECONDS)

    here = asked(["Sey", three_heartbeats, "ton", ModelUsage(1, 2)], heartbeat_seconds=0.01)
    stored = 0

    def before(step: str) -> None:
        nonlocal stored
        stored += 1 if step == "store" else 0
        if step == "advance":
            stored, beat = max(stored - 1, 0), stored == 0
            if beat:
                here.clock.now += LEASE_SECONDS - 1
                beats.release()

    here.log.before = before
    assert here.process() is Processed.COMPLETE
    assert here.answer() == "Seyton"
    assert here.clock.now >= 1_800_000_000 + 3 * (LEASE_SECONDS - 1)
    assert here.kinds().count("reset") == 0


def test_a_cancel_is_heard_while_the_model_is_silent() -> None:
    cancelled = threading.Event()
    here = asked(["Sey", lambda: cancelled.wait(PATIENCE_SECONDS)], heartbeat_seconds=0.01)
    once(here, "chunk", lambda: cancel(KEY, here.log))
    assert here.process() is Processed.CANCELLED
    assert not cancelled.is_set()
    cancelled.set()
    assert here.answering.model.closed.wait(PATIENCE_SECONDS)


def test_times_are_told_in_milliseconds() -> None:
    here = asked(["Sey", "ton"])

    def tick(step: str) -> None:
        here.clock.now += 0.25 if step == "store" else 0

    here.log.before = tick
    here.process()
    timings = here.last()["timings"]
    assert 0 < timings["firstToken"] <= timings["total"]
    assert timings["total"] % 250 == 0


def test_the_first_token_is_timed_by_the_first_text_and_no_later_one() -> None:
    shown = threading.Event()
    here = asked(["Sey", lambda: shown.wait(PATIENCE_SECONDS), "ton"])

    def before_post(connection_id: str, frame: str) -> None:
        if '"Sey"' in frame:
            shown.set()
        elif '"ton"' in frame:
            here.clock.now += 5

    here.channel.before_post = before_post
    here.process()
    timings = here.last()["timings"]
    assert (timings["total"], timings["firstToken"]) == (5000, 0)


def test_a_question_about_an_episode_that_does_not_exist_is_refused_and_no_dead_letter() -> None:
    here = asked()
    here.answering.embedder.failure = InvalidFilterError("The knowledge base “scripts” has no episode “romeo”.")
    assert here.process() is Processed.FAILED
    assert (here.last()["code"], here.queue.buried, here.reported) == ("invalid_filter", [], [])


def test_a_question_to_a_base_that_does_not_exist_is_refused_and_no_dead_letter() -> None:
    here = asked()
    here.answering.bases = KnowledgeBases(named={"plays": KnowledgeBase("plays")}, open_names=False)
    assert here.process() is Processed.FAILED
    end = here.last()
    assert (end["code"], end["retryable"]) == ("unknown_knowledge_base", False)
    assert end["error"] == "There is no knowledge base “scripts”."
    assert (here.queue.buried, here.reported, here.answering.model.prompts) == ([], [], [])
    record = here.head().record
    assert record is not None
    assert record.code == "unknown_knowledge_base"


def test_a_tenant_that_has_used_its_tokens_is_told_when_it_may_ask_again_and_no_model_is_called() -> None:
    here = asked()
    counter, today = InMemoryTokenCounter(), f"{datetime.fromtimestamp(here.clock(), UTC):%Y-%m-%d}"
    counter.add(KEY.principal.tenant, today, TokensUsed(900, 100), 0)
    here.quota = TokenQuota(counter, 1000, here.clock)
    assert here.process() is Processed.FAILED
    end = here.last()
    assert (end["code"], end["retryable"]) == ("token_quota_reached", False)
    midnight = here.clock() + end["retryAfterSeconds"]
    assert f"{datetime.fromtimestamp(midnight, UTC):%Y-%m-%d 00:00} UTC" in end["error"]
    assert 0 <= midnight % 86400 <= 1
    assert (here.answering.model.prompts, here.queue.buried, here.reported) == ([], [], [])


def test_an_answers_tokens_count_against_its_tenants_quota_alone() -> None:
    here = asked()
    counter, today = InMemoryTokenCounter(), f"{datetime.fromtimestamp(here.clock(), UTC):%Y-%m-%d}"
    counter.add("another", today, TokensUsed(900, 100), 0)
    here.quota = TokenQuota(counter, 94, here.clock)
    assert here.process() is Processed.COMPLETE
    assert counter.used(KEY.principal.tenant, today) == 94


def test_a_cancelled_answer_counts_against_the_quota_too() -> None:
    here = asked()
    counter, today = InMemoryTokenCounter(), f"{datetime.fromtimestamp(here.clock(), UTC):%Y-%m-%d}"
    here.quota = TokenQuota(counter, CANCELLED_TOKENS.total, here.clock)
    cancel(KEY, here.log)
    assert here.process() is Processed.CANCELLED
    assert counter.used(KEY.principal.tenant, today) == CANCELLED_TOKENS.total


def test_tokens_that_cannot_be_counted_are_reported_and_the_answer_stands() -> None:
    here, uncounted = asked(), list[CicadaError]()
    here.quota = TokenQuota(FailingCounter(), 94, here.clock, uncounted.append)
    assert here.process() is Processed.COMPLETE
    assert [error.code for error in uncounted] == ["dependency_throttled"]


class FailingCounter(InMemoryTokenCounter):
    """Counts nothing."""

    def add(self, tenant: str, day: str, tokens: TokensUsed, expires_at: float) -> None:
        raise ThrottledError("Too many updates of one row.")
