"""Chooses between the rules and the model for a plan. A plan is always made: the rules need no service."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import cache, partial

from msgspec import Struct
from msgspec.structs import replace

from cicada.errors import CicadaError, ConfigurationError, DependencyError, OpenCircuitError, PlanRefusedError
from cicada.planning.model import Intent
from cicada.planning.paging import next_page
from cicada.planning.plan import Plan
from cicada.planning.planner import Planner, PlanRequest

BY_RULES = "rules"
MODEL_FAILED = "rules_after_model_failed"
MODEL_SKIPPED = "rules:skipped_open_circuit"
_SURE = 0.8


class PlannerMode(StrEnum):
    """`auto`: the model is asked only where the rules are unsure. `rules`: never. `model`: always."""

    AUTO = "auto"
    RULES = "rules"
    MODEL = "model"


class ChosenPlanner(Struct, frozen=True):
    """`model`: None where none is set up.

    In mode `auto` a plan of the rules stands from a confidence on: `_SURE` if it was read from the documents' metadata,
    `sure_of_intent` if it is nothing but the message's intent: the grammar's confidence is a rule's, the intent's a
    probability. Failures of the model go to `report`. The plan's `by` is the model planner's own, or `rules`,
    `rules_after_model_failed` or `rules:skipped_open_circuit`. The next page of a listing is made by the rules in any
    mode: there is nothing to understand in it.
    """

    rules: Planner
    model: Planner | None
    report: Callable[[CicadaError], object]
    mode: PlannerMode = PlannerMode.AUTO
    sure_of_intent: float = 0.8

    def plan(self, request: PlanRequest) -> Plan:
        by_rules = cache(partial(self.rules.plan, request))  # Planned once, if at all.
        if self.model is None or self.mode is PlannerMode.RULES or next_page(request) is not None:
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
        return plan.confidence >= (_SURE if is_of_metadata else self.sure_of_intent)


def step_of(plan: Plan) -> str:
    """The step in an answer's path that says what made the plan."""
    return f"plan:{plan.by}"
