"""Whatever fields documents have, a message gets a plan of fields that there are."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from cicada.documents.catalogue import EVERY, TITLE
from cicada.knowledge_bases.inference import as_observed, completed
from cicada.knowledge_bases.observed_fields import Observed, merged, observed_with
from cicada.knowledge_bases.schema import Schema
from cicada.understanding.by_rules import SchemaPlanner
from cicada.understanding.plan import PlanRequest

NOW = datetime(2026, 3, 1, tzinfo=UTC)
HOSTILE = (
    "all count title date documents file number sum by * . - _ ' \" ( [ \\ %s {0} None true id page next more 2024 "  # noqa: SIM905
    "January latest how 名前 ÄÖ İ ß \u200b".split()
)
WORDS = st.sampled_from(HOSTILE) | st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=12)
NAMES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)
VALUES = NAMES | st.sampled_from(["12", "007", "2024-01-31", "yes", "Ann Lee"]) | st.lists(NAMES, max_size=3).map(tuple)
DOCUMENTS = st.lists(st.dictionaries(NAMES, VALUES, max_size=4), min_size=1, max_size=4)
MESSAGES = st.sampled_from(["How many {}?", "List all {}", "{} per {}", "highest {}", "{}", "which {} are from 2024?"])


def observed(documents: list[dict[str, str | tuple[str, ...]]]) -> Observed:
    found: Observed = ()
    for each in documents:
        found = observed_with(found, each)
    return found


@settings(max_examples=60)
@given(DOCUMENTS, MESSAGES, st.data())
def test_hostile_names_and_values_are_planned_and_never_an_exception(
    documents: list[dict[str, str | tuple[str, ...]]], message: str, data: st.DataObject
) -> None:
    fields = observed(documents)
    schema = completed(Schema(), fields, "minutes")
    said = [*schema.fields, *(value for each in schema.fields.values() for value in each.values), "documents"]
    words = data.draw(st.lists(st.sampled_from(said), min_size=2, max_size=2))
    plan = SchemaPlanner().plan(PlanRequest(message.format(*words), "minutes", NOW, schema=schema))
    named = {each.field for each in (*plan.filters, *plan.aggregates)} | {*plan.group, *plan.fields}
    assert named <= {*schema.fields, EVERY, TITLE}


@given(DOCUMENTS)
def test_what_is_observed_does_not_depend_on_who_saw_which_document(
    documents: list[dict[str, str | tuple[str, ...]]],
) -> None:
    together = {each.name.casefold(): (each.looks, each.documents) for each in observed(documents)}
    apart = merged(observed([each]) for each in documents)
    assert {each.name.casefold(): (each.looks, each.documents) for each in apart} == together
    for each in documents:
        assert len(as_observed(each, Schema(), apart)) <= len(each)


@given(DOCUMENTS)
def test_nothing_is_left_of_documents_that_are_gone(documents: list[dict[str, str | tuple[str, ...]]]) -> None:
    left = observed(documents)
    for each in documents:
        left = observed_with(left, {}, each)
    assert left == ()
