"""Steps that every machine applies to its world's actors: continue one, kill it, make a service unavailable to it."""

from __future__ import annotations

from typing import Protocol

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from cicada.errors import UnavailableError
from tests.property.baton import Actor, Died

some = st.integers(0, 99)


class SteppedWorld(Protocol):
    @property
    def actors(self) -> list[Actor]: ...

    def step(self, actor: Actor, fail: BaseException | None = None) -> None: ...


class SteppedMachine(RuleBasedStateMachine):
    """Each machine sets its `world`; whatever it looks at after a step is the world's matter."""

    world: SteppedWorld

    def _busy(self) -> bool:
        return bool(self.world.actors)

    def _one(self, which: int) -> Actor:
        return self.world.actors[which % len(self.world.actors)]

    @precondition(_busy)
    @rule(which=some, calls=st.integers(1, 40))
    def go_on(self, which: int, calls: int) -> None:
        actor = self._one(which)
        for _ in range(calls):
            if not actor.ended:
                self.world.step(actor)

    @precondition(_busy)
    @rule(which=some)
    def die(self, which: int) -> None:
        self.world.step(self._one(which), Died())

    @precondition(_busy)
    @rule(which=some)
    def find_a_service_out_of_reach(self, which: int) -> None:
        actor = self._one(which)
        if actor.at != "start":
            self.world.step(actor, UnavailableError("It could not be reached."))
