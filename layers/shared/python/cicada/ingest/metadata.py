"""The metadata of a document: what its sidecar, its front matter and its own properties say, by the schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from msgspec import Struct, field

from cicada.documents.model import MetadataValue
from cicada.ingest.model import Problem
from cicada.knowledge_bases.schema import Schema
from cicada.knowledge_bases.values import Unusable, field_named, typed

Texts: TypeAlias = Mapping[str, str | tuple[str, ...]]
"""Values by the names of their fields, as texts."""


class Declared(Struct, frozen=True):
    """What one source says. `place` names it in a report. `optional`: what the schema does not know is left out."""

    place: str
    values: Texts
    optional: bool = False


class _Reading(Struct):
    """The metadata so far."""

    schema: Schema
    metadata: dict[str, MetadataValue] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    unknown: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def take(self, name: str, value: str | tuple[str, ...], source: Declared) -> None:
        known = field_named(self.schema, name)
        key = known.name if known else name
        if key in self.seen or (known is None and source.optional):
            return
        self.seen.add(key)
        if known is None:
            self.metadata[name] = value
            self.unknown.append(name)
            return
        found = typed(known, value)
        if isinstance(found, Unusable):
            reason = f"{found.reason} The document goes in without it."
            self.problems.append(Problem(source.place, reason, "metadata"))
        else:
            self.metadata[key] = found


def described(schema: Schema, sources: Iterable[Declared]) -> tuple[dict[str, MetadataValue], tuple[Problem, ...]]:
    """The metadata, and what is wrong with them. Of a field that several sources have, the first source counts.

    A field that the schema does not have stays a keyword; that is reported unless the base has no schema at all.
    """
    reading = _Reading(schema)
    for source in sources:
        for name, value in source.values.items():
            reading.take(name, value, source)
    if schema.fields and reading.unknown:
        reading.problems.append(_unknown(reading.unknown, schema))
    return reading.metadata, tuple(reading.problems)


def _unknown(names: list[str], schema: Schema) -> Problem:
    listed = ", ".join(f"'{name[:40]}'" for name in names)[:400]
    reason = f"The schema does not have {listed}; kept as keywords. It has {', '.join(schema.fields)}."
    return Problem("", reason[:1000], "unknown_field")
