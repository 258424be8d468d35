"""Whether the parts of a plan go together."""

from __future__ import annotations

from cicada.planning.model import Intent
from cicada.planning.plan import Plan, Shape


def contradiction(plan: Plan) -> str | None:
    """What contradicts itself in the plan, as the rest of a sentence about it; None if nothing does."""
    listing = bool(plan.filters or plan.sort or plan.count or plan.count_by or plan.limit)
    if plan.subjects and plan.shape not in (Shape.CONTENT_ONLY, Shape.HYBRID):
        return f"is {plan.shape} and reads documents"
    if plan.intent is not Intent.SCRIPT_QUERY and plan.shape is not Shape.NO_MATCH:
        return f"has the intent {plan.intent} and searches"
    if plan.shape in (Shape.NO_MATCH, Shape.NEEDS_CLARIFICATION):
        return f"is {plan.shape} and searches" if listing or plan.search_value else None
    if plan.shape is Shape.METADATA_ONLY:
        return "is MetadataOnly and searches texts" if plan.search_value else None
    if not plan.search_value:
        return f"is {plan.shape} and searches for nothing"
    if plan.count or plan.count_by:
        return f"is {plan.shape} and counts"
    if plan.shape is Shape.HYBRID and not plan.filters:
        return "is Hybrid and has no filters"
    if plan.shape is Shape.CONTENT_ONLY and plan.filters:
        return "is ContentOnly and has filters"
    return None
