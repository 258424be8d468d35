"""The planner's port: what a plan is made from."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Protocol

from msgspec import Struct, field

from cicada.dialogue import NOTHING_SHOWN, Shown, Turn
from cicada.documents.catalogue import ListedPage
from cicada.documents.model import KnowledgeBaseKey
from cicada.knowledge_bases.schema import Schema
from cicada.understanding.model import Intent
from cicada.understanding.plan import Plan


class PlanRequest(Struct, frozen=True):
    """A message and what a plan may depend on.

    `now`: in the user's time zone. `turns`: earlier ones, within a token budget; `messages`: the user's earlier ones,
    in full; both oldest first. `schema`: of `knowledge_base`, the one that is asked unless the plan names another.
    `bases`: the bases that the user may ask, with their descriptions. `asker`: the name by which owner fields call the
    user, empty if unknown. `intents`: those that the base serves. `listing`: the page of documents that the last answer
    showed. `shown`: what it showed under numbers.
    """

    message: str
    knowledge_base: str
    now: datetime
    tenant: str = "default"
    turns: tuple[Turn, ...] = ()
    messages: tuple[str, ...] = ()
    schema: Schema = field(default_factory=Schema)
    bases: Mapping[str, str] = field(default_factory=dict)
    asker: str = ""
    intents: tuple[Intent, ...] = tuple(Intent)
    listing: ListedPage | None = None
    shown: Shown = NOTHING_SHOWN

    @property
    def base_key(self) -> KnowledgeBaseKey:
        return KnowledgeBaseKey(self.tenant, self.knowledge_base)


class Planner(Protocol):
    """Makes one plan of one message."""

    def plan(self, request: PlanRequest) -> Plan:
        """Make the plan of a message.

        A planner that needs a service raises `DependencyError` or `ConfigurationError`, and `PlanRefusedError` for a
        reply that is no plan of this base.
        """
        ...
