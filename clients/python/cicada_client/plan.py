"""How a question was understood and answered, as a value, and how it is read from `complete`."""

from __future__ import annotations

from dataclasses import dataclass

from cicada_client.forms import count, count_or_none, text, texts


@dataclass(frozen=True, slots=True)
class Plan:
    """`strategy` is `MetadataOnly`, `ContentOnly`, `Hybrid`, `NoMatch` or `NeedsClarification`, or a later server's.

    `query`: what was searched for. `by`: what made the plan, `rules` or `model`. `filters` are in words for people.
    `documents`: how many documents meet the filters, where they were counted. `withheld`: how many were found that the
    user may not view. `confidence`: 0 to 1, how likely the plan is right, or None where a model made it. `removable`:
    the places in `filters` of those that `Client.ask` can leave out by `without`.
    """

    strategy: str
    knowledge_base: str
    query: str
    by: str
    filters: tuple[str, ...] = ()
    documents: int | None = None
    withheld: int = 0
    confidence: float | None = None
    removable: tuple[int, ...] = ()


def read_plan(value: object) -> Plan | None:
    """The plan, if there is one."""
    if not isinstance(value, dict):
        return None
    confidence, removable = value.get("confidence"), value.get("removable")
    return Plan(
        strategy=text(value.get("strategy")),
        knowledge_base=text(value.get("knowledgeBase")),
        query=text(value.get("query")),
        by=text(value.get("by")),
        filters=texts(value.get("filters")),
        documents=count_or_none(value.get("documents")),
        withheld=count(value.get("withheld")),
        confidence=confidence if isinstance(confidence, (int, float)) else None,
        removable=tuple(each for each in removable if isinstance(each, int)) if isinstance(removable, list) else (),
    )
