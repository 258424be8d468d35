"""What a message states about fields, collected phrase by phrase."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct, field

from cicada.documents.model import AnyOf, Condition, Exists, NoneOf, Range, Scalar
from cicada.planning.deterministic.noun_phrases import NounPhrase
from cicada.understanding.calendar_ranges import DateRange
from cicada.understanding.dates import date_range


class Conditions(Struct):
    """Values by field, in the order of the message. One message's own; nothing keeps it."""

    wanted: dict[str, set[Scalar]] = field(default_factory=dict)
    unwanted: dict[str, set[Scalar]] = field(default_factory=dict)
    ranges: dict[str, Condition] = field(default_factory=dict)

    def add(self, name: str, value: Scalar, *, negated: bool = False) -> None:
        """The field has this value, or must not have it. Several values of one field are alternatives."""
        (self.unwanted if negated else self.wanted).setdefault(name, set()).add(value)

    def add_days(self, name: str, days: DateRange) -> None:
        """The date is within the range; two open ranges of one field are joined."""
        known = self.ranges.get(name)
        new = date_range(name, days)
        if isinstance(known, Range):
            new = Range(name, least=new.least or known.least, below=new.below or known.below)
        self.ranges[name] = new

    def add_range(self, condition: Range | Exists) -> None:
        self.ranges[condition.field] = condition

    def fields(self) -> frozenset[str]:
        return frozenset({*self.wanted, *self.unwanted, *self.ranges})

    def all(self) -> tuple[Condition, ...]:
        """The conditions; of a field that has wanted values, the unwanted ones say nothing more."""
        return (
            *(AnyOf(name, frozenset(values)) for name, values in self.wanted.items()),
            *(NoneOf(name, frozenset(values)) for name, values in self._only_unwanted()),
            *self.ranges.values(),
        )

    def _only_unwanted(self) -> Iterable[tuple[str, set[Scalar]]]:
        return ((name, values) for name, values in self.unwanted.items() if name not in self.wanted)


class Constraints(Struct):
    """What was read. `used`: the positions of conditions and of the words that introduce them.

    `unknown`: what the message asks for and the schema does not have; a message with it cannot be answered.
    `lacks_asker`: it asks for the asker's own documents, and the asker's name is unknown.
    """

    conditions: Conditions = field(default_factory=Conditions)
    phrases: list[NounPhrase] = field(default_factory=list)
    used: set[int] = field(default_factory=set)
    unknown: list[str] = field(default_factory=list)
    lacks_asker: bool = False
