"""The answer to a question that was asked back: together they are the question."""

from __future__ import annotations

from msgspec.structs import replace

from cicada.understanding.asking_back import may_be_reply
from cicada.understanding.follow_ups import with_carried
from cicada.understanding.intent.small_talk import is_small_talk
from cicada.understanding.model import Intent
from cicada.understanding.plan import Plan, Shape

_ENDS = "?？!！.。…,;: "


def may_complete(message: str, plan: Plan) -> bool:
    """Whether a message with this plan of its own may be such an answer: short, no question, nothing else to do.

    One that carried something over from an earlier turn is whole already.
    """
    return (
        may_be_reply(message)
        and plan.intent in (Intent.GENERAL, Intent.SCRIPT_QUERY)
        and plan.shape is not Shape.METADATA_ONLY
        and not plan.carried
        and not is_small_talk(message)
    )


def completed(plan: Plan, asked: str) -> Plan:
    """The answer's plan as a search for it and for the question that was `asked` before."""
    topic = (asked.strip().rstrip(_ENDS),)
    return replace(
        plan,
        intent=Intent.SCRIPT_QUERY,
        shape=Shape.HYBRID if plan.filters else Shape.CONTENT_ONLY,
        query=with_carried(plan.query, topic),
        search_value=with_carried(plan.search_value or plan.query, topic),
        carried=topic,
    )
