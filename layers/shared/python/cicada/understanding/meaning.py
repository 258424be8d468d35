"""A meaning: the conditions on records, and what is asked of them."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from cicada.documents.catalogue import DOCUMENTS, Aggregate, Sort
from cicada.documents.model import AnyOf, Condition, Contains, Exists, NoneOf, Range, Scalar
from cicada.knowledge_bases.schema import FieldType


class Bounds(Struct, frozen=True):
    """Limits of a number or date, a part of a text, or whether the field has a value at all; None says nothing."""

    gt: float | str | None = None
    gte: float | str | None = None
    lt: float | str | None = None
    lte: float | str | None = None
    contains: str | None = None
    present: bool | None = None

    def joined(self, other: Bounds) -> Bounds:
        """Both; where both say something, the other. What is past as of a day was before it, and not on it."""
        for one, day in ((self, other), (other, self)):
            if one.gte is None and one.lt is not None and one.lt == day.gte:
                return one
        stated = {name: value for name in self.__struct_fields__ if (value := getattr(other, name)) is not None}
        return replace(self, **stated)


class Meaning(Struct, frozen=True):
    """`wanted`, `unwanted`, `bounds`: by field. `fields`: whose values are asked for. `named`: single documents.

    `topic`: what the texts are searched for. `unknown`: names that no field of the base can have. `lacks_asker`: it
    asks for the asker's own records, and the asker's name is unknown. `together`: fields of lists that must have all
    of their wanted values.
    """

    wanted: Mapping[str, tuple[Scalar, ...]] = field(default_factory=dict)
    unwanted: Mapping[str, tuple[Scalar, ...]] = field(default_factory=dict)
    bounds: Mapping[str, Bounds] = field(default_factory=dict)
    aggregates: tuple[Aggregate, ...] = ()
    group: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    order: Sort | None = None
    limit: int | None = None
    named: tuple[str, ...] = ()
    topic: str = ""
    unknown: tuple[str, ...] = ()
    lacks_asker: bool = False
    together: frozenset[str] = frozenset()

    def adding(self, name: str, value: Scalar, *, negated: bool) -> Meaning:
        """Add a value that the field has, or must not have."""
        values = self.unwanted if negated else self.wanted
        known = values.get(name, ())
        new = {**values, name: known if value in known else (*known, value)}
        return replace(self, unwanted=new) if negated else replace(self, wanted=new)

    def setting(self, name: str, value: Scalar) -> Meaning:
        """Make this the only value of the field."""
        return replace(self, wanted={**self.wanted, name: (value,)})

    def bounding(self, name: str, bounds: Bounds) -> Meaning:
        return replace(self, bounds={**self.bounds, name: self.bounds.get(name, Bounds()).joined(bounds)})

    @property
    def restricted(self) -> frozenset[str]:
        """The fields that it has a condition on."""
        return frozenset({*self.wanted, *self.unwanted, *self.bounds})

    @property
    def counts_all(self) -> bool:
        """Whether it asks for nothing but how many records there are."""
        states_more = self.restricted or self.named or self.group or self.order or self.limit or self.fields
        return not states_more and self.aggregates == (DOCUMENTS,)

    def speaks_of(self, value: Scalar) -> bool:
        """Whether it has a condition on this value."""
        return any(value in values for values in (*self.wanted.values(), *self.unwanted.values()))

    def searching_for_lists(self, types: Mapping[str, FieldType]) -> Meaning:
        """Make the values of lists, such as tags, the topic: in "SOPs about deviations" they are no condition."""
        lists = {name: values for name, values in self.wanted.items() if types[name] is FieldType.KEYWORDS}
        rest = {name: values for name, values in self.wanted.items() if name not in lists}
        return replace(self, wanted=rest, topic=" ".join(str(each) for values in lists.values() for each in values))

    def conditions(self) -> tuple[Condition, ...]:
        """The conditions. Of a field that has wanted values, nothing else is said."""
        found: list[Condition] = []
        for name, values in self.wanted.items():
            alternatives = [(each,) for each in values] if name in self.together else [values]
            found += [AnyOf(name, frozenset(each)) for each in alternatives]
        rest = [name for name in self.unwanted if name not in self.wanted]
        found += [NoneOf(name, frozenset(self.unwanted[name])) for name in rest]
        ranges = [name for name in self.bounds if name not in self.wanted and name not in rest]
        return (*found, *(_condition(name, self.bounds[name]) for name in ranges))


def _condition(name: str, bounds: Bounds) -> Condition:
    if bounds.present is not None:
        return Exists(name, bounds.present)
    if bounds.contains is not None:
        return Contains(name, bounds.contains)
    return Range(name, least=bounds.gte, above=bounds.gt, most=bounds.lte, below=bounds.lt)
