"""How an answer came about, in one line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cicada_client.answer import Answer
from cicada_client.plan import Plan

# As `cicada.conversation.accept` has it.
_DEFAULT_KNOWLEDGE_BASE = "scripts"


def explanation(answer: Answer) -> str:
    """Strategy, filters, number of documents and the steps taken; empty if nothing is known."""
    steps = " → ".join(answer.path)
    return " · ".join(filter(None, [*(_parts(answer.plan) if answer.plan else ()), steps]))


def other_base(answer: Answer) -> str:
    """The knowledge base that was asked, if it is not the default one."""
    name = (answer.plan and answer.plan.knowledge_base) or answer.knowledge_base or ""
    return "" if name == _DEFAULT_KNOWLEDGE_BASE else name


def _parts(plan: Plan) -> Iterator[str]:
    # `MetadataOnly` is read as "Metadata only".
    yield re.sub(r"(?<=[a-z])([A-Z])", lambda found: f" {found.group().lower()}", plan.strategy)
    yield "; ".join(plan.filters)
    if plan.documents is not None:
        yield "1 document" if plan.documents == 1 else f"{plan.documents:,} documents"
    if plan.withheld:
        yield f"{plan.withheld:,} withheld"
