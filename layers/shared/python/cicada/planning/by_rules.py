"""The plan without a model: the message's intent, then for a base with typed metadata the grammar of its schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from cicada.planning.completions import completed, may_complete
from cicada.planning.follow_up_plans import carried_over
from cicada.planning.follow_ups import stand_alone
from cicada.planning.model import Classification, Intent
from cicada.planning.paging import next_page
from cicada.planning.plan import Plan, Shape
from cicada.planning.planner import Planner, PlanRequest
from cicada.planning.subjects import subjects_of

if TYPE_CHECKING:
    from cicada.planning.deterministic.planner import DeterministicPlanner


class RulesPlanner(Struct, frozen=True):
    """`classify` gets a message and its base. `documents` plans questions on documents whose metadata have a schema.

    A message that seems general with less confidence than `general_confidence` is searched for: an unneeded search
    costs little, an unanswered question much.
    """

    classify: Callable[[str, str], Classification]
    documents: Planner | None = None
    general_confidence: float = 0.5

    def plan(self, request: PlanRequest) -> Plan:
        """A plan of the intent, or of the documents' metadata and texts."""
        if (page := next_page(request)) is not None:
            return page
        return _with_subjects(self._completed(self._with_carried(request), request), request)

    def _with_carried(self, request: PlanRequest) -> Plan:
        return carried_over(self._plan(request), stand_alone([*request.messages, request.message]))

    def _completed(self, plan: Plan, request: PlanRequest) -> Plan:
        """With the question before, if that was asked back and the message answers."""
        if not request.messages or not may_complete(request.message, plan):
            return plan
        *earlier, asked = request.messages
        before = self._with_carried(replace(request, message=asked, messages=tuple(earlier)))
        return completed(plan, asked) if before.shape is Shape.NEEDS_CLARIFICATION else plan

    def _plan(self, request: PlanRequest) -> Plan:
        found = self.classify(request.message, request.knowledge_base)
        if found.intent is Intent.GENERAL and found.confidence < self.general_confidence:
            return _search(request, found.confidence)
        if found.intent is not Intent.SCRIPT_QUERY:
            return Plan(found.intent, Shape.NO_MATCH, request.message, confidence=found.confidence)
        if self.documents is None or not request.schema.fields:
            return _search(request, found.confidence)
        plan = self.documents.plan(request)
        return replace(plan, confidence=min(plan.confidence, found.confidence))


class SchemaPlanner(Struct, frozen=True):
    """Plans by the grammar of each base's schema. `_compiled`: planners by the base's name, made at first use.

    A schema is part of the deployment, so it does not change while the container lives.
    """

    _compiled: dict[str, DeterministicPlanner] = field(default_factory=dict)

    def plan(self, request: PlanRequest) -> Plan:
        """A plan of a question on documents, which may continue earlier ones."""
        # Imported here: the grammar takes a tenth of a cold start, and bases without a schema do not need it.
        from cicada.planning.deterministic.planner import DeterministicPlanner
        from cicada.planning.document_follow_ups import DocumentFollowUps

        planner = self._compiled.get(request.knowledge_base) or DeterministicPlanner.of(request.schema)
        self._compiled[request.knowledge_base] = planner
        follow_ups = DocumentFollowUps(planner, request.now.date(), request.asker)
        return follow_ups.plan((*request.messages, request.message))


def _with_subjects(plan: Plan, request: PlanRequest) -> Plan:
    """With what is to be read as a whole.

    Whatever the shape: a title may look like conditions, or like words that no field has. A name that no document has
    leaves the shape as it is.
    """
    if plan.intent is not Intent.SCRIPT_QUERY:
        return plan
    named = subjects_of(request.message, request.messages)
    # Of what was talked of, a name is likelier a document than a thing.
    carried = " ".join([each for each in plan.carried if each[:1].isupper()] or plan.carried)
    return replace(plan, subjects=tuple(each if each.document else replace(each, document=carried) for each in named))


def _search(request: PlanRequest, confidence: float) -> Plan:
    return Plan(Intent.SCRIPT_QUERY, Shape.CONTENT_ONLY, request.message, confidence=confidence)
