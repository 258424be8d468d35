"""Passages and conditions as JSON, for stored events and queues."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cicada.documents.catalogue import Card, CardSection, DocumentRow, Related
from cicada.documents.model import (
    AnyOf,
    Condition,
    Contains,
    DocumentKey,
    Exists,
    Locator,
    MetadataValue,
    NoneOf,
    Range,
    Scalar,
    ScriptLocator,
    SectionLocator,
)


def locator_to_json(locator: Locator) -> str:
    return _dumps(locator_values(locator))


def locator_from_json(text: str) -> Locator:
    return locator_of(json.loads(text))


def locator_values(locator: Locator) -> dict[str, Any]:
    """The locator as JSON values."""
    if isinstance(locator, SectionLocator):
        return {"path": list(locator.path)}
    values = {name: getattr(locator, name) for name in ScriptLocator.__struct_fields__}
    return {**values, "speakers": list(locator.speakers)}


def locator_of(values: Mapping[str, Any]) -> Locator:
    """The inverse of `locator_values`."""
    if "path" in values:
        return SectionLocator(tuple(values["path"]))
    return ScriptLocator(**{**values, "speakers": tuple(values["speakers"])})


def metadata_to_json(metadata: Mapping[str, MetadataValue]) -> str:
    return _dumps(dict(metadata))


def metadata_from_json(text: str) -> dict[str, MetadataValue]:
    return metadata_of(json.loads(text))


def metadata_of(values: Mapping[str, Any]) -> dict[str, MetadataValue]:
    """Metadata from JSON values, where a keyword list is an array."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}


def row_to_json(row: DocumentRow) -> str:
    """The row without its key and its card."""
    return _dumps(
        {
            "title": row.title,
            "version": row.version,
            "passages": row.passages,
            "indexedAt": row.indexed_at,
            "contentHash": row.content_hash,
            "metadata": dict(row.metadata),
            "readers": list(row.readers),
        }
    )


def row_from_json(text: str, document: DocumentKey, card: str | None = None) -> DocumentRow:
    """The inverse of `row_to_json`; `card` is that of `card_to_json`, None for a row without a card."""
    values = json.loads(text)
    return DocumentRow(
        document,
        values["title"],
        values["version"],
        values["passages"],
        values["indexedAt"],
        values["contentHash"],
        metadata_of(values["metadata"]),
        tuple(values["readers"]),
        card_from_json(card) if card else None,
    )


def card_to_json(card: Card) -> str:
    return _dumps(card_values(card))


def card_from_json(text: str) -> Card:
    return card_of(json.loads(text))


def card_values(card: Card) -> dict[str, Any]:
    """The card as JSON values."""
    return {
        "title": card.title,
        "overview": card.overview,
        "tags": list(card.topic_tags),
        "questions": list(card.question_hints),
        "sections": [[each.heading, each.first, each.last, list(each.keywords)] for each in card.sections],
        "related": [[each.document_id, each.weight] for each in card.related],
        "language": card.language,
        "by": card.by,
    }


def card_of(values: Mapping[str, Any]) -> Card:
    """The inverse of `card_values`."""
    return Card(
        title=values["title"],
        overview=values["overview"],
        topic_tags=tuple(values["tags"]),
        question_hints=tuple(values["questions"]),
        sections=tuple(
            CardSection(heading, first, last, tuple(keywords)) for heading, first, last, keywords in values["sections"]
        ),
        related=tuple(Related(document_id, weight) for document_id, weight in values["related"]),
        language=values["language"],
        by=values["by"],
    )


def readers_to_json(readers: Sequence[str]) -> str:
    return _dumps(readers)


def readers_from_json(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


_BOUNDS = ("least", "above", "most", "below")


def condition_values(condition: Condition) -> dict[str, Any]:
    """The condition; equal ones give equal values."""
    named = {"field": condition.field}
    if isinstance(condition, AnyOf):
        return named | {"any": _sorted(condition.values)}
    if isinstance(condition, NoneOf):
        return named | {"none": _sorted(condition.values)}
    if isinstance(condition, Exists):
        return named | {"exists": condition.present}
    if isinstance(condition, Contains):
        return named | {"contains": condition.text}
    bounds = {name: getattr(condition, name) for name in _BOUNDS}
    return named | {"range": {name: value for name, value in bounds.items() if value is not None}}


def condition_of(values: Mapping[str, Any]) -> Condition:
    """The inverse of `condition_values`."""
    field = values["field"]
    if "any" in values:
        return AnyOf(field, frozenset(values["any"]))
    if "none" in values:
        return NoneOf(field, frozenset(values["none"]))
    if "contains" in values:
        return Contains(field, values["contains"])
    return Exists(field, values["exists"]) if "exists" in values else Range(field, **values["range"])


def _sorted(values: Iterable[Scalar]) -> list[Scalar]:
    return sorted(values, key=lambda value: (type(value).__name__, value))
