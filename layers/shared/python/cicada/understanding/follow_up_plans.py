"""The plan of a follow-up: what it leaves out is searched for too."""

from __future__ import annotations

from msgspec.structs import replace

from cicada.understanding.follow_up_references import Cue
from cicada.understanding.follow_ups import StandAlone, with_carried
from cicada.understanding.model import Intent
from cicada.understanding.plan import Plan, Shape

SEARCHED = (Shape.CONTENT_ONLY, Shape.HYBRID)
# A message with one of these cues asks about what was talked of, however much it looks like small talk.
_ASKING = (Cue.FRAGMENT, Cue.PERSON)


def carried_over(plan: Plan, found: StandAlone) -> Plan:
    """The message's plan with what it refers to in its query. Only searches use it.

    What is too vague by itself is not asked back: the turns before say what it is about. A plan that already has
    something of an earlier turn stays as it is, and so does one for documents, which names their subject.
    """
    if plan.carried or plan.wants_documents or not found.carried:
        return plan
    if plan.shape is Shape.NEEDS_CLARIFICATION or (plan.intent is Intent.GENERAL and found.cue in _ASKING):
        plan = replace(plan, intent=Intent.SCRIPT_QUERY, shape=Shape.CONTENT_ONLY)
    if plan.intent is not Intent.SCRIPT_QUERY or plan.shape not in SEARCHED:
        return plan
    value = "" if plan.named and not plan.search_value else with_carried(plan.search_value or plan.query, found.carried)
    return replace(plan, query=with_carried(plan.query, found.carried), search_value=value, carried=found.carried)
