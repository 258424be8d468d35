"""The roles of a message's mentions by its label: what each head is to say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cicada.documents.catalogue import EVERY, Aggregate, Sort
from cicada.knowledge_bases.schema import FieldType
from cicada.understanding.facts import Facts, Mention, MentionKind
from cicada.understanding.meaning import Bounds, Meaning
from cicada.understanding.reading import HEAD_OF, OPERATIONS
from cicada.understanding.understood import Understood
from cicada.understanding.vocabulary import Kind, Level, Vocabulary
from cicada.understanding.vocabulary import Meaning as Named
from cicada.understanding.words import base_form
from tools.understanding.examples import Label, Message, Store

_WORD_ROLES = ("none", "topic", "cond", "contains", "doc", "unk")
ROLES: Mapping[str, tuple[str, ...]] = {
    "value": ("cond", "content", "show", "by", "carrier", "null", "set", "count"),
    "field": ("none", "show", "by", "sort+", "sort-", "agg", "carrier", "null", "set"),
    "number": ("none", "top", "gt", "gte", "lt", "lte", "eq"),
    "date": ("none", "cond"),
    "name": _WORD_ROLES,
    "word": _WORD_ROLES,
    "me": ("none", "cond"),
}
"""The classes of the heads that read mentions."""
_COMPUTED = ("sum", "avg", "min", "max")
ASKS = ("count", "one", "group", "most", "fewest", *_COMPUTED)
RELATIONS = ("new", "continue", "correct", "refer", "answer")
_OF_VALUES = ("show", "by", "carrier", "null", "count")
# Words of a topic are told by their first letters: "cleaning" in the topic is "clean" in the message.
_TOPIC_STEM = 5


@dataclass(frozen=True)
class Filter:
    """A filter of a label: values that are wanted, perhaps `together`, values that are unwanted, or bounds."""

    wanted: tuple[Any, ...] = ()
    unwanted: tuple[Any, ...] = ()
    bounds: Mapping[str, Any] | None = None
    is_missing: bool = False
    together: bool = False

    @property
    def limits(self) -> tuple[Any, ...]:
        return tuple((self.bounds or {}).values())


@dataclass(frozen=True)
class Target:
    """What a mention's heads are to say. `name`: the role, None of a record. `link`: the field of a condition."""

    name: str | None
    negated: bool = False
    link: str | None = None
    operations: frozenset[str] = frozenset()


def filters_of(label: Label) -> dict[str, Filter]:
    return {name: _filter(value) for name, value in label.filters.items()}


def _filter(value: Any) -> Filter:
    if value is None:
        return Filter(is_missing=True)
    if isinstance(value, dict):
        if "not" in value:
            return Filter(unwanted=_tuple(value["not"]))
        if "all" in value:
            return Filter(wanted=_tuple(value["all"]), together=True)
        return Filter(bounds=value)
    return Filter(wanted=_tuple(value))


def _tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list) else (value,)


def targets(facts: Facts, label: Label, store: Store, known: Iterable[str]) -> list[Target]:
    """The targets of all mentions. `known`: words that stay unmasked."""
    filters = filters_of(label)
    shown = _shown_alone(facts, label)
    unsorted = replace(label, sort=None)
    return [
        _target(each, facts, unsorted if each.start in shown else label, filters, store, frozenset(known))
        for each in facts.mentions
    ]


def _shown_alone(facts: Facts, label: Label) -> set[int]:
    """Where the words begin that show a field, or group by it, while other words sort by it.

    They are the first "year" of "the year and winner, in descending order of the year", and "year" in "per year, latest
    first".
    """
    field = label.sort[0] if label.sort else ""
    named = [each for each in facts.mentions if field in each.fields(Kind.FIELD)]
    said = [each.start for each in named if each.meanings[0].level > Level.IMPLIED]
    if field not in (*label.fields, *label.group) or len(named) < 2:
        return set()
    return set(said[:-1] if len(said) > 1 else said)


def _target(
    mention: Mention, facts: Facts, label: Label, filters: Mapping[str, Filter], store: Store, known: frozenset[str]
) -> Target:
    head = HEAD_OF.get(mention.kind)
    # Where nobody knows who asks, the label cannot say what "my" does.
    if head is None or (mention.kind is MentionKind.ASKER and not store.asker):
        return Target(None)
    role = _role(mention, label, filters, store)
    is_stranger = label.strategy == "N" and role == "none" and mention.kind in (MentionKind.WORD, MentionKind.NAME)
    if is_stranger and facts.tokens[mention.start].text not in known:
        role = "unk"
    negated = role == "not"
    if negated:
        role = "eq" if head == "number" else "cond"
    if role not in ROLES[head]:
        role = "content" if head == "value" else "none"
    operations = _operations(mention, label) if role == "agg" else frozenset[str]()
    link = _link(mention, filters, store)
    if mention.kind is MentionKind.FIELD:
        link = _role_of_field(mention.meanings, label, filters)[1]
    return Target(role, negated, link, operations)


def _role(mention: Mention, label: Label, filters: Mapping[str, Filter], store: Store) -> str:
    if mention.kind is MentionKind.VALUE:
        return _value_role(mention, label, filters, store.vocabulary)
    if mention.kind is MentionKind.FIELD:
        return _field_role(mention.meanings, label, filters)
    if mention.kind is MentionKind.NUMBER:
        return _number_role(mention, label, filters)
    if mention.kind is MentionKind.DATE:
        return _date_role(mention, filters, store.vocabulary)
    if mention.kind is MentionKind.ASKER:
        return _asker_role(filters, store)
    return _word_role(mention.text, label, filters)


def _value_role(mention: Mention, label: Label, filters: Mapping[str, Filter], vocabulary: Vocabulary) -> str:
    values = [each for each in mention.meanings if each.kind is Kind.VALUE]
    for each in values:
        found = filters.get(each.field, Filter())
        wanted, unwanted = _lower(found.wanted), _lower(found.unwanted)
        if each.value.lower() in wanted:
            return "cond"
        opposite = {"true": "false", "false": "true"}.get(each.value.lower())
        if each.value.lower() in unwanted or (opposite and opposite in wanted):
            return "not"
    fields = [each for each in mention.meanings if each.kind is Kind.FIELD]
    fields += [each for each in values if vocabulary.types[each.field] is FieldType.BOOLEAN]
    role = _field_role(fields, label, filters)
    return role if role in _OF_VALUES else "content"


def _lower(values: Iterable[Any]) -> set[str]:
    return {str(each).lower() for each in values}


def _field_role(meanings: Sequence[Named], label: Label, filters: Mapping[str, Filter]) -> str:
    return _role_of_field(meanings, label, filters)[0]


def _role_of_field(meanings: Sequence[Named], label: Label, filters: Mapping[str, Filter]) -> tuple[str, str | None]:
    """The role of words for these fields, and which of them is meant; an order goes before what is shown."""
    for each in meanings:
        if label.sort and label.sort[0] == each.field and not _computed(each.field, label):
            is_descending = (label.sort[1] == "desc") is not each.is_opposed(meanings[0])
            return "sort-" if is_descending else "sort+", each.field
    for name in (each.field for each in meanings):
        if _computed(name, label) or (label.sort and label.sort[0].endswith(f":{name}")):
            return "agg", name
    for name in (each.field for each in meanings):
        if name in label.group:
            return "by", name
        if name in label.fields:
            return "show", name
        if name in filters:
            return _carrier(filters[name]), name
    return "none", None


def _computed(name: str, label: Label) -> set[str]:
    return {operation for operation, field in label.aggregates if field == name}


def _carrier(found: Filter) -> str:
    if found.is_missing:
        return "null"
    return "set" if found.bounds and "set" in found.bounds else "carrier"


def _operations(mention: Mention, label: Label) -> frozenset[str]:
    for name in (each.field for each in mention.meanings):
        found = _computed(name, label)
        if label.sort and label.sort[0].endswith(f":{name}"):
            found.update(each for each in OPERATIONS if each == label.sort[0].split(":")[0])
        if found:
            return frozenset(found)
    return frozenset()


def _number_role(mention: Mention, label: Label, filters: Mapping[str, Filter]) -> str:
    role = "top" if label.top is not None and mention.number == label.top else "none"
    for found in filters.values():
        for name, bound in (found.bounds or {}).items():
            if isinstance(bound, int | float) and not isinstance(bound, bool) and float(bound) == mention.number:
                role = name
        if _has_number(found.wanted, mention.number):
            role = "eq"
        if _has_number(found.unwanted, mention.number):
            role = "not"
    return role


def _has_number(values: Iterable[Any], number: float) -> bool:
    return any(_number(each) == number for each in values)


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _date_role(mention: Mention, filters: Mapping[str, Filter], vocabulary: Vocabulary) -> str:
    is_stated = any(
        (vocabulary.types.get(name) is FieldType.DATE and _has_bounds(found)) or _has_text(found)
        for name, found in filters.items()
    )
    return "cond" if is_stated or _link_of_date(mention, filters) else "none"


def _has_bounds(found: Filter) -> bool:
    return bool(found.bounds) and not {"contains", "set"} & set(found.bounds or {})


def _has_text(found: Filter) -> bool:
    return _has_bounds(found) and any(isinstance(each, str) for each in found.limits)


def _asker_role(filters: Mapping[str, Filter], store: Store) -> str:
    for name, found in filters.items():
        if store.asker and store.vocabulary.types.get(name) is FieldType.PERSON:
            if store.asker in found.wanted:
                return "cond"
            if store.asker in found.unwanted:
                return "not"
    return "none"


def _word_role(text: str, label: Label, filters: Mapping[str, Filter]) -> str:
    said = _plain(text)
    if not said:
        return "none"
    for found in filters.values():
        if any(_inside(said, each) for each in found.wanted):
            return "cond"
        if any(_inside(said, each) for each in found.unwanted):
            return "not"
        if _inside(said, (found.bounds or {}).get("contains", "")):
            return "contains"
    if any(_inside(said, each) or _plain(each) in said for each in label.named):
        return "doc"
    topic = {base_form(word)[:_TOPIC_STEM] for word in _plain(label.topic).split()}
    return "topic" if any(base_form(word)[:_TOPIC_STEM] in topic for word in said.split()) else "none"


def _plain(value: Any) -> str:
    return re.sub(r"\W+", " ", str(value).lower()).strip()


def _inside(said: str, value: Any) -> bool:
    return f" {said} " in f" {_plain(value)} "


def _link(mention: Mention, filters: Mapping[str, Filter], store: Store) -> str | None:
    """The field that the mention's condition is on; None if it has none."""
    if mention.kind is MentionKind.DATE:
        return _link_of_date(mention, filters)
    return next((name for name, found in filters.items() if _states(mention, name, found, store)), None)


def _states(mention: Mention, name: str, found: Filter, store: Store) -> bool:
    values = (*found.wanted, *found.unwanted)
    if mention.kind is MentionKind.NUMBER:
        limits = [each for each in found.limits if not isinstance(each, bool)]
        years = [each[:4] for each in limits if isinstance(each, str) and each[:4].isdigit()]
        numbers = [each for each in limits if isinstance(each, int | float)]
        return _has_number((*numbers, *values, *years), mention.number)
    if mention.kind is MentionKind.ASKER:
        return store.asker in values
    if mention.kind is MentionKind.VALUE:
        meanings = [each for each in mention.meanings if each.kind is Kind.VALUE and each.field == name]
        return any(each.value.lower() in _lower(values) for each in meanings)
    said = _plain(mention.text)
    return any(_inside(said, each) for each in (*values, (found.bounds or {}).get("contains", "")))


def _link_of_date(mention: Mention, filters: Mapping[str, Filter]) -> str | None:
    days = mention.days.days if mention.days else None
    if days is None:
        return None
    ranges = [each for each in (days, mention.days.upcoming if mention.days else None) if each]
    stated = {each.isoformat() for days in ranges for each in (days.least, days.below) if each}
    years = {each.year for each in (days.least, days.below) if each}
    for name, found in filters.items():
        if any(str(each) in stated or each in years for each in found.limits):
            return name
        if days.least and str(days.least.year) in _lower((*found.wanted, *found.unwanted)):
            return name
    return None


def is_upcoming(mention: Mention, label: Label) -> bool | None:
    """Whether days that may be the latest or the next ones are the next; None where that is not said."""
    phrase = mention.days
    if phrase is None or phrase.upcoming is None:
        return None
    limits = {str(each) for found in filters_of(label).values() for each in found.limits}
    of_latest, of_next = (
        {each.isoformat() for each in (days.least, days.below) if each} <= limits
        for days in (phrase.days, phrase.upcoming)
    )
    return of_next if of_latest is not of_next else None


def asks_of(label: Label, facts: Facts) -> list[bool]:
    """What the head of `ASKS` is to say."""
    named = {each.field for mention in facts.mentions for each in mention.meanings}
    computed: set[str] = {operation for operation, name in label.aggregates if name not in named}
    operation, _, name = (label.sort or ("", ""))[0].rpartition(":")
    computed |= {operation} if name not in named else set()
    field, direction = label.sort or ("", "")
    of_groups = field == "count" or ":" in field
    return [
        ("count", "*") in label.aggregates,
        label.top == 1,
        bool(label.group),
        of_groups and direction == "desc",
        of_groups and direction == "asc",
        *(each in computed for each in _COMPUTED),
    ]


def as_labelled(message: Message) -> Understood:
    """The right plan of a message, for what follows it."""
    label = message.label
    meaning = meaning_of_label(label)
    return Understood(message.text, meaning, label.strategy, 1.0, wants_documents=label.wants_documents)


def meaning_of_label(label: Label) -> Meaning:
    """The label as a meaning, for what follows it."""
    found = Meaning(
        aggregates=tuple(Aggregate(operation, name) for operation, name in label.aggregates),
        group=label.group,
        fields=label.fields,
        order=_order(label.sort),
        limit=label.top,
        named=label.named,
        topic=label.topic,
    )
    for name, each in filters_of(label).items():
        for value in each.wanted:
            found = found.adding(name, value, negated=False)
        for value in each.unwanted:
            found = found.adding(name, value, negated=True)
        if each.is_missing or each.bounds:
            found = found.bounding(name, _bounds(each))
    return found


def _bounds(found: Filter) -> Bounds:
    if found.is_missing:
        return Bounds(present=False)
    said = dict(found.bounds or {})
    return Bounds(present=said.pop("set", None), **said)


def _order(sort: tuple[str, str] | None) -> Sort | None:
    if sort is None:
        return None
    field, direction = sort
    if field == "count":
        return Sort(EVERY, direction == "desc", "count")
    operation, _, name = field.rpartition(":")
    return Sort(name, direction == "desc", next((each for each in OPERATIONS if each == operation), None))
