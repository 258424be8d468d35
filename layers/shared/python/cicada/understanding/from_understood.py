"""The plan of a message that was understood, or of one on a row of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from cicada.documents.catalogue import EVERY
from cicada.documents.model import TABLE, AnyOf, Condition, Contains
from cicada.knowledge_bases.schema import VALUED, Schema
from cicada.knowledge_bases.values import either_form
from cicada.languages.terms import words
from cicada.text import one_line, with_carried
from cicada.understanding.asking_back import place_of
from cicada.understanding.last_answer import SpokenRow
from cicada.understanding.meaning import Meaning
from cicada.understanding.plan import MOST_GROUPED_BY, Intent, Plan, Shape, concepts_of, contradiction

if TYPE_CHECKING:
    from cicada.understanding.understood import Understood

# By the strategies of the heads.
SHAPES = {
    "A": Shape.NEEDS_CLARIFICATION,
    "C": Shape.CONTENT_ONLY,
    "H": Shape.HYBRID,
    "M": Shape.METADATA_ONLY,
    "N": Shape.NO_MATCH,
}
_ON_DOCUMENTS = frozenset({Shape.CONTENT_ONLY, Shape.HYBRID, Shape.METADATA_ONLY})
_SURELY_NONE = 0.96


def plan_of(found: Understood, schema: Schema) -> Plan:
    """The plan of a message that was understood; what contradicts itself in it is left out."""
    shape, meaning = SHAPES[found.strategy], found.meaning
    if shape is Shape.HYBRID and not (meaning.restricted or meaning.named):
        shape = Shape.CONTENT_ONLY
    # An unneeded search costs little, an unanswered question much.
    if shape is Shape.NO_MATCH and found.has_subject and found.confidence < _SURELY_NONE:
        shape = Shape.CONTENT_ONLY
    query = one_line(found.message)
    plan = Plan(
        Intent.SCRIPT_QUERY,
        shape,
        query,
        confidence=round(found.confidence, 3),
        clarification=found.question,
        # What an ordinary search carries over is read from the words of the turns before.
        carried=() if shape is Shape.CONTENT_ONLY and not found.completes else _carried(found),
        continues=found.continues,
        named=meaning.named if shape in _ON_DOCUMENTS else (),
        single=found.single and shape in _ON_DOCUMENTS,
    )
    if found.wants_documents:
        topic, concepts = meaning.topic, concepts_of(meaning.topic)
        about = replace(plan, wants_documents=True, search_value=topic, key_concepts=concepts, carried=_carried(found))
        return _listing(about, meaning, schema)
    if shape is Shape.METADATA_ONLY:
        if plan.is_guess and meaning.fields and meaning.topic and not meaning.named:
            plan = replace(plan, named=(meaning.topic,))  # A title in other words: "the AC-3 validation report".
        return _listing(plan, meaning, schema)
    if shape not in _ON_DOCUMENTS:
        return plan
    is_own = set(words(found.message)).issuperset(words(meaning.topic))
    value = query if shape is Shape.CONTENT_ONLY or is_own else with_carried(query, _carried(found))
    if meaning.named and not meaning.topic:
        value = ""  # "Open SOP-QA-006": it is read as a whole.
    return replace(
        plan,
        filters=_conditions(meaning, schema) if shape is Shape.HYBRID else (),
        search_value=value,
        key_concepts=concepts_of(meaning.topic),
        sort=meaning.order if meaning.order and not meaning.order.of and shape is Shape.HYBRID else None,
        limit=meaning.limit if shape is Shape.HYBRID else None,
    )


def of_row(found: Understood, row: SpokenRow) -> Plan:
    """The fields of a row that are asked for, else all of it, which a text may answer instead."""
    fields = found.meaning.fields if found.strategy in ("A", "M") else ()
    return Plan(
        Intent.SCRIPT_QUERY,
        Shape.METADATA_ONLY,
        one_line(row.asked),
        confidence=round(found.confidence, 3),
        filters=row.rows,
        fields=fields,
        continues=True,
        carried=row.called,
        named=(row.document,),
    )


def _conditions(meaning: Meaning, schema: Schema) -> tuple[Condition, ...]:
    """The conditions. Where any value may stand, what the message writes may differ from it in case, or be a part."""
    return tuple(_found_in_text(each, schema) for each in meaning.conditions())


def _found_in_text(condition: Condition, schema: Schema) -> Condition:
    field = schema.fields[condition.field]
    if not isinstance(condition, AnyOf) or condition.field == TABLE:
        return condition
    values = either_form(field, condition.values)
    is_known = bool(field.values) and not (field.inferred and values.isdisjoint(field.values))
    is_open = field.type in VALUED and not is_known
    if is_open and len(values) == 1:
        (value,) = values
        return Contains(field.name, str(value))
    return replace(condition, values=values)


def _carried(found: Understood) -> tuple[str, ...]:
    """What the plan has of earlier messages."""
    if found.completes:
        return (found.completes.strip().rstrip("?!. "),)
    own = set(words(found.message))
    is_kept = found.continues and not own.issuperset(words(found.meaning.topic))
    return (found.meaning.topic,) if is_kept else ()


def _listing(plan: Plan, meaning: Meaning, schema: Schema) -> Plan:
    """A plan that is answered from fields; numbers that cannot be computed are left out."""
    whole = replace(
        plan,
        filters=_conditions(meaning, schema),
        sort=meaning.order,
        aggregates=meaning.aggregates,
        group=meaning.group[:MOST_GROUPED_BY],
        fields=tuple(each for each in meaning.fields if each not in meaning.group),
        limit=place_of(plan.query) if meaning.limit == 1 and meaning.order else meaning.limit,
        unknown=meaning.unknown,
    )
    if contradiction(whole, schema) is None:
        return whole
    order = meaning.order if meaning.order and not meaning.order.of and meaning.order.field != EVERY else None
    plain = replace(whole, aggregates=(), group=(), sort=order, confidence=0.0)
    return plain if contradiction(plain, schema) is None else replace(plain, sort=None)
