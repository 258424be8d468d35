"""A chain of models that plan: the next one is asked when one fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cicada.circuit_breaker import CircuitBreaker
from cicada.errors import CicadaError, ConfigurationError, DependencyError, OpenCircuitError
from cicada.planning.plan import Plan
from cicada.planning.planner import Planner, PlanRequest


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
