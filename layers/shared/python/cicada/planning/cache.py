"""Keeps a model's plans, so that a question asked again costs no second call."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from msgspec.structs import replace

from cicada.planning.plan import Plan
from cicada.planning.planner import Planner, PlanRequest
from cicada.text import one_line


class PlanCache:
    """At most `entries` plans of `planner`, each for `seconds`; the least recently used one leaves first.

    The state is kept in this object, so each container has its own. `version`: names the configuration beside the
    schema: models, guides, settings. `clock` gives seconds. A plan from the cache says so in `by`. Failures are never
    kept.
    """

    def __init__(
        self,
        planner: Planner,
        clock: Callable[[], float],
        version: str = "",
        entries: int = 1000,
        seconds: float = 3600.0,
    ) -> None:
        self.planner = planner
        self.clock = clock
        self.version = version
        self.entries = entries
        self.seconds = seconds
        self._kept: OrderedDict[str, tuple[float, Plan]] = OrderedDict()
        self._lock = Lock()

    def plan(self, request: PlanRequest) -> Plan:
        key = _key(request, self.version)
        found = self._found(key)
        if found:
            return replace(found, by=f"{found.by}:cached")
        plan = self.planner.plan(request)
        self._keep(key, plan)
        return plan

    def _found(self, key: str) -> Plan | None:
        with self._lock:
            kept_at, plan = self._kept.get(key, (0.0, None))
            if plan is None or self.clock() - kept_at >= self.seconds:
                return None
            self._kept.move_to_end(key)
            return plan

    def _keep(self, key: str, plan: Plan) -> None:
        with self._lock:
            self._kept[key] = (self.clock(), plan)
            self._kept.move_to_end(key)
            while len(self._kept) > self.entries:
                self._kept.popitem(last=False)


def _key(request: PlanRequest, version: str) -> str:
    """All that a plan depends on: also the asker, whom "my" means, and the day, which "this year" means.

    A digest, so that the cache holds no messages.
    """
    depends = (
        request.tenant,
        request.knowledge_base,
        version,
        request.schema,
        _normalised(request.message),
        tuple((_normalised(turn.question), turn.answer) for turn in request.turns),
        request.now.date().isoformat(),
        request.asker,
        sorted(request.bases.items()),
        request.intents,
    )
    return hashlib.sha256(repr(depends).encode("utf-8", "surrogatepass")).hexdigest()


def _normalised(message: str) -> str:
    """Without differences of white space. Capitals stay: they tell a name from a word."""
    return one_line(message)
