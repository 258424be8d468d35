"""Plans: their values, what contradicts itself in one, and the port of what makes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from msgspec import Struct, field
from msgspec.structs import replace

from cicada.dialogue import NOTHING_SHOWN, Shown, ShownDocument, Turn
from cicada.documents.catalogue import DOCUMENTS, EVERY, Aggregate, ListedPage, Operation, Sort
from cicada.documents.model import ROW, TABLE, AnyOf, Condition, Contains, Exists, KnowledgeBaseKey, NoneOf, Subject
from cicada.documents.periods import period_of
from cicada.knowledge_bases.schema import FieldType, Schema
from cicada.text import with_carried

BY_MODEL, BY_RULES = "model", "rules"
"""The beginning of `Plan.by` of a plan that a model made."""
PAGE_SIZE = 20
"""Documents of a listing's page, where the message names no number."""
MOST_GROUPED_BY = 2
"""Fields that the numbers of one plan are grouped by."""
# Below this confidence a list, or a document that is meant, is only guessed.
_GUESSED = 0.35
_SURE_OF_A_LIST = 0.7
_TYPES: Mapping[Operation, tuple[FieldType, ...]] = {
    "count": tuple(FieldType),
    "sum": (FieldType.NUMBER,),
    "avg": (FieldType.NUMBER,),
    "min": (FieldType.NUMBER, FieldType.DATE),
    "max": (FieldType.NUMBER, FieldType.DATE),
}


class Intent(StrEnum):
    SCRIPT_QUERY = "script_query"
    PROFILE_REQUEST = "profile_request"
    THEORY_REQUEST = "theory_request"
    GENERAL = "general"


class Classification(Struct, frozen=True):
    """The intent of a message.

    `confidence` is between 0 and 1: the share of the evidence for `intent`.
    `reason` is one phrase for a log or a trace; it quotes only the cue words of the message.
    `seems`: what the message is likeliest for by its words, where the base searches for all that is not sure.
    """

    intent: Intent
    confidence: float
    reason: str
    seems: Classification | None = None


class Shape(StrEnum):
    """How a question about documents is answered; the names are those of the wire and of the evaluation."""

    METADATA_ONLY = "MetadataOnly"
    CONTENT_ONLY = "ContentOnly"
    HYBRID = "Hybrid"
    NO_MATCH = "NoMatch"
    NEEDS_CLARIFICATION = "NeedsClarification"


def concepts_of(topic: str) -> tuple[str, ...]:
    """The key concepts of a topic: its words, each once."""
    return tuple(dict.fromkeys(topic.lower().split()))


class Plan(Struct, frozen=True):
    """`query`: the message as a stand-alone question. `search_value`: what to search the passages for, or empty.

    `aggregates`: the numbers that are asked for; with `group`, for each value of these fields, of which there are at
    most two. `group` alone asks which values there are. `fields`: those whose values are asked for, in order.
    `limit` and `offset`: the page of a listing. `by`: what made the plan, `rules` or `model`.
    `carried`: what the rules carried over from earlier turns; a search's `query` and `search_value` have it at their
    end, and so has the search that a list of a row may become, which it names.
    `subjects`: what is read as a whole instead of searched for passages; of several, each is read, to compare them.
    `named`: names or numbers of single documents, as the message wrote them; the answer looks them up.
    `single`: the message speaks of one document that the conditions describe ("When does the lease end?").
    `wants_documents`: the documents about `search_value` are asked for, and not what they say of it.
    `continues`: it goes on from the plan before.
    `before`: the question before, as it stands alone, where the message only makes sense with it.
    `may_follow`: the question before, where a short message may go on from it though nothing in it says so.
    `spoken_of`: ids of the documents that the last answer quoted, where the message may go on from it.
    `again`: passages of the last answer that this one is made from too, instead of a search.
    `scene`: the scene of `again` is read whole instead, or the one so many places after it.
    `of_rows`: it goes on from a page of the rows of tables.
    `left_out`: conditions that the user has taken away, which what goes on from the plan does not bring back.
    `unknown`: names that the message states as conditions, but no field can have; they restrict nothing.
    `today`: the day of the question in the user's time zone, as `2026-01-31`; empty where it does not count.
    `confidence`: 0 to 1, how likely the rules' plan is right; a model does not say. `clarification`: what to ask back.
    """

    intent: Intent
    shape: Shape
    query: str
    search_value: str = ""
    knowledge_base: str = ""
    filters: tuple[Condition, ...] = ()
    sort: Sort | None = None
    aggregates: tuple[Aggregate, ...] = ()
    group: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    limit: int | None = None
    offset: int = 0
    key_concepts: tuple[str, ...] = ()
    language: str = "en"
    confidence: float = 1.0
    by: str = BY_RULES
    clarification: str = ""
    carried: tuple[str, ...] = ()
    subjects: tuple[Subject, ...] = ()
    named: tuple[str, ...] = ()
    single: bool = False
    wants_documents: bool = False
    continues: bool = False
    before: str = ""
    may_follow: str = ""
    spoken_of: tuple[str, ...] = ()
    again: tuple[ShownDocument, ...] = ()
    scene: int | None = None
    today: str = ""
    of_rows: bool = False
    unknown: tuple[str, ...] = ()
    left_out: tuple[Condition, ...] = ()

    @property
    def is_listing(self) -> bool:
        """Whether the answer is a list of documents, or numbers about them."""
        return self.shape is Shape.METADATA_ONLY or self.wants_documents

    @property
    def is_guess(self) -> bool:
        """Whether rules have only guessed that fields of documents are asked for."""
        by_rules = not self.by.startswith(BY_MODEL)
        return self.shape is Shape.METADATA_ONLY and by_rules and self.confidence < _GUESSED

    @property
    def may_be_for_the_texts(self) -> bool:
        """Whether rules list what meets conditions, compute nothing of it, and are not sure that it is asked for."""
        is_row = any(each.field == ROW for each in self.filters) and not self.fields
        does_more = self.aggregates or self.group or self.sort or self.limit or (self.named and not is_row)
        is_list = self.shape is Shape.METADATA_ONLY and self.by == BY_RULES and bool(self.filters) and not does_more
        return is_list and (self.continues or self.confidence < _SURE_OF_A_LIST)

    @property
    def lists_by_name(self) -> bool:
        """Whether rules list what has a name that no field is known to have."""
        names = any(isinstance(each, Contains) for each in self.filters)
        return self.shape is Shape.METADATA_ONLY and self.by == BY_RULES and names and not self.aggregates

    @property
    def as_search(self) -> Plan:
        """The plan that searches the texts for the question instead."""
        values = self.carried or [each for condition in self.filters for each in _values_of(condition)]
        value = with_carried(self.query, values) if self.continues else self.query
        return replace(self, shape=Shape.CONTENT_ONLY, filters=(), fields=(), named=(), search_value=value)

    def asked(self, message: str) -> str:
        """What the answering model is asked: the message, or what it means after the messages before it."""
        if self.before:
            return f"{message} ({self.before})"
        return self.query if self.carried else message

    @property
    def asks_for_rows(self) -> bool:
        """Whether documents are shown, and not numbers alone.

        Those that are counted are shown after their number, so that it can be checked; other numbers stand alone,
        unless a field of the documents, an order or a number of them is asked for too.
        """
        if not self.group and self.aggregates in ((), (DOCUMENTS,)):
            return True
        return bool(self.fields) or (not self.group and bool(self.sort or self.limit))


def _values_of(condition: Condition) -> Iterator[str]:
    """The words of a condition that a search can look for."""
    if isinstance(condition, AnyOf) and condition.field != TABLE:
        yield from sorted(each for each in condition.values if isinstance(each, str))
    if isinstance(condition, Contains):
        yield condition.text


class PlanRequest(Struct, frozen=True):
    """A message and what a plan may depend on.

    `now`: in the user's time zone. `turns`: earlier ones, within a token budget; `messages`: the user's earlier ones,
    in full; both oldest first. `schema`: of `knowledge_base`, the one that is asked unless the plan names another.
    `bases`: the bases that the user may ask, with their descriptions. `asker`: the name by which owner fields call the
    user, empty if unknown. `intents`: those that the base serves. `listing`: the page of documents that the last answer
    showed. `shown`: what it showed under numbers. `of_scripts`: the base holds scripts.
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
    of_scripts: bool = False

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


def contradiction(plan: Plan, schema: Schema | None = None) -> str | None:
    """What contradicts itself in the plan, as the rest of a sentence about it; None if nothing does.

    Documents that are named are looked up first: which they are and what is read of them is not decided by the plan.
    `schema`: of the base whose fields the plan names; without it the types of fields are not compared.
    """
    computes = bool(plan.aggregates or plan.group or plan.fields or (plan.sort and plan.sort.of))
    listing = bool(plan.filters or plan.sort or computes or plan.limit)
    if plan.subjects and not plan.named and plan.shape not in (Shape.CONTENT_ONLY, Shape.HYBRID):
        return f"is {plan.shape} and reads documents"
    if plan.intent is not Intent.SCRIPT_QUERY and plan.shape is not Shape.NO_MATCH:
        return f"has the intent {plan.intent} and searches"
    if plan.wants_documents and plan.shape not in (Shape.CONTENT_ONLY, Shape.HYBRID):
        return f"is {plan.shape} and wants documents about a subject"
    if plan.shape in (Shape.NO_MATCH, Shape.NEEDS_CLARIFICATION):
        return f"is {plan.shape} and searches" if listing or plan.search_value else None
    if plan.shape is Shape.METADATA_ONLY:
        return "is MetadataOnly and searches texts" if plan.search_value else _uncomputable(plan, schema)
    if not (plan.search_value or plan.subjects or plan.named):
        return f"is {plan.shape} and searches for nothing"
    if computes and not plan.wants_documents:
        return f"is {plan.shape} and computes numbers or asks for fields"
    if plan.shape is Shape.HYBRID and not (plan.filters or plan.named):
        return "is Hybrid and has no filters"
    if plan.shape is Shape.CONTENT_ONLY and plan.filters:
        return "is ContentOnly and has filters"
    return _uncomputable(plan, schema)


def _uncomputable(plan: Plan, schema: Schema | None) -> str | None:
    """What of its numbers cannot be computed."""
    sort = plan.sort
    if sort and (sort.of or sort.field == EVERY) and not (sort.of and plan.group):
        return "sorts by a number of groups and has no groups"
    if len(plan.group) > MOST_GROUPED_BY or len(set(plan.group)) < len(plan.group):
        return "groups by more than two fields, or by one twice"
    if schema and not _shares_a_table(plan, schema):
        return "has conditions and numbers on columns that no table has together"
    asked = [*plan.aggregates, *([Aggregate(sort.of, sort.field)] if sort and sort.of else [])]
    return next((f"asks for the {each.op} of a field that has none" for each in asked if not _fits(each, schema)), None)


def _shares_a_table(plan: Plan, schema: Schema) -> bool:
    """Whether some table, or some document outside of tables, has all fields that its conditions and numbers need."""
    needed = [each for each in plan.filters if not isinstance(each, NoneOf)]
    wanted = [each.field for each in needed if not (isinstance(each, Exists) and not each.present)]
    numbers = [each.field for each in plan.aggregates] + ([plan.sort.field] if plan.sort else [])
    fields = (schema.fields.get(name) for name in (*wanted, *(period_of(name)[0] for name in plan.group), *numbers))
    columns = [each.tables for each in fields if each is not None and each.tables]
    tables = [each.values for each in needed if isinstance(each, AnyOf) and each.field == TABLE]
    return not columns or bool(frozenset.intersection(*columns, *tables))


def _fits(aggregate: Aggregate, schema: Schema | None) -> bool:
    if aggregate.field == EVERY:
        return aggregate.op == "count"
    field = schema.fields.get(aggregate.field) if schema else None
    return field is None or field.type in _TYPES[aggregate.op]
