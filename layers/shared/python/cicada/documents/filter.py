"""Filters of documents and their passages within a knowledge base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from cicada.documents.model import KnowledgeBaseKey

Scalar: TypeAlias = str | float | bool
"""One value of a field. A date is its ISO text (`2026-01-31`), so that texts compare as dates do."""


@dataclass(frozen=True, slots=True)
class AnyOf:
    """The field has one of these values; of a list field, one of its values is among them."""

    field: str
    values: frozenset[Scalar]


@dataclass(frozen=True, slots=True)
class NoneOf:
    """The field has none of these values; a document without the field matches."""

    field: str
    values: frozenset[Scalar]


@dataclass(frozen=True, slots=True)
class Range:
    """The field's number or date is within the bounds; None is no bound. A document without the field does not match.

    `least` and `most` are included, `above` and `below` are not.
    """

    field: str
    least: float | str | None = None
    above: float | str | None = None
    most: float | str | None = None
    below: float | str | None = None


@dataclass(frozen=True, slots=True)
class Exists:
    """The field has a value, or with `present` False has none."""

    field: str
    present: bool = True


Condition: TypeAlias = AnyOf | NoneOf | Range | Exists


@dataclass(frozen=True, slots=True)
class PassageFilter:
    """The passages that a search may return, always of one knowledge base and so of one tenant.

    `document_ids`: None for all documents. `metadata`: for each field, the values of which one must match.
    `reader`: the user's reader names; a passage that names readers is returned only if one of them matches.
    """

    base_key: KnowledgeBaseKey
    document_ids: frozenset[str] | None = None
    metadata: Mapping[str, frozenset[str]] = field(default_factory=dict)
    reader: frozenset[str] = frozenset()
