"""The plan of a question, with what a plan may depend on: the base, the user, the day."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from cicada.conversation.model import Question
from cicada.dialogue import NO_CONVERSATION, Conversation
from cicada.identity.principal import Principal
from cicada.knowledge_bases.settings import KnowledgeBases
from cicada.planning.classifier import served_intents
from cicada.planning.plan import Plan
from cicada.planning.planner import Planner, PlanRequest


@dataclass(frozen=True, slots=True)
class QuestionPlanner:
    """`now`: the time in the user's time zone."""

    planner: Planner
    bases: KnowledgeBases
    now: Callable[[], datetime]

    def plan(self, question: Question, principal: Principal, before: Conversation = NO_CONVERSATION) -> Plan:
        """One plan of the question; it names the base that is asked."""
        base = self.bases.of(question.knowledge_base)
        schema = base.schema
        request = PlanRequest(
            question.message,
            question.knowledge_base,
            self.now(),
            principal.tenant,
            before.turns,
            before.messages,
            schema=schema,
            bases={name: base.description for name, base in self.bases.named.items()},
            asker=schema.logins.get(principal.login, ""),
            intents=served_intents(base),
        )
        plan = self.planner.plan(request)
        return plan if plan.knowledge_base else replace(plan, knowledge_base=question.knowledge_base)
