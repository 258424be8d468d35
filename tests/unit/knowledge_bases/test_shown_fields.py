from __future__ import annotations

from cicada.documents.model import MetadataValue
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.knowledge_bases.values import shown_fields
from tests.unit.knowledge_bases.schemas import SCHEMA


def test_shown_fields_stand_under_their_display_names_in_the_schemas_order() -> None:
    metadata: dict[str, MetadataValue] = {
        "public": True,
        "effective": "2026-01-31",
        "status": "retired",
        "pages": 7.0,
        "tags": ("a",),
    }
    found = shown_fields(SCHEMA, metadata)
    assert list(found.items()) == [("Status", "retired"), ("In force since", "2026-01-31"), ("public", "yes")]


def test_numbers_and_lists_are_written_for_people_and_long_values_are_cut() -> None:
    kinds = {"n": FieldType.NUMBER, "l": FieldType.KEYWORDS, "t": FieldType.KEYWORD}
    schema = Schema({name: SchemaField(name, kind, shown=True) for name, kind in kinds.items()})
    assert shown_fields(schema, {"n": 7.0, "l": ("a", "b"), "t": "x" * 121}) == {"n": "7", "l": "a, b", "t": "x" * 120}


def test_a_source_shows_ten_fields_at_most() -> None:
    schema = Schema({f"f{number}": SchemaField(f"f{number}", FieldType.KEYWORD, shown=True) for number in range(11)})
    assert len(shown_fields(schema, dict.fromkeys(schema.fields, "x"))) == 10
