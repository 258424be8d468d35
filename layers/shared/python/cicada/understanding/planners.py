"""The planners of a stage: rules or a model, a chain of models, a limit of their time, and a cache of their plans.

A plan is always made: the rules need no service.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import cache, partial
from threading import Lock

from msgspec import Struct
from msgspec.structs import replace

from cicada.circuit_breaker import CircuitBreaker
from cicada.deadline import Deadline, ending_by
from cicada.errors import CicadaError, ConfigurationError, DependencyError, OpenCircuitError, PlanRefusedError
from cicada.text import one_line
from cicada.understanding.last_answer import of_last_answer
from cicada.understanding.plan import BY_RULES, Intent, Plan, Planner, PlanRequest, Shape

MODEL_FAILED = "rules_after_model_failed"
MODEL_SKIPPED = "rules:skipped_open_circuit"
# As `heads.bin` says; a test compares them. The heads are read only where a base has a schema.
SURE_OF_DOCUMENTS = 0.83


class PlannerMode(StrEnum):
    """`auto`: the model is asked only where the rules are unsure. `rules`: never. `model`: always."""

    AUTO = "auto"
    RULES = "rules"
    MODEL = "model"


class GuardedPlanner(Struct, frozen=True):
    """Searches where `planner` fails by a fault of its own: a message that nobody foresaw ends no conversation.

    The fault goes to `report`; nobody is sure of such a plan, so that a model makes another one where there is one.
    """

    planner: Planner
    report: Callable[[Exception], object]

    def plan(self, request: PlanRequest) -> Plan:
        try:
            return self.planner.plan(request)
        except CicadaError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the texts can be searched
            self.report(error)
            query = one_line(request.message)
            return Plan(Intent.SCRIPT_QUERY, Shape.CONTENT_ONLY, query, query, confidence=0.0)


class ChosenPlanner(Struct, frozen=True):
    """`model`: None where none is set up.

    In mode `auto` a plan of the rules stands from a confidence on: `SURE_OF_DOCUMENTS` if it was read from documents'
    metadata, `sure_of_intent` if it is nothing but the message's intent; both are probabilities, fitted apart. Failures
    of the model go to `report`. The plan's `by` is the model planner's own, or `rules`, `rules_after_model_failed` or
    `rules:skipped_open_circuit`. What asks for the last answer again or for its next page is planned by the rules
    in any mode: there is nothing to understand in it.
    """

    rules: Planner
    model: Planner | None
    report: Callable[[CicadaError], object]
    mode: PlannerMode = PlannerMode.AUTO
    sure_of_intent: float = 0.8

    def plan(self, request: PlanRequest) -> Plan:
        by_rules = cache(partial(self.rules.plan, request))  # Planned once, if at all.
        if self.model is None or self.mode is PlannerMode.RULES or of_last_answer(request) is not None:
            return replace(by_rules(), by=BY_RULES)
        if self.mode is PlannerMode.AUTO and self._is_sure(by_rules(), request):
            return replace(by_rules(), by=BY_RULES)
        try:
            return self.model.plan(request)
        except OpenCircuitError:
            return replace(by_rules(), by=MODEL_SKIPPED)
        except (DependencyError, ConfigurationError, PlanRefusedError) as error:
            self.report(error)
            return replace(by_rules(), by=MODEL_FAILED)

    def _is_sure(self, plan: Plan, request: PlanRequest) -> bool:
        is_of_metadata = plan.intent is Intent.SCRIPT_QUERY and bool(request.schema.fields)
        return plan.confidence >= (SURE_OF_DOCUMENTS if is_of_metadata else self.sure_of_intent)


def step_of(plan: Plan) -> str:
    """The step in an answer's path that says what made the plan."""
    return f"plan:{plan.by}"


class PlannerChain:
    """Asks each of `planners` in turn until one answers; each has a circuit breaker.

    A plan that was refused is final: the next model costs as much time, and the rules need none. Each failure is either
    raised or given to `report`.
    """

    def __init__(
        self, planners: Sequence[Planner], report: Callable[[CicadaError], object], clock: Callable[[], float]
    ) -> None:
        self._planners = [(planner, CircuitBreaker(clock, "planning model")) for planner in planners]
        self._report = report

    def plan(self, request: PlanRequest) -> Plan:
        """Raises the last model's failure; `OpenCircuitError` if every model was skipped."""
        failures: list[CicadaError] = []
        for planner, breaker in self._planners:
            try:
                with breaker.guarding():
                    plan = planner.plan(request)
            except OpenCircuitError:
                continue
            except (DependencyError, ConfigurationError) as error:
                failures.append(error)
            else:
                self._report_all(failures)
                return plan
        self._report_all(failures[:-1])
        raise failures[-1] if failures else OpenCircuitError("No planning model can be asked now.")

    def _report_all(self, failures: Sequence[CicadaError]) -> None:
        for failure in failures:
            self._report(failure)


class LimitedPlanner(Struct, frozen=True):
    """All calls for one plan together take at most `seconds`."""

    planner: Planner
    seconds: float
    clock: Callable[[], float]

    def plan(self, request: PlanRequest) -> Plan:
        with ending_by(Deadline.in_seconds(self.seconds, self.clock)):
            return self.planner.plan(request)


class PlanCache:
    """Keeps at most `entries` plans of `planner`, each for `seconds`; the least recently used one leaves first.

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
    """The message without differences of white space. Capitals stay: they tell a name from a word."""
    return one_line(message)
