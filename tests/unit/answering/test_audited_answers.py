"""What the audit trail says of each way in which an attempt at an answer can go."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from msgspec.json import encode
from msgspec.structs import replace

from cicada.agents.model import AgentTurn
from cicada.answering.agent_search import PermittedAgentSearch
from cicada.answering.process import Processed, Processor
from cicada.conversation.accept import cancel
from cicada.conversation.resume import Resumer
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import StreamBrokenError, UnavailableError
from cicada.generation import ModelUsage
from cicada.observability.audit import ShownDocument
from cicada.understanding.plan import Intent
from tests.fakes.audit import RecordingTrail
from tests.fakes.chat_model import ScriptedModel
from tests.fakes.retrieval import FixedIndex
from tests.unit.answering.situation import SAID, passage
from tests.unit.answering.situation import Situation as Answering
from tests.unit.answering.test_process import Situation as Processing
from tests.unit.answering.test_process import once
from tests.unit.conversation.situation import ID, KEY, LEASE_SECONDS

PLAY = ShownDocument("scripts", "macbeth.json", "v1")
HAMLET = ShownDocument("scripts", "hamlet.json", "v1")
PLAYS = KnowledgeBaseKey("acme", "scripts")
MARK = "Zanzibar"


@dataclass
class Situation(Processing):
    """A conversation whose requests are processed, with an audit trail."""

    trail: RecordingTrail = field(default_factory=RecordingTrail)

    @property
    def processor(self) -> Processor:
        return replace(super().processor, audit=self.trail.record)

    @property
    def outcomes(self) -> list[tuple[int, str, tuple[ShownDocument, ...]]]:
        return [(each.attempt, each.outcome, each.documents) for each in self.trail.shown]


def asked(*scripts: Any, message: str = "Who tells Macbeth that the queen is dead?") -> Situation:
    here = Situation(answering=Answering(model=ScriptedModel(*scripts or [SAID])))
    here.ask(message)
    return here


class Died(Exception):
    """The processor's process is gone."""


def dying(here: Situation, at: str) -> None:
    """The processor dies when a frame that holds `at` is about to be sent; after that its lease runs out."""

    def die() -> None:
        raise Died

    once(here, at, die)
    with pytest.raises(Died):
        here.process()
    here.clock.now += LEASE_SECONDS + 1


def test_an_answer_is_recorded_with_who_asked_and_which_versions_were_shown() -> None:
    here = asked()
    assert here.process() is Processed.COMPLETE
    [record] = here.trail.shown
    assert (record.tenant, record.user, record.request_id, record.attempt) == ("acme", "ann", ID, 1)
    assert (record.outcome, record.documents, record.knowledge_base) == ("complete", (PLAY,), "scripts")
    assert (record.intent, record.input_tokens, record.output_tokens) == ("script_query", 90, 4)
    assert list(record.path) == here.last()["path"]
    assert (record.at, record.connection_id, record.code, record.repeated) == (here.clock.now, "c1", "", False)


def test_the_record_is_written_after_the_last_event() -> None:
    here = asked()
    seen: list[list[str]] = []
    here.trail.record = lambda *records: seen.append(here.kinds())  # type: ignore[method-assign]
    here.process()
    assert [kinds[-1] for kinds in seen] == ["complete"]


def test_an_answer_that_was_cancelled_after_its_sources_has_shown_them() -> None:
    here = asked()
    once(here, '"sources"', lambda: cancel(KEY, here.log))
    assert here.process() is Processed.CANCELLED
    assert here.outcomes == [(1, "cancelled", (PLAY,))]


def test_an_answer_that_failed_after_its_sources_has_shown_them() -> None:
    here = asked(["Sey", StreamBrokenError("gone")], ["Sey", StreamBrokenError("gone")])
    assert here.process() is Processed.FAILED
    assert here.outcomes == [(1, "failed", (PLAY,))]
    assert here.trail.shown[0].code == "stream_broken"


def test_an_answer_that_shows_nothing_is_recorded_too() -> None:
    here = asked()
    here.answering.index = FixedIndex()
    here.process()
    assert here.outcomes == [(1, "complete", ())]


def test_what_a_processor_has_shown_before_it_died_is_recorded_by_the_next() -> None:
    here = asked(SAID, SAID)
    dying(here, '"chunk"')
    assert here.trail.records == []
    assert here.process() is Processed.COMPLETE
    assert here.outcomes == [(1, "interrupted", (PLAY,)), (2, "complete", (PLAY,))]
    assert [each.repeated for each in here.trail.shown] == [True, False]


def test_the_record_of_an_answer_whose_processor_died_before_it_wrote_it_is_written_at_the_next_delivery() -> None:
    here = asked()
    dying(here, '"complete"')
    assert here.trail.records == []
    assert here.process() is Processed.SKIPPED
    [record] = here.trail.shown
    assert (record.attempt, record.outcome, record.documents, record.repeated) == (1, "complete", (PLAY,), True)
    assert (record.intent, record.input_tokens) == ("script_query", 90)


def test_a_request_that_another_processor_answers_is_not_recorded_by_this_one() -> None:
    here = asked()
    here.lease()
    assert here.process() is Processed.SKIPPED
    assert here.trail.records == []


class Searching:
    """An agent that searches for evidence on the way, as its tools do."""

    def __init__(self, search: PermittedAgentSearch) -> None:
        self.search = search

    def reply(self, turn: AgentTurn) -> Iterator[str]:
        yield "Let me see. "
        yield self.search.search(turn.principal, turn.knowledge_base, "queen")


def test_what_an_agents_search_gave_the_model_was_shown() -> None:
    here = asked()
    answering = here.answering
    answering.routed(Intent.THEORY_REQUEST)
    passages = answering.answerer.passages
    answering.agent = Searching(PermittedAgentSearch(passages.search, passages.gate, answering.catalogue))  # type: ignore[assignment]
    assert here.process() is Processed.COMPLETE
    assert here.outcomes == [(1, "complete", (PLAY,))]
    assert here.trail.shown[0].path[-1] == "agent:theories"


def replaying(here: Situation) -> Resumer:
    return Resumer(here.log, here.queue, here.channel, here.clock, here.withholding, here.limits, here.trail.record)


def test_a_replay_is_recorded_as_one_with_what_was_shown_again() -> None:
    here = asked()
    here.process()
    sources = here.numbers("c1")[here.kinds().index("sources")]
    replaying(here).resume(KEY, 0, "c2")
    replayed = here.trail.shown[-1]
    assert (replayed.outcome, replayed.documents, replayed.connection_id) == ("replayed", (PLAY,), "c2")
    assert (replayed.request_id, replayed.attempt, replayed.user) == (ID, 1, "ann")
    # Nothing is shown again of documents from here on.
    replaying(here).resume(KEY, sources, "c3")
    assert len(here.trail.shown) == 2


@pytest.mark.parametrize("how", ["removed", "another's"])
def test_what_is_withheld_from_a_replay_is_not_recorded_as_shown(how: str) -> None:
    hamlets = replace(passage("The king is dead.", 2), document=DocumentKey(PLAYS, HAMLET.document_id), title="Hamlet")
    index = FixedIndex(passage("The queen, my lord, is dead."), hamlets)
    here = Situation(answering=Answering(model=ScriptedModel(SAID), index=index))
    here.ask("Who tells Macbeth that the queen is dead?")
    here.process()
    assert set(here.trail.shown[-1].documents) == {PLAY, HAMLET}
    if how == "removed":
        here.access.unknown.add(HAMLET.document_id)
    else:
        here.access.readers[HAMLET.document_id] = ("group:board",)
    replaying(here).resume(KEY, 0, "c2")
    assert (here.trail.shown[-1].outcome, here.trail.shown[-1].documents) == ("replayed", (PLAY,))
    here.access.unknown.add(PLAY.document_id)
    replaying(here).resume(KEY, 0, "c3")
    assert len(here.trail.shown) == 2


def test_a_replay_to_a_connection_that_is_gone_shows_nothing() -> None:
    here = asked()
    here.process()
    here.channel.closed.add("c2")
    replaying(here).resume(KEY, 0, "c2")
    assert len(here.trail.shown) == 1


def test_what_a_replay_showed_before_it_failed_is_recorded() -> None:
    here = asked()
    here.process()

    def fails_at_the_end(connection_id: str, frame: str) -> None:
        if '"complete"' in frame:
            raise UnavailableError("The connections cannot be reached.")

    here.channel.before_post = fails_at_the_end
    with pytest.raises(UnavailableError):
        replaying(here).resume(KEY, 0, "c2")
    assert (here.trail.shown[-1].outcome, here.trail.shown[-1].documents) == ("replayed", (PLAY,))


def every_outcome() -> Iterator[Situation]:
    """Questions, passages, titles and answers that all hold the marker, and end in every way."""
    marked = passage(f"The queen of {MARK} is dead.", title=f"{MARK}, a tragedy")
    said = (f"In {MARK} ", "[1].", ModelUsage(90, 4))

    def situation(*scripts: Any) -> Situation:
        here = asked(*scripts, message=f"Who tells Macbeth of {MARK}?")
        here.answering.index = FixedIndex(marked)
        return here

    here = situation(said)
    here.process()
    replaying(here).resume(KEY, 0, "c2")
    yield here
    here = situation(said, said)
    dying(here, '"chunk"')
    here.process()
    yield here
    here = situation(said)
    once(here, '"sources"', lambda: cancel(KEY, here.log))
    here.process()
    yield here
    here = situation([UnavailableError(f"{MARK} is not there")])
    here.process()
    yield here


def test_no_record_holds_text_of_a_question_a_document_or_an_answer() -> None:
    situations = list(every_outcome())
    for here in situations:
        assert MARK in "".join(here.channel.frames["c1"])
    records = [each for here in situations for each in here.trail.shown]
    assert {each.outcome for each in records} == {"complete", "replayed", "interrupted", "cancelled", "failed"}
    assert [text for each in records if MARK in (text := encode(each).decode())] == []
