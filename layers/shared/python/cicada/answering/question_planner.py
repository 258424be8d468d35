"""The plan of a question, with what a plan may depend on: the base, the user, the day."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from cicada.conversation.model import Question
from cicada.dialogue import NO_CONVERSATION, Conversation
from cicada.errors import InvalidFilterError
from cicada.identity.principal import Principal
from cicada.knowledge_bases.settings import KnowledgeBases
from cicada.permissions.bases import check_base, permitted_bases
from cicada.planning.classifier import served_intents
from cicada.planning.plan import Plan
from cicada.planning.planner import Planner, PlanRequest
from cicada.text import did_you_mean


def _all(principal: Principal, knowledge_base: str) -> None:
    """Every episode exists."""


def _assumed(principal: Principal, knowledge_base: str) -> bool:  # noqa: ARG001 - the same for every base
    """Every base has documents."""
    return True


class QuestionPlanner(Struct, frozen=True):
    """`now`: the time in the user's time zone.

    `has_documents`: whether a base has any that the user may read; it is asked of bases that the settings do not name.
    `episodes`: the ids of those that the user may read, None if they need not be known; it is asked only where a
    question names episodes.
    """

    planner: Planner
    bases: KnowledgeBases
    now: Callable[[], datetime]
    has_documents: Callable[[Principal, str], bool] = _assumed
    episodes: Callable[[Principal, str], Collection[str] | None] = _all

    def plan(self, question: Question, principal: Principal, before: Conversation = NO_CONVERSATION) -> Plan:
        """One plan of the question; it names the base that is asked.

        Raises `UnknownKnowledgeBaseError` for a base that the user may not ask, whoever chose it, and
        `InvalidFilterError` for an episode that it does not have.
        """
        self._check(principal, question.knowledge_base)
        self._check_episodes(principal, question)
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
            bases={name: base.description for name, base in permitted_bases(self.bases, principal).items()},
            asker=schema.logins.get(principal.login, ""),
            intents=served_intents(base),
            listing=before.listing,
        )
        plan = self.planner.plan(request)
        if plan.knowledge_base in ("", question.knowledge_base):
            return replace(plan, knowledge_base=question.knowledge_base)
        self._check(principal, plan.knowledge_base)
        return plan

    def _check(self, principal: Principal, name: str) -> None:
        check_base(self.bases, principal, name, lambda: self.has_documents(principal, name))

    def _check_episodes(self, principal: Principal, question: Question) -> None:
        known = self.episodes(principal, question.knowledge_base) if question.episodes else None
        unknown = next((each for each in question.episodes if known is not None and each not in known), None)
        if known is None or unknown is None:
            return
        there = f" It has {', '.join(sorted(known))}." if known else " It has none."
        meant = did_you_mean(unknown, known)
        raise InvalidFilterError(
            f"The knowledge base “{question.knowledge_base}” has no episode “{unknown}”{meant}{there}"
        )
