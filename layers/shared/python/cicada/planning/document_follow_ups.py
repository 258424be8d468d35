"""Questions on documents that continue earlier ones: refinements, and replies to a question that was asked back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from msgspec import Struct
from msgspec.structs import replace

from cicada.documents.model import AnyOf, Condition, Range
from cicada.planning.deterministic.planner import DeterministicPlanner
from cicada.planning.deterministic.refinement import Refinement, is_reply, refinement
from cicada.planning.follow_ups import with_carried
from cicada.planning.intent.small_talk import is_small_talk
from cicada.planning.paging import is_page_request
from cicada.planning.plan import Plan, Shape

_TURNS = 8
_UNANSWERED = (Shape.NO_MATCH, Shape.NEEDS_CLARIFICATION)
_REFERENCE = re.compile(
    r"\b(?:the|this|that)\s+(?!same\b)(?P<noun>[\w-]+)|\b(?:it|this|that|they|them|these|those)\b", re.I
)
_REPLY = re.compile(r"(?:i mean(?:t)?\s+|it'?s\s+|that'?s\s+)?(?:the|that|this|an?)?\s*(?P<named>.+)", re.I | re.S)
_ONE = re.compile(r"\bones?\b", re.I)


class DocumentFollowUps(Struct, frozen=True):
    """Plans the last of a user's messages by the grammar of one schema, with what the earlier ones say."""

    planner: DeterministicPlanner
    now: date
    asker: str = ""

    def plan(self, messages: Sequence[str]) -> Plan:
        """`messages`: the user's, the last one is planned. A new topic carries nothing over."""
        earlier = [each for each in messages[-_TURNS - 1 : -1] if not _is_idle(each)]
        message, lexicon = messages[-1], self.planner.lexicon
        own = self.planner.plan(message, self.now, self.asker)
        if not earlier:
            return own
        change = refinement(message, lexicon, self.now, self.asker)
        if change is not None:
            return refined(self.plan(earlier), message, change) or own
        if own.shape is not Shape.NO_MATCH and is_reply(message, lexicon, self.now):
            return self._completed(self.plan(earlier), message, own) or own
        return own

    def _completed(self, before: Plan, reply: str, own: Plan) -> Plan | None:
        """The plan of the question that was asked back, completed by the reply to it."""
        if before.shape is not Shape.NEEDS_CLARIFICATION:
            return None
        names = [each for each in own.filters if isinstance(each, AnyOf) and each.field == self.planner.lexicon.owner]
        if names and not self.asker:
            (name, *_) = sorted(map(str, names[0].values))
            plan = self.planner.plan(before.query, self.now, name)
        else:
            plan = self.planner.plan(completed(before.query, reply), self.now, self.asker)
        return None if plan.shape is Shape.NEEDS_CLARIFICATION else replace(plan, carried=(before.query,))


def refined(before: Plan, message: str, change: Refinement) -> Plan | None:
    """The plan before with the message's conditions in the place of those on the same fields; None if it had none."""
    if before.shape in _UNANSWERED or not (before.filters or before.shape is Shape.METADATA_ONLY):
        return None
    conditions = _with_field_of_date(before, change)
    changed = {each.field for each in conditions}
    kept = tuple(each for each in before.filters if each.field not in changed)
    value = before.search_value.removesuffix(with_carried("", before.carried))
    carried = (value,) if value else _values(kept)
    search_value = with_carried(change.search_value, carried if value else ()) if change.search_value else value
    return replace(
        before,
        shape=Shape.HYBRID if search_value else Shape.METADATA_ONLY,
        query=with_carried(message, carried),
        search_value=search_value,
        filters=(*kept, *conditions),
        sort=None if search_value and before.sort and before.sort.of else before.sort,
        aggregates=() if search_value else before.aggregates,
        group=() if search_value else before.group,
        fields=() if search_value else before.fields,
        key_concepts=tuple(dict.fromkeys(search_value.lower().replace("(", "").replace(")", "").split())),
        offset=0,
        carried=carried or before.carried or (before.query,),
    )


def completed(question: str, reply: str) -> str:
    """The question with the reply in the place of what it left open.

    "When does the lease end?" and "the Kestrel Park one" make "When does the Kestrel Park lease end?".
    """
    said = reply.strip().rstrip(".!")
    reference = _REFERENCE.search(question)
    if reference is None:
        return f"{question} {said}"
    noun = reference["noun"]
    return question[: reference.start()] + (_named(said, noun) if noun else said) + question[reference.end() :]


def _named(reply: str, noun: str) -> str:
    """The noun as the reply names it."""
    found = _REPLY.fullmatch(reply)
    named = found["named"] if found else reply
    if re.search(rf"\b{re.escape(noun)}", named, re.I):
        return f"the {named}"
    with_noun, replaced = _ONE.subn(lambda _: noun, named, count=1)
    return f"the {with_noun}" if replaced else f"the {named} {noun}"


def _with_field_of_date(before: Plan, change: Refinement) -> tuple[Condition, ...]:
    """A period without a verb ("and next year?") is of the field of the period before."""
    dates = [
        each.field for each in before.filters if isinstance(each, Range) and isinstance(each.least or each.below, str)
    ]
    if change.loose_date is None or len(dates) != 1:
        return change.conditions
    return tuple(
        replace(each, field=dates[0]) if isinstance(each, Range) and each.field == change.loose_date else each
        for each in change.conditions
    )


def _values(conditions: Sequence[Condition]) -> tuple[str, ...]:
    return tuple(
        str(value) for each in conditions if isinstance(each, AnyOf) for value in sorted(map(str, each.values))
    )


def _is_idle(message: str) -> bool:
    """Thanks, or the request for a listing's next page."""
    return is_small_talk(message) or is_page_request(message)
