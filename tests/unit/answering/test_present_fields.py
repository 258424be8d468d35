"""An order or a number by a field that none of the documents has is of the only one of theirs that fits."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from msgspec.structs import replace

from cicada.conversation.model import Question
from cicada.documents.catalogue import Aggregate, Sort
from cicada.documents.model import AnyOf, DocumentKey, MetadataValue, Passage, SectionLocator
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.understanding.plan import Intent, Plan, Shape
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.unit.answering.situation import ANN, Situation, make_searchable, text_of
from tests.unit.answering.test_listing import STORE

FIELDS = {
    "kind": FieldType.KEYWORD,
    "date": FieldType.DATE,
    "acquired": FieldType.DATE,
    "cost_eur": FieldType.NUMBER,
    "amount_eur": FieldType.NUMBER,
    "aperture": FieldType.NUMBER,
    "signed by": FieldType.PERSON,
    "maker": FieldType.PERSON,
}
SCHEMA = Schema({name: SchemaField(name, each) for name, each in FIELDS.items()}, date="date")
INSTRUMENTS: dict[str, dict[str, MetadataValue]] = {
    "refractor": {
        "kind": "instrument",
        "acquired": "1898-04-01",
        "amount_eur": 90.0,
        "aperture": 200.0,
        "maker": "A. Ross",
    },
    "reflector": {
        "kind": "instrument",
        "acquired": "1971-04-01",
        "amount_eur": 10.0,
        "aperture": 400.0,
        "maker": "B. Lund",
    },
    "evening": {"kind": "evening", "date": "2026-01-01", "cost_eur": 5.0},
}
OLDEST = Plan(
    Intent.SCRIPT_QUERY,
    Shape.METADATA_ONLY,
    "oldest instrument",
    knowledge_base="store",
    filters=(AnyOf("kind", frozenset({"instrument"})),),
    sort=Sort("date"),
    limit=1,
)


def said(plan: Plan, documents: Mapping[str, dict[str, MetadataValue]] = INSTRUMENTS, schema: Schema = SCHEMA) -> str:
    catalogue = InMemoryPassageIndex("fixed", 1)
    for name, metadata in documents.items():
        kept = Passage(f"{name}#0", DocumentKey(STORE, name), "v1", name.title(), "Text.", "", SectionLocator(()))
        make_searchable(catalogue, kept, metadata=metadata)
    bases = KnowledgeBases(named={"store": KnowledgeBase("store", schema=schema)})
    here = Situation(catalogue=catalogue, bases=bases)
    return text_of(list(here.listings.answer(plan, Question(plan.query, "s1", "store"), ANN)))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "2 documents match (kind: instrument). Earliest acquired: 1898-04-01 (Refractor)."),
        (
            {"sort": None, "limit": None, "aggregates": (Aggregate("sum", "cost_eur"),)},
            "2 documents match (kind: instrument). amount_eur, sum: 100.",
        ),
    ],
)
def test_the_only_field_that_the_documents_have_is_meant(changes: dict[str, object], expected: str) -> None:
    assert said(replace(OLDEST, **changes)) == expected


def test_of_several_fields_none_is_meant() -> None:
    dated: dict[str, dict[str, MetadataValue]] = {
        name: {**each, "reviewed": "2026-01-01"} for name, each in INSTRUMENTS.items()
    }
    more = replace(SCHEMA, fields={**SCHEMA.fields, "reviewed": SchemaField("reviewed", FieldType.DATE)})
    assert said(OLDEST, dated, more).endswith("None of them has a value of date, so they cannot be compared by it.")


def test_of_several_that_share_the_lowest_value_all_are_told() -> None:
    camera: dict[str, MetadataValue] = {"kind": "instrument", "acquired": "1898-04-01"}
    said_of_two = said(replace(OLDEST, sort=Sort("acquired")), {**INSTRUMENTS, "camera": camera})
    assert said_of_two.endswith("Earliest acquired: 1898-04-01 (Camera; Refractor).")
    three = said(replace(OLDEST, sort=Sort("acquired"), limit=2), {**INSTRUMENTS, "camera": camera})
    assert three == "3 documents match (kind: instrument)."


def test_a_field_that_a_document_has_is_meant() -> None:
    camera: dict[str, MetadataValue] = {"kind": "instrument", "date": "2020-01-01", "acquired": "2020-01-01"}
    mixed = {**INSTRUMENTS, "camera": camera}
    assert said(OLDEST, mixed) == "3 documents match (kind: instrument). Earliest date: 2020-01-01 (Camera)."


def test_who_did_it_is_the_only_person_of_the_document() -> None:
    asked = replace(OLDEST, sort=None, limit=None, fields=("signed by",))
    assert said(asked, {"refractor": INSTRUMENTS["refractor"]}).endswith("Refractor: maker A. Ross.")
