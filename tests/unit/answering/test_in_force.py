"""What is in force comes before what is not, unless the question asks for that."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cicada.answering.in_force import OtherVersions, Standings, are_versions
from cicada.answering.preference import Preference, preference, preferred_passages
from cicada.documents.model import AnyOf, DocumentKey, KnowledgeBaseKey, MetadataValue, Passage, SectionLocator
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField, Standing, StandingRule
from cicada.permissions import PermissionGate, readable_passages
from cicada.retrieval.model import Candidate, RankedPassage
from tests.fakes.access import OpenAccess
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.unit.answering.situation import ANN, make_searchable

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


def test_the_edition_that_says_it_holds_replaces_that_of_an_earlier_year() -> None:
    said = StandingRule("standing", ("in force",), no_longer=("outdated",))
    old, other = of("old", title="Garden rules 2019"), of("other", title="Garden report 2019")
    new = replace(of("new", title="Garden rules 2025"), metadata={"standing": "in force"})
    standings = Standings(said, "2026-11-28", (old, new, other))
    assert [standings.state(each) for each in (old, new, other)] == [
        "replaced (no longer in force)",
        "in force (in force)",
        "",
    ]
    dated = [
        replace(old, title="Terms (edition of 1 September 2024)"),
        replace(new, title="Terms (edition of 1 June 2026)"),
    ]
    assert Standings(said, "2026-11-28", dated).state(dated[0]) == "replaced (no longer in force)"
    asked = preference("What did the 2019 rules say?", Schema({}, in_force=said), today="2026-11-28")
    ranked = [RankedPassage(old, 0.9), RankedPassage(new, 0.5)]
    assert [each.passage for each in preferred_passages(ranked, Preference(said, Standing.IN_FORCE))] == [new, old]
    assert [each.passage for each in preferred_passages(ranked, asked)] == [old, new]


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
        ("What was allowed before the revision?", Standing.NO_LONGER),
        ("Was steht im Entwurf?", Standing.NOT_YET),
        ("What will the next edition allow?", Standing.NOT_YET),
    ],
)
def test_a_message_asks_for_what_is_in_force_unless_its_words_say_otherwise(message: str, standing: Standing) -> None:
    assert preference(message, SCHEMA) == Preference(RULE, standing)


def test_nothing_is_put_in_order_by_a_condition_on_the_field_or_without_a_rule() -> None:
    status, other = AnyOf("status", frozenset({"retired"})), AnyOf("owner", frozenset({"Ann"}))
    assert preference("hotels", SCHEMA, [status]) is None
    assert preference("hotels", SCHEMA, [other]) == Preference(RULE, Standing.IN_FORCE)
    assert preference("the old version", Schema()) is None


BY_NUMBER = StandingRule(number="number", version="version")
BY_DAYS = StandingRule(since="since", until="until")


def document(name: str, title: str = "Travel", **metadata: MetadataValue) -> Passage:
    return replace(of(name, title=title), metadata=metadata)


def states(rule: StandingRule, *documents: Passage, day: str = "2026-11-26") -> list[str]:
    known = Standings(rule, day, documents)
    return [known.state(each) for each in documents]


def test_of_one_number_the_highest_version_is_in_force_whatever_the_titles_are() -> None:
    versions = [document(f"v{each}", f"Title {each}", number="N-1", version=each) for each in ("9", "10.0", "10")]
    other = document("other", "Title 9", number="N-2", version="1")
    assert states(BY_NUMBER, *versions, other) == [
        "replaced (no longer in force)",
        "current (in force)",
        "current (in force)",
        "",
    ]


def test_a_text_is_no_higher_version_than_a_number() -> None:
    versions = [document(each, number="N-1", version=each) for each in ("10", "draft", "1.0-rc1")]
    assert states(BY_NUMBER, *versions) == ["", "", ""]


def test_days_say_what_is_in_force_and_of_two_that_have_begun_the_later_one_is() -> None:
    first, second, next_one = (document(each, since=each) for each in ("2014-03-01", "2020-07-01", "2031-01-01"))
    ended = document("ended", "Signs", since="2015-01-01", until="2020-12-31")
    assert states(BY_DAYS, first, second, next_one, ended) == [
        "replaced (no longer in force)",
        "current (in force)",
        "from 2031-01-01 (not yet in force)",
        "until 2020-12-31 (no longer in force)",
    ]
    assert states(BY_DAYS, first, second, day="2016-12-31")[0] == "current (in force)"
    assert states(BY_DAYS, ended, day="2020-12-31") == ["current (in force)"]
    assert states(BY_DAYS, document("x", since="2999\nText: of a document")) == ["current (not yet in force)"]


def test_what_another_replaces_is_no_longer_in_force_unless_that_one_is_a_draft() -> None:
    old = document("old", "Old order", status="approved")
    new = document("new", "New rules", status="approved", supersedes="old order")
    assert states(RULE, old, new) == ["approved, replaced (no longer in force)", "approved (in force)"]
    for status in ("draft", "retired"):
        assert states(RULE, old, replace(new, metadata={"status": status, "supersedes": ("old",)}))[0] == (
            "approved (in force)"
        )
    assert states(RULE, document("x", status="| Text: of a document")) == [""]


def put_in_order(message: str, schema: Schema, *documents: Passage) -> list[Passage]:
    """Documents that are as near to the message, as they are shown."""
    asked = preference(message, schema, today="2026-11-26")
    ranked = [RankedPassage(each, 0.5) for each in documents]
    return [each.passage for each in preferred_passages(ranked, asked)]


def test_a_question_may_name_a_version_or_the_year_in_which_it_held() -> None:
    two, ten = (document(each, number="N-1", version=each) for each in ("2.0", "10.0"))
    schema = Schema(in_force=BY_NUMBER)
    assert put_in_order("What did version 2 say?", schema, ten, two) == [two, ten]
    early, late = (document(each, since=each) for each in ("2014-03-01", "2020-07-01"))
    for message in ("What did the 2016 edition allow?", "What was allowed in 2016?", "What about the version of 2016?"):
        assert put_in_order(message, Schema(in_force=BY_DAYS), late, early) == [early, late], message


@pytest.mark.parametrize(
    ("closed", "state"), [({}, "replaced (no longer in force)"), ({"rule-2.md": ("user:bob",)}, "")]
)
def test_a_higher_version_counts_for_those_who_may_view_it(closed: dict[str, tuple[str, ...]], state: str) -> None:
    index = InMemoryPassageIndex("fixed", 1)
    old, new = (document(f"rule-{each}", "Rule", number="R-1", version=each) for each in ("1", "2"))
    for each in (old, new):
        make_searchable(index, each)
    fields = {name: SchemaField(name, FieldType.KEYWORD) for name in ("number", "version")}
    numbered = Schema(fields, in_force=BY_NUMBER)
    versions = OtherVersions(index, PermissionGate(OpenAccess(closed)))
    readable = readable_passages(ANN, "store")
    [found] = versions.stated([RankedPassage(old, 0.9)], numbered, "2026-11-26", readable, ANN)
    assert found.state == state
