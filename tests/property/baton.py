"""Actors that run one at a time and stop before every call to a port: a scheduler decides which one continues.

An actor is a thread, because the real code is written to be run by one; but only the one that has the baton runs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from tests.patience import PATIENCE_SECONDS

# Nothing waits this long unless a test is broken.


class Died(BaseException):
    """The process ends here. No code catches this, as none runs on after a `kill -9`."""


class Actor:
    """One run of a verb. `at` is the port's method that it is about to call.

    `counted` and `stored` are for the ports of the delivery: released and set when an event counts.
    """

    def __init__(self, name: str, work: Callable[[], object]) -> None:
        self.name = name
        self.at = "start"
        self.ended = False
        self.outcome: object = None
        self.error: BaseException | None = None
        self.counted = threading.Semaphore(0)
        self.stored = ""
        self._work = work
        self._go = threading.Semaphore(0)
        self._stopped = threading.Semaphore(0)
        self._ordered: BaseException | None = None
        threading.Thread(target=self._run, name=name, daemon=True).start()

    def __repr__(self) -> str:
        return f"{self.name} at {self.at}"

    def step(self, fail: BaseException | None = None) -> None:
        """Make the call that it stands before, and go on to the next one or to the end.

        `fail`: what the call raises instead: `Died` if the process has ended, else what the port may.
        """
        self._ordered = fail
        self._go.release()
        if not self._stopped.acquire(timeout=PATIENCE_SECONDS):
            raise AssertionError(f"{self} does not come back.")

    def pause(self, place: str) -> None:
        """Called by the ports, in the actor's thread."""
        self.at = place
        self._stopped.release()
        self._go.acquire()
        if self._ordered:
            error, self._ordered = self._ordered, None
            raise error

    def _run(self) -> None:
        _HERE.actor = self
        self._go.acquire()
        try:
            if self._ordered:
                raise self._ordered
            self.outcome = self._work()
        except BaseException as error:  # noqa: BLE001 - kept for the test to judge
            self.error = error
        self.ended = True
        self.counted.release()
        self._stopped.release()


_HERE = threading.local()


def actor_here() -> Actor | None:
    """The actor whose thread this is; None in the test's own."""
    found: Actor | None = getattr(_HERE, "actor", None)
    return found


def pause(place: str) -> None:
    """Give the baton back ahead of a call; the test's own calls go through."""
    actor = actor_here()
    if actor:
        actor.pause(place)
