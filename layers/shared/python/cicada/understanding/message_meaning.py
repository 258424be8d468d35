"""What a message means, by its reading: conditions, aggregates, groups, order, fields, topic."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from cicada.documents.catalogue import DOCUMENTS, EVERY, Aggregate, Operation, Sort
from cicada.knowledge_bases.schema import FieldType
from cicada.understanding.conditions import iso_day, with_condition
from cicada.understanding.facts import Facts, Mention, MentionKind, in_singular, names_kind
from cicada.understanding.meaning import Bounds, Meaning
from cicada.understanding.reading import AND, OR, Reading, Role
from cicada.understanding.vocabulary import Kind, Level, Vocabulary
from cicada.understanding.words import lexicon, split_words

_NAMES = (MentionKind.WORD, MentionKind.NAME)
_NAMED = frozenset({"cond", "contains", "doc"})
_DENYING_DISTANCE = 2
_COMPUTING = frozenset({"AVG", "SUM"})
_BETWEEN = frozenset({"all", "the", "our", "different"})
_DEFINITE = frozenset({"the", "which", "what"})
_LIKELY, _PERHAPS = 0.5, 0.25
# What a verb says of money, as the names of fields have it.
_OF_VERBS = {"pay": "paid", "owe": "owed", "owing": "owed", "spend": "spent"}
_COMPUTED: tuple[Operation, ...] = ("sum", "avg", "min", "max")
_FIRST_OF = {"name", "title"}


class _Part(Struct, frozen=True):
    """A mention with its role; words and names with one role are joined."""

    mention: Mention
    role: Role


def meaning_of(reading: Reading, vocabulary: Vocabulary, asker: str = "") -> Meaning:
    """What the message states, whatever its strategy. `asker`: the name by which fields call the user."""
    parts = _joined(reading)
    found = Meaning(topic=_topic_of(reading))
    for part in parts:
        found = with_condition(found, part.mention, part.role, reading, vocabulary, asker)
        found = _with_field(found, part, reading, vocabulary)
        if part.mention.kind is MentionKind.NUMBER and part.role.name == "top":
            found = replace(found, limit=max(1, int(part.mention.number)))
        if part.role.name == "doc":
            found = replace(found, named=(*found.named, part.mention.text))
    found = sorted_as_said(_with_order(found, parts, reading, vocabulary), reading)
    found = _summed_in_groups(found, vocabulary)
    found = _with_counts(_with_unnamed_number(found, reading, vocabulary), reading)
    found = _with_nearest(found, parts, reading, vocabulary)
    return replace(found, together=_together(found, parts, reading.facts, vocabulary))


def _joined(reading: Reading) -> list[_Part]:
    """The mentions that have a role, runs of words of one name as one; words with another role are left out."""
    parts: list[_Part] = []
    for mention, role in zip(reading.facts.mentions, reading.roles, strict=True):
        if mention.kind in _NAMES and role.name in _NAMED:
            if parts and _continues(parts[-1], mention, role):
                parts[-1] = _extended(parts[-1], mention, reading.facts)
            else:
                named = Mention(mention.start, mention.end, MentionKind.NAME, mention.text)
                parts.append(_Part(named, role))
        elif mention.kind is not MentionKind.WORD:
            parts.append(_Part(mention, role))
    return parts


def _continues(last: _Part, mention: Mention, role: Role) -> bool:
    return (
        last.mention.kind is MentionKind.NAME
        and last.role.name == role.name
        and last.mention.end == mention.start
        and (last.role.negated > _LIKELY) == (role.negated > _LIKELY)
    )


def _extended(last: _Part, mention: Mention, facts: Facts) -> _Part:
    is_glued = facts.tokens[mention.start].start == facts.tokens[mention.start - 1].end
    text = f"{last.mention.text}{'' if is_glued else ' '}{mention.text}"
    return replace(last, mention=replace(last.mention, end=mention.end, text=text))


def _topic_of(reading: Reading) -> str:
    """The words that the texts are searched for, as written, without words of grammar at the ends."""
    pairs = zip(reading.facts.mentions, reading.roles, strict=True)
    words = [mention.text for mention, role in pairs if _is_topic(mention, role)]
    while words and words[0].lower() in lexicon().function:
        words = words[1:]
    while words and words[-1].lower() in lexicon().function:
        words = words[:-1]
    return " ".join(words)


def _is_topic(mention: Mention, role: Role) -> bool:
    is_word = mention.kind in (*_NAMES, MentionKind.DOCUMENT)
    return (is_word and role.name == "topic") or (mention.kind is MentionKind.VALUE and role.name == "content")


def _with_field(found: Meaning, part: _Part, reading: Reading, vocabulary: Vocabulary) -> Meaning:
    role = part.role.name
    is_value = part.mention.kind is MentionKind.VALUE and role not in ("cond", "content")
    if part.mention.kind is not MentionKind.FIELD and not is_value:
        return found
    field = part.role.field or named_field(part.mention, reading.facts, vocabulary)
    if field is None:
        return found
    if role == "agg":
        return _computing(found, field, part.role.operations)
    if role == "count":
        return _computing(found, field, ("count",))
    if vocabulary.types[field] is FieldType.DATE and _is_denied(part.mention, field, reading):
        return found.bounding(field, Bounds(present=False))  # "Sponsors who have not paid" have no day of it.
    if role in ("null", "set"):
        return found.bounding(field, Bounds(present=role == "set"))
    if role == "by":
        return replace(found, group=_once(found.group, field), fields=_once(found.fields, field))
    return replace(found, fields=_once(found.fields, field)) if role == "show" else found


def _is_denied(mention: Mention, field: str, reading: Reading) -> bool:
    """Whether a verb for a date is denied, and no day is said: "not paid yet"."""
    said = [each.text for each in reading.facts.tokens[max(0, mention.start - _DENYING_DISTANCE) : mention.start]]
    is_dated = any(role.is_condition and role.field == field for role in reading.roles)
    return not is_dated and any(lexicon().cues.get(each) == "NOT" for each in said)


def perhaps_asked_for(reading: Reading, vocabulary: Vocabulary) -> tuple[str, ...]:
    """The fields that may be asked for, though it is likelier that their words mean nothing."""
    asked = (each for each, role in reading.of_kind(MentionKind.FIELD) if role.chances.get("show", 0.0) > _PERHAPS)
    return tuple(filter(None, (named_field(each, reading.facts, vocabulary) for each in asked)))


def _once(fields: tuple[str, ...], field: str) -> tuple[str, ...]:
    return fields if field in fields else (*fields, field)


def _computing(found: Meaning, field: str, operations: Sequence[Operation]) -> Meaning:
    new = [Aggregate(each, field) for each in operations]
    return replace(found, aggregates=tuple(dict.fromkeys((*found.aggregates, *new))))


def named_field(mention: Mention, facts: Facts, vocabulary: Vocabulary) -> str | None:
    """The field that a phrase names; of several, the one with most other words of its name in the message."""
    fields = mention.fields(Kind.FIELD) or tuple(
        each.field for each in mention.meanings if vocabulary.types.get(each.field) is FieldType.BOOLEAN
    )
    if len(fields) <= 1:
        return fields[0] if fields else None
    others = set(facts.base) - set(facts.base[mention.start : mention.end])

    def fitting(field: str) -> tuple[int, bool]:
        words = set(split_words(field))
        return len(words & others), bool(words & _FIRST_OF)

    return max(fields, key=fitting)


def _with_order(found: Meaning, parts: Sequence[_Part], reading: Reading, vocabulary: Vocabulary) -> Meaning:
    """The order; an adjective ("cheapest first") turns the direction of a field that is named beside it."""
    stated: Sort | None = None
    implied: Sort | None = None
    for part in parts:
        if part.role.name not in ("sort+", "sort-"):
            continue
        field = part.role.field or named_field(part.mention, reading.facts, vocabulary)
        if field is None:
            continue
        order = Sort(field, descending=_is_descending(part, field))
        if part.mention.meanings[0].level is Level.IMPLIED:
            implied = implied or order
        elif stated is None:
            stated = order
    dates = [name for name in found.bounds if vocabulary.types[name] is FieldType.DATE]
    if implied and implied.field == vocabulary.date and len(dates) == 1:
        implied = replace(implied, field=dates[0])  # Of "expiring before May, soonest first" too.
    if stated and implied:
        return replace(found, order=replace(stated, descending=implied.descending))
    return replace(found, order=stated or implied)


def sorted_as_said(found: Meaning, reading: Reading) -> Meaning:
    """The meaning in the order of the one field that is shown, where a direction alone is said: "prices descending"."""
    cues = {lexicon().cues.get(each.text) for each in reading.facts.tokens} & {"ASC", "DESC"}
    if found.order or len(found.fields) != 1 or found.aggregates or found.group or len(cues) != 1:
        return found
    return replace(found, order=Sort(found.fields[0], descending="DESC" in cues))


def _with_nearest(found: Meaning, parts: Sequence[_Part], reading: Reading, vocabulary: Vocabulary) -> Meaning:
    """The record, or the records, that a question asks for by a date: "which ends first?", "which expire next?"."""
    if lexicon().which.isdisjoint(each.text for each in reading.facts.tokens):
        return found
    words = {each.start: each.text.lower() for each, _ in reading.of_kind(MentionKind.WORD)}
    for mention in (part.mention for part in parts if part.mention.kind is MentionKind.FIELD):
        field, after = named_field(mention, reading.facts, vocabulary), words.get(mention.end, "")
        if after not in lexicon().nearest or mention.meanings[0].level is Level.IMPLIED:
            continue  # "Newest first" is an order.
        if field is None or vocabulary.types[field] is not FieldType.DATE:
            continue
        is_stated = any(part.role.name == "top" for part in parts)
        limit = found.limit if is_stated else None if _asks_for_several(reading, vocabulary) else 1
        found = replace(found, order=Sort(field, descending=after in ("last", "latest")), limit=limit)
        is_to_come = after == "next" and field not in found.bounds
        return found.bounding(field, Bounds(gte=iso_day(reading.now))) if is_to_come else found
    return found


def _asks_for_several(reading: Reading, vocabulary: Vocabulary) -> bool:
    """Whether a question with "which" is for several: "which charters …", and not "which of the charters …"."""
    words = [each.text for each in reading.facts.tokens]
    of = any(first in lexicon().which and second in ("of", "one") for first, second in pairwise(words))
    kinds = (each for each, _ in reading.of_kind(MentionKind.RECORD, MentionKind.VALUE) if names_kind(each, vocabulary))
    return not of and any(not in_singular(each, reading.facts) for each in kinds)


def _is_descending(part: _Part, field: str) -> bool:
    """The direction was read of the first field that the word may mean; the oldest has the lowest year of birth."""
    first = part.mention.meanings[0]
    meant = next((each for each in part.mention.meanings if each.field == field), first)
    return (part.role.name == "sort-") is not meant.is_opposed(first)


def _summed_in_groups(found: Meaning, vocabulary: Vocabulary) -> Meaning:
    """A number that is shown for groups is added up: "cost of the jobs, split by who paid"."""
    if not found.group or found.aggregates:
        return found
    numbers = [name for name in found.fields if vocabulary.types[name] is FieldType.NUMBER and name not in found.group]
    fields = tuple(name for name in found.fields if name not in numbers)
    return replace(found, fields=fields, aggregates=tuple(Aggregate("sum", name) for name in numbers))


def _with_unnamed_number(found: Meaning, reading: Reading, vocabulary: Vocabulary) -> Meaning:
    """What is computed of a number that the message does not name as such: "how much do they owe?"."""
    said = {_OF_VERBS.get(each, each) for each in reading.facts.base}
    numbers = [name for name, each in vocabulary.types.items() if each is FieldType.NUMBER]
    spoken_of = [name for name in numbers if not said.isdisjoint(split_words(name))]
    number = spoken_of[0] if len(spoken_of) == 1 else vocabulary.number
    if not spoken_of and (other := _another_measure(number, reading, vocabulary)):
        return replace(found, unknown=(*found.unknown, other))
    if number is None or any(each.op != "count" for each in found.aggregates):
        return found
    asked = [Aggregate(each, number) for each in _COMPUTED if reading.asks[each] > _LIKELY]
    return replace(found, aggregates=(*found.aggregates, *asked))


def _another_measure(number: str | None, reading: Reading, vocabulary: Vocabulary) -> str:
    """What is computed of a measure that this number is not: "age" in "the average age", where there are weights."""
    tokens = [each.text for each in reading.facts.tokens]
    said = [word for cue, word in pairwise(tokens) if lexicon().cues.get(cue) in _COMPUTING]
    measures = [frozenset(each.fields) for each in lexicon().implied.values() if each.polarity]
    own = {word for each in measures if number and not each.isdisjoint(split_words(number)) for word in each}
    own |= {word for name in vocabulary.types for word in split_words(name)}
    return next((word for word in said if any(word in each for each in measures) and word not in own), "")


def _with_counts(found: Meaning, reading: Reading) -> Meaning:
    """How many, by groups or not; the order of groups; the one record or group that is asked for."""
    asks, cues = reading.asks, {lexicon().cues.get(each.text) for each in reading.facts.tokens}
    if asks["count"] > _LIKELY and not any(each.op == "count" for each in found.aggregates):
        found = replace(found, aggregates=(DOCUMENTS, *found.aggregates))
    if found.group and found.order is None and max(asks["most"], asks["fewest"]) > _LIKELY:
        found = _ordering_groups(found, asks)
    is_counted = found.order is not None or any(each.op == "count" for each in found.aggregates)
    if not is_counted and _says_number_of(reading, cues):
        found = replace(found, aggregates=(DOCUMENTS, *found.aggregates))
    is_one = asks["one"] > _LIKELY or _names_one_group(found, reading, cues)
    if is_one and found.limit is None and found.order:
        found = replace(found, limit=1)
    return found


def _names_one_group(found: Meaning, reading: Reading, cues: Collection[str | None]) -> bool:
    """Whether the group of a superlative is said in the singular: "the company with the most orchestras"."""
    if not (found.order and found.order.of and len(found.group) == 1) or not {"EACH", "SORT"}.isdisjoint(cues):
        return False
    words = ["", *(each.text for each in reading.facts.tokens)]
    named = [each for each, _ in reading.of_kind(MentionKind.FIELD) if found.group[0] in each.fields(Kind.FIELD)]
    return any(words[each.start] in _DEFINITE and in_singular(each, reading.facts) for each in named)


def _says_number_of(reading: Reading, cues: Collection[str | None]) -> bool:
    """Whether it asks for "the number of all matches", where matches are the records."""
    words = [each.text for each in reading.facts.tokens]
    before = (words[: mention.start] for mention, _ in reading.of_kind(MentionKind.RECORD))
    says = any([each for each in said if each not in _BETWEEN][-2:] == ["number", "of"] for said in before)
    return says and {"SORT", "NOT"}.isdisjoint(cues)


def _ordering_groups(found: Meaning, asks: Mapping[str, float]) -> Meaning:
    """Groups in the order of what is computed for them, or of how many records they have."""
    descending = asks["most"] >= asks["fewest"]
    computed = next((each for each in found.aggregates if each.op != "count"), None)
    if computed is None or asks["count"] > _LIKELY:
        return replace(found, order=Sort(EVERY, descending, "count"))
    rest = tuple(each for each in found.aggregates if each != computed)
    return replace(found, aggregates=rest, order=Sort(computed.field, descending, computed.op))


def _together(found: Meaning, parts: Sequence[_Part], facts: Facts, vocabulary: Vocabulary) -> frozenset[str]:
    """The fields of lists whose values are joined by "and", and by no "or"."""
    names = [name for name, values in found.wanted.items() if len(values) > 1]
    lists = [name for name in names if vocabulary.types[name] is FieldType.KEYWORDS]
    return frozenset(name for name in lists if _joined_by_and(name, parts, facts))


def _joined_by_and(name: str, parts: Sequence[_Part], facts: Facts) -> bool:
    own = [part.mention for part in parts if part.role.field == name and part.role.is_condition]
    between = [token.text for token in facts.tokens[own[0].start : own[-1].end]] if own else []
    return not OR.intersection(between) and bool(AND.intersection(between))
