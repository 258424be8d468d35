"""A schema with fields of every type, and the facts of messages to it."""

from __future__ import annotations

from datetime import date

from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.understanding.facts import Facts, MentionKind, facts_of
from cicada.understanding.heads import packaged_heads
from cicada.understanding.vocabulary import compiled

NOW = date(2026, 5, 20)
FIELDS = (
    SchemaField("product_type", FieldType.KEYWORD, ("Kettle", "Tea Pot"), {"Tea Pot": ("brewer",)}),
    SchemaField("number_of_products", FieldType.NUMBER),
    SchemaField("country", FieldType.KEYWORD, ("France", "Spain")),
    SchemaField("designer", FieldType.PERSON, ("Ada Brook", "Rose Tanner")),
    SchemaField("released_on", FieldType.DATE, words=("launch",)),
    SchemaField("date_of_birth", FieldType.DATE),
    SchemaField("price", FieldType.NUMBER),
    SchemaField("is_on_display", FieldType.BOOLEAN, synonyms={"false": ("packed away",)}),
    SchemaField("department", FieldType.KEYWORD, ("IT", "Sales and Marketing")),
    SchemaField("product_id", FieldType.KEYWORD),
    SchemaField("town", FieldType.KEYWORD),
)
WORKSHOP = compiled(Schema({each.name: each for each in FIELDS}, items=("garden tool",)))


def facts(message: str) -> Facts:
    return facts_of(message, WORKSHOP, NOW, packaged_heads().common)


def texts(message: str, kind: MentionKind) -> list[str]:
    """The mentions of this kind, as written."""
    return [each.text for each in facts(message).mentions if each.kind is kind]
