"""A message that only asks for the next page of the listing before it."""

from __future__ import annotations

import re

from msgspec.structs import replace

from cicada.documents.catalogue import ListedPage
from cicada.understanding.model import Intent
from cicada.understanding.plan import PAGE_SIZE, Plan, Shape, concepts_of
from cicada.understanding.planner import PlanRequest

_MORE = re.compile(
    r"""(?:please\s+)?(?:show\s+(?:me\s+)?|give\s+me\s+|and\s+)?(?:the\s+)?
    (?:(?:next|following)(?:\s+(?:page|ones?))?|more|the\s+rest|continue|go\s+on
    |weiter|mehr|n[äa]chste\s+seite|suite|page\s+suivante|la\s+suite|m[áa]s|siguiente(?:\s+p[áa]gina)?
    |p[áa]gina\s+seguinte|mais|altri|avanti|pagina\s+seguente|次(?:のページ)?|もっと|更多|下一页|더|다음(?:\s*페이지)?)
    (?:\s+(?:please|results?|documents?|of\s+them))?\s*[.!…。]*""",
    re.VERBOSE | re.IGNORECASE,
)


def is_page_request(message: str) -> bool:
    """Whether the message asks for more, and for nothing else."""
    return _MORE.fullmatch(message.strip()) is not None


def listed_page(plan: Plan, asked: str) -> ListedPage | None:
    """What the next page of this plan's listing is made from. `asked`: the base that the question went to."""
    if not plan.is_listing:
        return None
    return ListedPage(
        asked,
        plan.knowledge_base,
        plan.filters,
        plan.sort,
        plan.aggregates,
        plan.group,
        plan.fields,
        plan.limit,
        plan.offset,
        subject=plan.search_value,
    )


def next_page(request: PlanRequest) -> Plan | None:
    """The plan of the page after the one that was shown last; None if the message asks for something else.

    The page goes on as it was planned, so that it needs neither the question nor the model of then. After numbers
    alone, "more" is the first page of the documents that they were computed from.
    """
    shown = request.listing
    if shown is None or shown.asked != request.knowledge_base or not is_page_request(request.message):
        return None
    searched = Shape.HYBRID if shown.conditions else Shape.CONTENT_ONLY
    plan = Plan(
        Intent.SCRIPT_QUERY,
        searched if shown.subject else Shape.METADATA_ONLY,
        request.message,
        search_value=shown.subject,
        knowledge_base=shown.knowledge_base,
        filters=shown.conditions,
        sort=shown.sort,
        aggregates=shown.aggregates,
        group=shown.group,
        fields=shown.fields,
        limit=shown.limit,
        offset=shown.offset,
        named=() if shown.subject else shown.documents,
        key_concepts=concepts_of(shown.subject),
        wants_documents=bool(shown.subject),
    )
    if plan.asks_for_rows:
        return replace(plan, offset=shown.offset + (shown.limit or PAGE_SIZE))
    return replace(plan, sort=None, aggregates=(), group=(), limit=None)
