"""Filters of documents and their passages within a knowledge base."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct

from cicada.documents.model import KnowledgeBaseKey, MetadataValue

Scalar: TypeAlias = str | float | bool
"""One value of a field. A date is its ISO text (`2026-01-31`), so that texts compare as dates do."""


class AnyOf(Struct, frozen=True):
    """The field has one of these values; of a list field, one of its values is among them."""

    field: str
    values: frozenset[Scalar]


class NoneOf(Struct, frozen=True):
    """The field has none of these values; a document without the field matches."""

    field: str
    values: frozenset[Scalar]


class Range(Struct, frozen=True):
    """The field's number or date is within the bounds; None is no bound. A document without the field does not match.

    `least` and `most` are included, `above` and `below` are not.
    """

    field: str
    least: float | str | None = None
    above: float | str | None = None
    most: float | str | None = None
    below: float | str | None = None


class Exists(Struct, frozen=True):
    """The field has a value, or with `present` False has none."""

    field: str
    present: bool = True


Condition: TypeAlias = AnyOf | NoneOf | Range | Exists


class PassageFilter(Struct, frozen=True):
    """The documents and passages that a search may return, always of one knowledge base and so of one tenant.

    All `conditions` must hold. `document_ids`: None for all documents.
    `reader`: the user's reader names; a document that names readers is returned only if one of them matches. None lets
    every reader's documents through: `permissions.readers.every_document` alone makes it, for operators.
    """

    base_key: KnowledgeBaseKey
    document_ids: frozenset[str] | None = None
    conditions: tuple[Condition, ...] = ()
    reader: frozenset[str] | None = frozenset()

    @property
    def readable(self) -> PassageFilter:
        """All of the knowledge base that its reader may read."""
        return PassageFilter(self.base_key, reader=self.reader)


def meets(metadata: Mapping[str, MetadataValue], conditions: tuple[Condition, ...]) -> bool:
    """Whether a document with this metadata meets all conditions."""
    return all(_holds(condition, _scalars(metadata.get(condition.field))) for condition in conditions)


def _holds(condition: Condition, found: tuple[Scalar, ...]) -> bool:
    if isinstance(condition, AnyOf):
        return _among(found, condition.values)
    if isinstance(condition, NoneOf):
        return not _among(found, condition.values)
    if isinstance(condition, Exists):
        return bool(found) is condition.present
    return any(_within(value, condition) for value in found)


def _among(found: tuple[Scalar, ...], values: frozenset[Scalar]) -> bool:
    # In Python True equals 1; as values of a field they differ.
    wanted = {(isinstance(each, bool), each) for each in values}
    return any((isinstance(each, bool), each) in wanted for each in found)


def _within(value: Scalar, bounds: Range) -> bool:
    given = [each for each in (bounds.least, bounds.above, bounds.most, bounds.below) if each is not None]
    if isinstance(value, bool) or any(isinstance(each, str) != isinstance(value, str) for each in given):
        return False
    if not given and isinstance(value, str):
        return False
    return (
        (bounds.least is None or value >= bounds.least)  # type: ignore[operator]
        and (bounds.above is None or value > bounds.above)  # type: ignore[operator]
        and (bounds.most is None or value <= bounds.most)  # type: ignore[operator]
        and (bounds.below is None or value < bounds.below)  # type: ignore[operator]
    )


def _scalars(value: MetadataValue | None) -> tuple[Scalar, ...]:
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (value,)
