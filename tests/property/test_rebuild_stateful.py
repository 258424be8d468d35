"""Ingests, deletions and rebuilds in any order, with deaths and failures: what answers is never wrong."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from cicada.documents.model import DocumentKey
from cicada.ingest.model import RebuildState
from tests.property.baton import Actor, Died
from tests.property.rebuild_world import DOCUMENTS, HOLD_SECONDS, World
from tests.property.stepped_machine import SteppedMachine, some

_ACTORS_AT_ONCE = 4
documents = st.sampled_from(DOCUMENTS)


class Rebuilding(SteppedMachine):
    """Users upload and remove, the queue delivers, operators rebuild, and every process may die."""

    world: World

    @initialize(lines=st.integers(1, 3), new_first=st.booleans())
    def begin(self, lines: int, new_first: bool) -> None:
        self.world = World(new_first)
        self.world.upload(DOCUMENTS[0], lines)
        self.world.run(self.world.deliver(0))

    def teardown(self) -> None:
        if hasattr(self, "world"):
            self.world.finish()

    @rule(document=documents, lines=st.integers(1, 3))
    def upload(self, document: DocumentKey, lines: int) -> None:
        self.world.upload(document, lines)

    @rule(document=documents)
    def upload_what_was_there_before(self, document: DocumentKey) -> None:
        self.world.upload_again(document)

    @rule(document=documents)
    def upload_a_bad_file(self, document: DocumentKey) -> None:
        self.world.upload_bad(document)

    @rule(document=documents)
    def remove(self, document: DocumentKey) -> None:
        self.world.remove(document)

    @precondition(lambda self: self.world.queue and len(self.world.actors) < _ACTORS_AT_ONCE)
    @rule(which=some)
    def deliver(self, which: int) -> None:
        self.world.deliver(which)

    @precondition(lambda self: len(self.world.rebuilds) < 2)
    @rule()
    def rebuild(self) -> None:
        self.world.rebuild()

    @rule()
    def let_a_hold_run_out(self) -> None:
        # A process that holds the record for longer than it can live has died.
        if not self.world.rebuilds:
            self.world.now += HOLD_SECONDS + 1


TestRebuilding = Rebuilding.TestCase
TestRebuilding.settings = settings(
    max_examples=150, stateful_step_count=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


TURNS = st.lists(st.tuples(some, st.integers(1, 45)), max_size=10)


def take_turns(world: World, turns: list[tuple[int, int]]) -> None:
    """The chosen actor makes so many steps in a row; finally all run to their end."""
    for which, steps in turns:
        for _ in range(steps):
            if world.actors:
                world.step(world.actors[which % len(world.actors)])
    while world.actors:
        world.run(world.actors[0])


# Each pair of values is among them.
@pytest.mark.parametrize(
    ("new_first", "goes", "dies"),
    [(True, True, True), (True, False, False), (False, True, False), (False, False, True)],
)
def test_wherever_an_ingest_stops_while_a_rebuild_ends_nothing_is_missed(
    new_first: bool, goes: bool, dies: bool
) -> None:
    """Every place of the rebuild at which the ingest begins, and every place at which it stops until the end."""
    began, is_later, fewest_stops = 0, True, 1_000
    while is_later:
        stopped, goes_on = 0, True
        while goes_on:
            world = World(new_first)
            world.settle(*DOCUMENTS[:2])
            rebuild = world.rebuild()
            is_later = _steps(world, rebuild, began)
            world.remove(DOCUMENTS[0]) if goes else world.upload(DOCUMENTS[0], 3)
            ingest = world.deliver(0)
            goes_on = _steps(world, ingest, stopped)
            world.run(rebuild)
            assert rebuild.outcome is RebuildState.SWITCHED
            if dies and not ingest.ended:
                world.step(ingest, Died())
            world.finish()
            stopped += 1
        began += 1
        fewest_stops = min(fewest_stops, stopped)
    assert began > 25
    assert fewest_stops > 7


def _steps(world: World, actor: Actor, steps: int) -> bool:
    """Whether there was something left to do after so many."""
    for _ in range(steps):
        if not actor.ended:
            world.step(actor)
    return not actor.ended


@settings(max_examples=150)
@given(TURNS, st.booleans(), st.booleans())
def test_a_change_during_a_rebuild_ends_as_it_was_left(
    turns: list[tuple[int, int]], goes: bool, new_first: bool
) -> None:
    world = World(new_first)
    world.settle(*DOCUMENTS[:2])
    rebuild = world.rebuild()
    world.upload(DOCUMENTS[0], 3)
    world.deliver(0)
    world.remove(DOCUMENTS[1]) if goes else world.upload(DOCUMENTS[1], 1)
    world.deliver(0)
    take_turns(world, turns)
    assert rebuild.outcome is RebuildState.SWITCHED
    world.finish()


@settings(max_examples=100)
@given(TURNS, st.booleans())
def test_of_two_rebuilds_at_once_one_works(turns: list[tuple[int, int]], new_first: bool) -> None:
    world = World(new_first)
    world.settle(*DOCUMENTS)
    rebuilds = [world.rebuild(), world.rebuild()]
    take_turns(world, turns)
    assert RebuildState.SWITCHED in [rebuild.outcome for rebuild in rebuilds]
    world.finish()


# ---- schedules that are too deep to be found by chance ----


def a_late_ingest_and_a_rebuild() -> tuple[World, Actor, Actor]:
    """An ingest of the older file stands before its first write to an index; the newer one is settled and copied."""
    world = World()
    world.upload(DOCUMENTS[0], 2)
    rebuild = world.rebuild()
    world.run_up_to(rebuild, "list the truth")
    late = world.deliver(0)
    world.run_up_to(late, "write an index")
    world.upload(DOCUMENTS[0], 3)
    world.run(world.deliver(0))
    world.run_up_to(rebuild, "write the record", 2)
    return world, late, rebuild


def lines_that_answer(world: World) -> int:
    return len((world.answering(DOCUMENTS[0]) or b"").splitlines())


def test_an_old_file_that_reaches_the_new_index_alone_does_not_stay_there() -> None:
    world, late, rebuild = a_late_ingest_and_a_rebuild()
    world.step(late)
    world.step(late, Died())
    world.run(world.deliver(0))
    world.run(rebuild)
    world.finish()
    assert lines_that_answer(world) == 3


@pytest.mark.parametrize("goes", [True, False])
def test_a_change_that_is_overtaken_in_the_new_index_ends_with_the_last_file_in_both(goes: bool) -> None:
    world = World()
    world.settle(DOCUMENTS[0])
    rebuild = world.rebuild()
    world.run_up_to(rebuild, "list the truth")
    world.remove(DOCUMENTS[0]) if goes else world.upload(DOCUMENTS[0], 2)
    older = world.deliver(0)
    world.run_up_to(older, "write an index")
    world.upload(DOCUMENTS[0], 3)
    newer = world.deliver(0)
    world.run_up_to(newer, "look for the indexes")
    world.run_up_to(rebuild, "write the record", 2)
    world.run_up_to(newer, "write an index", 2)
    # The new index has the newer file, the live one does not. The older change overwrites it there, and loses here.
    world.run_up_to(older, "read the file")
    world.run(newer)
    world.run(older)
    world.run(rebuild)
    world.finish()
    assert lines_that_answer(world) == 3


def test_a_bad_file_leaves_what_the_truth_holds_and_not_what_came_late() -> None:
    world, late, rebuild = a_late_ingest_and_a_rebuild()
    world.upload_bad(DOCUMENTS[0])
    world.run(world.deliver(0))
    world.run(late)
    world.run(rebuild)
    world.finish()
    assert lines_that_answer(world) == 3
