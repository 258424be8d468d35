"""What a message does to the plan before it: which parts it keeps, which it replaces, and whether it begins anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import combinations
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from cicada.documents.catalogue import DOCUMENTS, Aggregate, Operation, Sort
from cicada.knowledge_bases.schema import FieldType
from cicada.understanding.conditions import days_meant, iso_day
from cicada.understanding.facts import MentionKind
from cicada.understanding.features import code, three, two
from cicada.understanding.heads import Heads
from cicada.understanding.meaning import Bounds, Meaning
from cicada.understanding.message_meaning import sorted_as_said
from cicada.understanding.periods import Unit, shifted
from cicada.understanding.reading import OPERATIONS, Reading
from cicada.understanding.vocabulary import EARLY, Kind, Vocabulary
from cicada.understanding.words import lexicon, split_words

NEW = "new"
PARTS = ("conditions", "aggregates", "group", "fields", "order", "limit", "topic")
"""The parts of a plan that the next message may keep; each has a head."""
_LIKELY = 0.5
_LEAST_NEW = 0.1
_NEAREST_YEARS = sorted(range(-10, 11), key=lambda years: (abs(years), -years))
_SAME = frozenset({"same", "that", "this"})
_COMPARING = frozenset({"GT", "LT", "BETWEEN"})
_LEAST, _MOST = ("gt", "gte"), ("lt", "lte")


class Earlier(Struct, frozen=True):
    """The plan before: what it meant, and its strategy, one of `judging.STRATEGIES`."""

    meaning: Meaning
    strategy: str

    @property
    def states(self) -> bool:
        """Whether it says which documents are meant."""
        return self.strategy == "M" or bool(self.meaning.restricted or self.meaning.named)


class Following(Struct, frozen=True):
    """How a message goes on. `relation`: new, continue, correct, refer or answer; `chance`: how probable that is.

    `keeps`: for each part of the plan before, how probable it is that it still holds.
    """

    relation: str
    chance: float
    keeps: Mapping[str, float]
    operations: tuple[Operation, ...]


def following(reading: Reading, own: Meaning, strategy: str, before: Earlier, heads: Heads) -> Following:
    """What the message does to the plan before. `own`, `strategy`: as it would be read alone."""
    features = (reading.features, context_features(reading, own, strategy, before))
    relations = heads["relation"].probabilities(*features)
    relation = max(relations, key=relations.__getitem__)
    # What lacks its object when it is read alone speaks of what came before.
    if (strategy == "A" or reading.refers_to_several) and before.states and relation == NEW:
        relation = max((each for each in relations if each != NEW), key=relations.__getitem__)
    # A question on what texts say, after a listing, mostly leaves the listing.
    leaves = strategy == "C" and before.strategy == "M" and relations[NEW] > _LEAST_NEW
    if leaves and not reading.refers_to_several:
        relation = NEW
    keeps = heads["keeps"].probabilities(*features)
    operations = heads["following_operations"].probabilities(*features)
    likely = tuple(name for name in OPERATIONS if operations[name] > _LIKELY)
    return Following(relation, relations[relation], keeps, likely)


def context_features(reading: Reading, own: Meaning, strategy: str, before: Earlier) -> list[int]:
    """Which parts the message has and which the plan before has, with how the message begins and how long it is."""
    has = {name: (bool(part(own, name)), bool(part(before.meaning, name))) for name in PARTS}
    codes = [code(f"{name}{mine}{theirs}") for name, (mine, theirs) in has.items()]
    overlap = bool(own.restricted & before.meaning.restricted)
    found = [*codes, code(f"over{overlap}{bool(own.restricted)}"), code(f"s{before.strategy}{strategy}")]
    found.append(code(f"P{before.strategy}"))
    found += _by_beginning(reading, own, strategy, before.strategy)
    return found + [two(310, a, b) for a, b in combinations(codes, 2)]


def _by_beginning(reading: Reading, own: Meaning, strategy: str, earlier: str) -> list[int]:
    line = reading.line
    first, second = line.code(0), line.code(1)
    length = min(len(line) // 3, 6)
    has_conditions = int(bool(own.restricted))
    return [
        two(300, length, code(f"{strategy}{earlier}")),
        two(301, first, code(earlier)),
        two(302, first, has_conditions),
        three(303, first, second, code(earlier)),
        two(304, int("Item" in line.symbols), length),
        two(305, int(reading.names_records), code(earlier)),
        three(306, int(reading.names_records), has_conditions, length),
    ]


def part(meaning: Meaning, name: str) -> object:
    """What a plan has of one of `PARTS`."""
    return meaning.restricted if name == "conditions" else getattr(meaning, name)


def continued(own: Meaning, before: Earlier, found: Following, reading: Reading, vocabulary: Vocabulary) -> Meaning:
    """The message's own meaning with what it keeps of the plan before."""
    earlier = before.meaning
    is_turned = own == Meaning() and not lexicon().turned.isdisjoint(each.text for each in reading.facts.tokens)
    if found.relation == "correct" or is_turned:
        own, earlier = corrected(own, earlier, reading, vocabulary)
    own = _turned_by_not(own, earlier, reading)
    own = _on_the_same_field(own, earlier, reading)
    own = _on_the_same_date(own, earlier, reading, vocabulary)
    own = _within(own, earlier, reading, vocabulary)
    own = _by_the_same_age(own, earlier, reading)
    own = _turned_by_superlative(own, earlier, reading)
    # Who corrects one condition means the others as they were.
    keeps = found.relation == "correct" or found.keeps["conditions"] > _LIKELY
    # What names no other documents, and adds to what was said or restricts nothing, is of the same ones.
    adds = [each.text for each in reading.facts.tokens[:1]] == ["and"] or not own.restricted
    keeps = keeps or (adds and not own.named and not reading.names_records)
    meaning = _with_conditions(own, earlier) if keeps else own
    # What the texts of a named document were searched for is not searched for in another one.
    topic = () if earlier.named and own.restricted else ("topic",)
    for name in ("aggregates", "group", "fields", "order", "limit", *topic):
        if not part(own, name) and part(earlier, name) and found.keeps[name] > _LIKELY:
            meaning = replace(meaning, **{name: getattr(earlier, name)})
    absent = {name for name, each in own.bounds.items() if each.present is False}
    if absent.intersection(meaning.group):
        meaning = replace(meaning, group=(), fields=own.fields, order=own.order)  # Those without a supplier have none.
    if not own.named and not own.restricted:
        meaning = replace(meaning, named=earlier.named)
    computes = own.aggregates or own.order or (earlier.aggregates and found.keeps["aggregates"] > _LIKELY)
    if found.operations and not computes:
        meaning = _computing(meaning, earlier, found.operations, vocabulary)
    if meaning.aggregates and not meaning.group:
        return replace(meaning, order=None, limit=own.limit)
    return sorted_as_said(meaning, reading)


def with_same(own: Meaning, earlier: Meaning, reading: Reading) -> Meaning:
    """The message with the condition before on a field that it calls the same: "the policies of that department"."""
    for mention, _ in reading.of_kind(MentionKind.FIELD):
        before = reading.facts.tokens[mention.start - 1].text if mention.start else ""
        for name in mention.fields(Kind.FIELD) if before in _SAME else ():
            if name in earlier.wanted and name not in own.restricted:
                fields = tuple(each for each in own.fields if each != name)
                own = replace(own, wanted={**own.wanted, name: earlier.wanted[name]}, fields=fields)
    return own


def _on_the_same_field(own: Meaning, earlier: Meaning, reading: Reading) -> Meaning:
    """A value of several fields ("and by George Adeyemi?") is of the one that the plan before has a condition on."""
    for mention, role in reading.of_kind(MentionKind.VALUE):
        fields, now = mention.fields(Kind.VALUE), role.field
        before = next((name for name in fields if name in earlier.wanted and name != now), None)
        is_another = now in own.wanted and now not in earlier.wanted and now not in _named(reading)
        if is_another and before and before not in own.wanted:
            own = replace(own, wanted={before if name == now else name: own.wanted[name] for name in own.wanted})
    return own


def _on_the_same_date(own: Meaning, earlier: Meaning, reading: Reading, vocabulary: Vocabulary) -> Meaning:
    """A period of no date that is named ("and next year?") is of the date that the plan before has a period of."""
    before, now = (
        [name for name in each.bounds if vocabulary.types.get(name) is FieldType.DATE] for each in (earlier, own)
    )
    if len(before) != 1 or len(now) != 1 or before[0] in own.restricted or now[0] in _named(reading):
        return own
    moved = {before[0] if name == now[0] else name: each for name, each in own.bounds.items()}
    dates = [(mention.days, role) for mention, role in reading.of_kind(MentionKind.DATE) if mention.days]
    if len(dates) == 1 and dates[0][0].upcoming:  # "And in October?" is the latest or the next that this date has.
        days = days_meant(*dates[0], vocabulary.months.get(before[0], frozenset()))
        moved[before[0]] = Bounds(gte=iso_day(days.least), lt=iso_day(days.below))
    return replace(own, bounds=moved)


def _named(reading: Reading) -> set[str]:
    """The fields that the message names."""
    return {field for mention, _ in reading.of_kind(MentionKind.FIELD) for field in mention.fields(Kind.FIELD)}


def _by_the_same_age(own: Meaning, earlier: Meaning, reading: Reading) -> Meaning:
    """After the oldest boat by when it was built, "and the newest?" is by that too."""
    cues = {lexicon().cues.get(each.text) for each in reading.facts.tokens} & {"NEW", "OLD"}
    before = earlier.order
    if before is None or before.of or len(cues) != 1 or EARLY.isdisjoint(split_words(before.field)):
        return own
    return replace(own, order=replace(before, descending="NEW" in cues))


def _turned_by_not(own: Meaning, earlier: Meaning, reading: Reading) -> Meaning:
    """A message that only denies ("and without?") turns what the plan before has of yes or no: plots with water."""
    words = {each.text for each in reading.facts.tokens if each.text[0].isalnum()}
    denying = {word for word in words if lexicon().cues.get(word) == "NOT"}
    turned = [(name, values[0]) for name, values in earlier.wanted.items() if isinstance(values[0], bool)]
    asking = lexicon().function | {"how", "many", "which"}
    if len(turned) != 1 or not denying or own.restricted or not words - denying <= asking:
        return own
    [(name, value)] = turned
    return own.setting(name, not value)


def _turned_by_superlative(own: Meaning, earlier: Meaning, reading: Reading) -> Meaning:
    """A superlative alone is by the order before: after the largest plot "and the smallest?" is by size."""
    before, known = earlier.order, lexicon()
    if before is None or before.of or not earlier.limit or own.restricted or own.group or own.named:
        return own
    words = [each.text for each in reading.facts.tokens if each.text[0].isalnum() and each.text not in known.function]
    if len(words) != 1:
        return own
    [word] = words
    implied = known.implied.get(word)
    polarity = implied.polarity if implied and "age" not in implied.fields else 0
    highest = {"MAX": True, "MIN": False}.get(known.cues.get(word, ""), polarity > 0 if polarity else None)
    if highest is None:
        return own
    return replace(own, aggregates=(), order=replace(before, descending=highest), limit=earlier.limit)


def _within(own: Meaning, earlier: Meaning, reading: Reading, vocabulary: Vocabulary) -> Meaning:
    """A period inside the one before: after contracts that expire in 2027, "before July" is of 2027 too."""
    dates = [mention.days for mention, _ in reading.of_kind(MentionKind.DATE) if mention.days]
    is_yearless = len(dates) == 1 and dates[0].yearless
    for name, bounds in own.bounds.items():
        before = earlier.bounds.get(name)
        if before is None or vocabulary.types.get(name) is not FieldType.DATE:
            continue
        moved = _in_its_years(bounds, before, vocabulary.months.get(name, frozenset())) if is_yearless else bounds
        is_open = moved.gte is None or moved.lt is None
        if is_open and _is_inside(moved, before) and (is_yearless or (before.gte and before.lt)):
            moved = before.joined(moved)
        own = replace(own, bounds={**own.bounds, name: moved})
    return own


def _in_its_years(own: Bounds, before: Bounds, months: frozenset[str]) -> Bounds:
    """The days of a month without a year, in the nearest year in which they are within the days before.

    After a month, they are those nearest to it: after March 2025 "and in April?" is of 2025. `months`: those that have
    days of the field, where they are known.
    """
    every = [replace(own, gte=_years_later(own.gte, n), lt=_years_later(own.lt, n)) for n in _NEAREST_YEARS]
    inside = next((each for each in every if _is_inside(each, before)), None)
    if inside or None in (own.gte, own.lt, before.gte, before.lt):
        return inside or own
    known = [each for each in every if not months or str(each.gte)[:7] in months]
    return min(known, key=lambda each: abs(_day_number(each.gte) - _day_number(before.gte)), default=own)


def _day_number(day: float | str | None) -> int:
    return date.fromisoformat(str(day)).toordinal()


def _years_later(day: float | str | None, years: int) -> str | None:
    return None if day is None else shifted(date.fromisoformat(str(day)), Unit.YEAR, years).isoformat()


def _is_inside(own: Bounds, before: Bounds) -> bool:
    """Whether all days that the period names are within the one before; an open one begins or ends inside it."""
    least, below = str(before.gte or date.min), str(before.lt or date.max)
    begins, ends = str(own.gte or least), str(own.lt or below)
    return least <= begins < below and least < ends <= below


def _with_conditions(own: Meaning, earlier: Meaning) -> Meaning:
    """The conditions before, but for fields that the message has conditions on itself."""
    kept = earlier.restricted - own.restricted
    return replace(
        own,
        wanted={**{name: each for name, each in earlier.wanted.items() if name in kept}, **own.wanted},
        unwanted={**{name: each for name, each in earlier.unwanted.items() if name in kept}, **own.unwanted},
        bounds={**{name: each for name, each in earlier.bounds.items() if name in kept}, **own.bounds},
        together=own.together | (earlier.together & kept),
    )


def _computing(meaning: Meaning, earlier: Meaning, operations: Sequence[Operation], vocabulary: Vocabulary) -> Meaning:
    """An operation without a field ("and the average?") is of the number that was asked for before."""
    numbers = _numbers(earlier, vocabulary)
    found = [
        DOCUMENTS if each == "count" else Aggregate(each, numbers[0])
        for each in operations
        if each == "count" or numbers
    ]
    return replace(meaning, aggregates=tuple(found))


def _numbers(earlier: Meaning, vocabulary: Vocabulary) -> list[str]:
    named = [*earlier.fields, *(each.field for each in earlier.aggregates)]
    if earlier.order:
        named.append(earlier.order.field)
    return [name for name in named if vocabulary.types.get(name) is FieldType.NUMBER]


def strategy_of(meaning: Meaning, strategy: str, before: Earlier) -> str:
    """The strategy of a message that goes on, from what it means together with the plan before."""
    if meaning.topic:
        return "H" if meaning.restricted or meaning.named else "C"
    states = bool(meaning.restricted or meaning.named or meaning.aggregates or meaning.fields or meaning.order)
    return "M" if strategy == "M" or states or before.strategy == "M" else strategy


def corrected(own: Meaning, earlier: Meaning, reading: Reading, vocabulary: Vocabulary) -> tuple[Meaning, Meaning]:
    """What the message means, and what of the plan before it leaves, so that both can be joined."""
    own = _without_what_was_said(_as_wanted(own, earlier, reading), earlier)
    own = _on_the_same_number(own, earlier, reading, vocabulary)
    own = _grouped_anew(own, earlier)
    if own == Meaning() and earlier.order is not None:
        own = replace(own, order=_turned(earlier.order, reading), limit=earlier.limit)
    dropped = {*_dropped(reading, earlier, vocabulary), *_moved(own, earlier)}
    return own, _without(earlier, dropped)


def _as_wanted(own: Meaning, earlier: Meaning, reading: Reading) -> Meaning:
    """The values that are wanted: the closed ones in "not those, the closed ones", all but York in "without York"."""
    words = [each.text for each in reading.facts.tokens]
    known, ends = lexicon(), [*words[2:], "."]
    if any(
        known.cues.get(no) == "NOT" and those in known.several and not end[0].isalnum()
        for no, those, end in zip(words, words[1:], ends, strict=False)
    ):
        return replace(own, wanted={**own.unwanted, **own.wanted}, unwanted={})
    for name, values in own.unwanted.items():
        rest = tuple(each for each in earlier.wanted.get(name, ()) if each not in values)
        if rest and name not in own.wanted:
            unwanted = {each: own.unwanted[each] for each in own.unwanted if each != name}
            own = replace(own, wanted={**own.wanted, name: rest}, unwanted=unwanted)
    return own


def _without_what_was_said(own: Meaning, earlier: Meaning) -> Meaning:
    """The message without the value that it takes back: of "critical, not high" the word "high" is no topic."""
    said = {word for values in earlier.wanted.values() for value in values for word in split_words(str(value))}
    is_taken_back = said.issuperset(split_words(own.topic))
    return replace(own, topic="") if own.topic and is_taken_back and not earlier.topic else own


def _on_the_same_number(own: Meaning, earlier: Meaning, reading: Reading, vocabulary: Vocabulary) -> Meaning:
    """A number without a field ("make it 150") is of the number that the plan before compares, in the same way."""
    numbers = [name for name in earlier.bounds if vocabulary.types.get(name) is FieldType.NUMBER]
    limited = _with_numbers_as_bounds(own, vocabulary)
    stated = [name for name in limited.bounds if vocabulary.types.get(name) is FieldType.NUMBER]
    if len(numbers) != 1 or len(stated) > 1 or _named(reading).intersection(stated):
        return own
    before = earlier.bounds[numbers[0]]
    if stated:
        bounds = {name: each for name, each in limited.bounds.items() if name != stated[0]}
        return replace(limited, bounds={**bounds, numbers[0]: _compared(limited.bounds[stated[0]], before, reading)})
    said = [mention.number for mention, _ in reading.of_kind(MentionKind.NUMBER)]
    if len(said) != 1 or earlier.limit is not None or replace(own, limit=None) != Meaning():
        return own
    return replace(own, limit=None, bounds={numbers[0]: _compared(Bounds(gte=said[0]), before, reading)})


def _with_numbers_as_bounds(own: Meaning, vocabulary: Vocabulary) -> Meaning:
    """The message with the one value of a number as a limit: what is compared, and how, was said before."""
    for name, values in own.wanted.items():
        if vocabulary.types.get(name) is FieldType.NUMBER and len(values) == 1:
            rest = {each: own.wanted[each] for each in own.wanted if each != name}
            return replace(own, wanted=rest, bounds={**own.bounds, name: Bounds(gte=values[0])})
    return own


def _compared(own: Bounds, before: Bounds, reading: Reading) -> Bounds:
    """The new limits; the other limit stays, and a number without a comparison is compared as the one before."""
    cues = {lexicon().cues.get(each.text) for each in reading.facts.tokens}
    stated, earlier = _limits(own), _limits(before)
    if cues.isdisjoint(_COMPARING) and len(stated) == len(earlier) == 1:
        return Bounds(**{next(iter(earlier)): next(iter(stated.values()))})
    if len(stated) == 1 and len(earlier) == 2:
        side = _LEAST if stated.keys() & set(_LEAST) else _MOST
        return Bounds(**{name: each for name, each in earlier.items() if name not in side}, **stated)
    return own


def _limits(bounds: Bounds) -> dict[str, Any]:
    return {name: value for name in (*_LEAST, *_MOST) if (value := getattr(bounds, name)) is not None}


def _grouped_anew(own: Meaning, earlier: Meaning) -> Meaning:
    """The group that is new: the office in "per office, not per drafter"."""
    group = tuple(name for name in own.group if name not in earlier.group)
    if not group or group == own.group:
        return own
    return replace(own, group=group, fields=tuple(name for name in own.fields if name not in earlier.group))


def _turned(order: Sort, reading: Reading) -> Sort:
    """The order in the direction that the message names, or else the other way round, if it says so."""
    words = [each.text for each in reading.facts.tokens]
    if not lexicon().turned.isdisjoint(words):
        return replace(order, descending=not order.descending)
    cues = {lexicon().cues.get(word) for word in words}
    if cues & {"MIN", "ASC", "OLD"}:
        return replace(order, descending=False)
    return replace(order, descending=True) if cues & {"MAX", "DESC", "NEW"} else order


def _dropped(reading: Reading, earlier: Meaning, vocabulary: Vocabulary) -> Iterator[str]:
    """The conditions that the message takes away: "scrap the date", "forget about the room"."""
    tokens = reading.facts.tokens
    at = next((place for place, each in enumerate(tokens) if lexicon().cues.get(each.text) == "DROP"), None)
    if at is None:
        return
    for mention in reading.facts.mentions:
        if mention.start > at:
            yield from (each.field for each in mention.meanings if each.field in earlier.restricted)
    if not lexicon().of_dates.isdisjoint(each.text for each in tokens[at:]):
        yield from (name for name in earlier.bounds if vocabulary.types.get(name) is FieldType.DATE)


def _moved(own: Meaning, earlier: Meaning) -> Iterator[str]:
    """The fields that a condition was on which is now on another: "due in 2025, not reported"."""
    pairs: tuple[tuple[Mapping[str, Any], Mapping[str, Any]], ...] = (
        (own.bounds, earlier.bounds),
        (own.wanted, earlier.wanted),
    )
    for now, before in pairs:
        new = [each for name, each in now.items() if name not in before]
        yield from (name for name, each in before.items() if name not in now and each in new)


def _without(earlier: Meaning, fields: set[str]) -> Meaning:
    def rest(conditions: Mapping[str, Any]) -> dict[str, Any]:
        return {name: each for name, each in conditions.items() if name not in fields}

    wanted, unwanted, bounds = rest(earlier.wanted), rest(earlier.unwanted), rest(earlier.bounds)
    return replace(earlier, wanted=wanted, unwanted=unwanted, bounds=bounds)
