"""What a message does to the plan before it: which parts it keeps, which it replaces, and whether it begins anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from msgspec import Struct
from msgspec.structs import replace

from cicada.documents.catalogue import DOCUMENTS, Aggregate, Operation
from cicada.knowledge_bases.schema import FieldType
from cicada.understanding.features import code, three, two
from cicada.understanding.heads import Heads
from cicada.understanding.meaning import Meaning
from cicada.understanding.reading import OPERATIONS, Reading
from cicada.understanding.vocabulary import Vocabulary

NEW = "new"
PARTS = ("conditions", "aggregates", "group", "fields", "order", "limit", "topic")
"""The parts of a plan that the next message may keep; each has a head."""
_LIKELY = 0.5
_LEAST_NEW = 0.1


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
    if strategy == "A" and before.states and relation == NEW:
        relation = max((each for each in relations if each != NEW), key=relations.__getitem__)
    # A question on what texts say, after a listing, mostly leaves the listing.
    if strategy == "C" and before.strategy == "M" and relations[NEW] > _LEAST_NEW:
        relation = NEW
    keeps = heads["keeps"].probabilities(*features)
    operations = heads["following_operations"].probabilities(*features)
    likely = tuple(name for name in OPERATIONS if operations[name] > _LIKELY)
    return Following(relation, relations[relation], keeps, likely)


def context_features(reading: Reading, own: Meaning, strategy: str, before: Earlier) -> list[int]:
    """Which parts the message has and which the plan before has, with how the message begins and how long it is."""
    has = {name: (bool(_part(own, name)), bool(_part(before.meaning, name))) for name in PARTS}
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


def _part(meaning: Meaning, name: str) -> object:
    return meaning.restricted if name == "conditions" else getattr(meaning, name)


def continued(own: Meaning, before: Earlier, found: Following, vocabulary: Vocabulary) -> Meaning:
    """The message's own meaning with what it keeps of the plan before."""
    earlier = before.meaning
    own = _on_the_same_date(own, earlier, vocabulary)
    # Who corrects one condition means the others as they were.
    keeps = found.relation == "correct" or found.keeps["conditions"] > _LIKELY
    meaning = _with_conditions(own, earlier) if keeps else own
    # What the texts of a named document were searched for is not searched for in another one.
    topic = () if earlier.named and own.restricted else ("topic",)
    for name in ("aggregates", "group", "fields", "order", "limit", *topic):
        if not _part(own, name) and _part(earlier, name) and found.keeps[name] > _LIKELY:
            meaning = replace(meaning, **{name: getattr(earlier, name)})
    if not own.named and not own.restricted:
        meaning = replace(meaning, named=earlier.named)
    if not own.aggregates and found.operations and not (earlier.aggregates and found.keeps["aggregates"] > _LIKELY):
        meaning = _computing(meaning, earlier, found.operations, vocabulary)
    if meaning.aggregates and not meaning.group:
        return replace(meaning, order=None, limit=own.limit)
    return meaning


def _on_the_same_date(own: Meaning, earlier: Meaning, vocabulary: Vocabulary) -> Meaning:
    """A period without a verb ("and next year?") is of the date that the plan before has a period of."""
    dates = [name for name in earlier.bounds if vocabulary.types.get(name) is FieldType.DATE]
    if len(dates) != 1 or vocabulary.date not in own.bounds or dates[0] in own.restricted:
        return own
    bounds = {dates[0] if name == vocabulary.date else name: each for name, each in own.bounds.items()}
    return replace(own, bounds=bounds)


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
