"""What says that a document holds, where no schema does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from cicada.documents.model import TABLE, MetadataValue
from cicada.knowledge_bases.inference import completed
from cicada.knowledge_bases.observed_fields import observed_in, observed_with, observed_with_records
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField, StandingRule


def rule(
    *documents: Mapping[str, MetadataValue], rows: Sequence[Mapping[str, MetadataValue]] = ()
) -> StandingRule | None:
    known = observed_with_records((), observed_in(rows)) if rows else ()
    for each in documents:
        known = observed_with(known, each)
    return completed(Schema(), known, "club").in_force


def test_a_status_with_known_values_says_what_holds_and_is_shown() -> None:
    documents = [{"Status": each} for each in ("In force", "superseded", "draft", "open")]
    assert rule(*documents) == StandingRule("Status", ("In force",), ("draft",), ("superseded",))
    known = observed_with(observed_with((), documents[0]), documents[1])
    assert completed(Schema(), known, "club").fields["Status"].shown


def test_a_document_that_names_another_as_replaced_says_it() -> None:
    assert rule({"supersedes": "rules_2023.md"}) == StandingRule(replaces="supersedes")
    assert rule({"number": "SOP-3", "version": "2"}) == StandingRule(number="number", version="version")


def test_what_texts_say_counts_where_no_status_does() -> None:
    said = StandingRule("standing", ("in force",), no_longer=("outdated",))
    assert rule({"standing": "outdated"}) == said
    assert rule({"standing": "in force"}, {"status": "open"}) == said
    status = rule({"standing": "in force"}, {"status": "valid"}, {"status": "expired"})
    assert status and status.field == "status"


@pytest.mark.parametrize("values", [("open", "closed"), ("approved", "draft"), ("retired", "hired")])
def test_a_status_of_other_things_says_nothing(values: tuple[str, str]) -> None:
    assert rule(*({"status": each} for each in values)) is None


def test_the_rows_of_a_table_are_no_documents_that_hold() -> None:
    rows = [{TABLE: "members", "status": each} for each in ("valid", "expired")]
    assert rule({"kind": "minutes"}, rows=rows) is None


def test_a_declared_rule_on_a_field_that_documents_write_otherwise_is_no_failure() -> None:
    rule = StandingRule("status", ("approved",), no_longer=("retired",))
    declared = Schema({"status": SchemaField("status", FieldType.KEYWORD, inferred=True)}, in_force=rule)
    assert completed(declared, observed_with((), {"Status": "approved"}), "club").in_force == rule


def test_a_declared_rule_stays() -> None:
    declared = StandingRule(replaces="replaced")
    known = observed_with((), {"supersedes": "a.md"})
    assert completed(Schema(in_force=declared), known, "club").in_force == declared
