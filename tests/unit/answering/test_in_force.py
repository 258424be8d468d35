"""What is in force comes before what is not, unless the question asks for that."""

from __future__ import annotations

import pytest

from cicada.answering.in_force import Preference, are_versions, preference, preferred_passages
from cicada.documents.model import AnyOf, DocumentKey, KnowledgeBaseKey, MetadataValue, Passage, SectionLocator
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField, Standing, StandingRule
from cicada.retrieval.model import Candidate, RankedPassage

STORE = KnowledgeBaseKey("acme", "store")
RULE = StandingRule("status", ("approved",), ("draft",), ("retired",), "supersedes")
STATUS = SchemaField(
    "status",
    FieldType.KEYWORD,
    ("draft", "approved", "retired"),
    {"approved": ("valid",), "draft": ("not yet approved",), "retired": ("withdrawn",)},
    shown=True,
)
SCHEMA = Schema({"status": STATUS}, in_force=RULE)


def of(name: str, status: str = "", heading: str = "", title: str = "Travel", supersedes: str = "") -> Passage:
    given: dict[str, MetadataValue] = {"status": status, "supersedes": supersedes}
    metadata = {key: value for key, value in given.items() if value}
    document = DocumentKey(STORE, f"{name}.md")
    return Passage(f"{name}#{heading}", document, "v1", title, "", "", SectionLocator((heading,)), metadata=metadata)


def order(*ranked: tuple[Passage, float], first: Standing | None = Standing.IN_FORCE) -> list[str]:
    passages = [RankedPassage(passage, relevance) for passage, relevance in ranked]
    asked = Preference(RULE, first) if first else None
    return [each.passage.passage_id for each in preferred_passages(passages, asked)]


def test_a_retired_passage_comes_behind_the_version_in_force_however_relevant_it_is() -> None:
    other = of("other", "approved", "Meals", title="Canteen")
    ranked = (of("old", "retired", "Hotels"), 0.9), (other, 0.7), (of("new", "approved", "Hotels"), 0.5)
    assert order(*ranked) == ["new#Hotels", "old#Hotels", "other#Meals"]


def test_the_version_in_force_is_taken_from_all_candidates_if_it_is_not_among_the_best() -> None:
    old, new = of("old", "retired", "Hotels"), of("new", "approved", "Hotels")
    found = [Candidate(each, None, None, 0.1) for each in (old, of("new", "approved", "Trains"), new)]
    best = preferred_passages([RankedPassage(old, 0.9)], Preference(RULE, Standing.IN_FORCE), found)
    assert [(each.passage.passage_id, each.relevance) for each in best] == [("new#Hotels", None), ("old#Hotels", 0.9)]


def test_each_retired_section_comes_behind_the_same_section_in_force() -> None:
    old = [(of("old", "retired", heading), 0.9) for heading in ("Hotels", "Meals", "Gone")]
    new = [(of("new", "approved", heading), 0.4) for heading in ("Meals", "Hotels", "Trains")]
    found = order(*old, *new)
    assert found == ["new#Hotels", "old#Hotels", "new#Meals", "old#Meals", "old#Gone", "new#Trains"]


def test_of_nearly_the_same_relevance_what_is_in_force_comes_first() -> None:
    retired = of("retired", "retired", title="Gifts")
    draft = of("draft", "draft", title="Bicycles")
    current, unknown = of("current", "approved", title="Meals"), of("unknown", title="Notes")
    assert order((retired, 0.52), (draft, 0.51), (current, 0.5), (unknown, 0.2)) == [
        "current#",
        "retired#",
        "draft#",
        "unknown#",
    ]
    assert order((retired, 0.52), (unknown, 0.5), (current, 0.3)) == ["unknown#", "retired#", "current#"]
    assert order((retired, 0.9), (current, 0.5)) == ["retired#", "current#"]


def test_where_another_standing_is_asked_for_it_comes_first() -> None:
    versions = (of("new", "approved"), 0.9), (of("old", "retired"), 0.5), (of("next", "draft"), 0.4)
    assert order(*versions, first=Standing.NO_LONGER) == ["old#", "new#", "next#"]
    assert order(*versions, first=Standing.NOT_YET) == ["next#", "new#", "old#"]
    assert order(*versions, first=None) == ["new#", "old#", "next#"]


@pytest.mark.parametrize(
    ("title", "supersedes", "same"),
    [
        ("Travel", "", True),
        ("travel (version 2.1)", "", True),
        ("Travel v3", "", True),
        ("Travel abroad", "", False),
        ("Journeys", "OLD", True),
        ("Journeys", "old.md", True),
        ("Journeys", "older", False),
    ],
)
def test_versions_have_one_title_or_one_names_the_other(title: str, supersedes: str, same: bool) -> None:
    new, old = of("new", "approved", title=title, supersedes=supersedes), of("old", "retired")
    assert (are_versions(new, old, RULE), are_versions(old, new, RULE)) == (same, same)


@pytest.mark.parametrize(
    ("message", "standing"),
    [
        ("What does Travel say about hotels?", Standing.IN_FORCE),
        ("What did the old version say about hotels?", Standing.NO_LONGER),
        ("What did Travel say before?", Standing.NO_LONGER),
        ("What must be done before filling?", Standing.IN_FORCE),
        ("How old must a driver be?", Standing.IN_FORCE),
        ("What does the withdrawn policy allow?", Standing.NO_LONGER),
        ("What does the draft say?", Standing.NOT_YET),
        ("Who drafts the report?", Standing.IN_FORCE),
        ("Was stand in der früheren Fassung?", Standing.NO_LONGER),
    ],
)
def test_a_message_asks_for_what_is_in_force_unless_its_words_say_otherwise(message: str, standing: Standing) -> None:
    assert preference(message, SCHEMA) == Preference(RULE, standing)


def test_nothing_is_put_in_order_by_a_condition_on_the_field_or_without_a_rule() -> None:
    status, other = AnyOf("status", frozenset({"retired"})), AnyOf("owner", frozenset({"Ann"}))
    assert preference("hotels", SCHEMA, [status]) is None
    assert preference("hotels", SCHEMA, [other]) == Preference(RULE, Standing.IN_FORCE)
    assert preference("the old version", Schema()) is None
