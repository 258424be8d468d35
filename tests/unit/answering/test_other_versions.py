"""What is in force, told by versions that a search left out."""

from __future__ import annotations

import pytest

from cicada.answering.in_force import OtherVersions
from cicada.documents.catalogue import Card, DocumentRow
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, Passage, SectionLocator
from cicada.identity import Principal
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField, StandingRule
from cicada.permissions import PermissionGate, readable_passages
from cicada.retrieval.model import EmbeddedPassage, RankedPassage
from tests.fakes.access import OpenAccess
from tests.fakes.passage_index import InMemoryPassageIndex

STORE = KnowledgeBaseKey("acme", "store")
FIELDS = [SchemaField("number", FieldType.KEYWORD), SchemaField("version", FieldType.KEYWORD)]
SCHEMA = Schema({each.name: each for each in FIELDS}, in_force=StandingRule(number="number", version="version"))
ANN = Principal("acme", "ann")


def put(index: InMemoryPassageIndex, version: str) -> Passage:
    key = DocumentKey(STORE, f"rule-{version}.md")
    metadata = {"number": "R-1", "version": version}
    made = Passage(f"{version}#0", key, "v1", "Rule", "Once a year.", "", SectionLocator(()), metadata=metadata)
    row = DocumentRow(key, "Rule", "v1", 1, 0.0, "", metadata, (), Card("Rule"))
    index.replace(key, [EmbeddedPassage(made, [1.0])], row, [1.0])
    return made


@pytest.mark.parametrize(
    ("closed", "state"), [({}, "replaced (no longer in force)"), ({"rule-2.md": ("user:bob",)}, "")]
)
def test_a_higher_version_counts_for_those_who_may_view_it(closed: dict[str, tuple[str, ...]], state: str) -> None:
    index = InMemoryPassageIndex("fixed", 1)
    old, _ = put(index, "1"), put(index, "2")
    versions = OtherVersions(index, PermissionGate(OpenAccess(closed)))
    readable = readable_passages(ANN, "store")
    [found] = versions.stated([RankedPassage(old, 0.9)], SCHEMA, "2026-11-26", readable, ANN)
    assert found.state == state
