"""The plan without a model: the message's intent, then for a base with typed metadata the grammar of its schema."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cicada.planning.model import Classification, Intent
from cicada.planning.plan import Plan, Shape
from cicada.planning.planner import Planner, PlanRequest


@dataclass(frozen=True, slots=True)
class RulesPlanner:
    """`classify` gets a message and its base. `documents` plans questions on documents whose metadata have a schema.

    A message that seems general with less confidence than `general_confidence` is searched for: an unneeded search
    costs little, an unanswered question much.
    """

    classify: Callable[[str, str], Classification]
    documents: Planner | None = None
    general_confidence: float = 0.5

    def plan(self, request: PlanRequest) -> Plan:
        """A plan of the intent, or of the documents' metadata and texts."""
        found = self.classify(request.message, request.knowledge_base)
        if found.intent is Intent.GENERAL and found.confidence < self.general_confidence:
            return _search(request, found.confidence)
        if found.intent is not Intent.SCRIPT_QUERY:
            return Plan(found.intent, Shape.NO_MATCH, request.message, confidence=found.confidence)
        if self.documents is None or not request.schema.fields:
            return _search(request, found.confidence)
        return self.documents.plan(request)


def _search(request: PlanRequest, confidence: float) -> Plan:
    return Plan(Intent.SCRIPT_QUERY, Shape.CONTENT_ONLY, request.message, confidence=confidence)
