"""What a model writes into the plan tool, read as a plan or refused."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from cicada.documents.catalogue import Aggregate, Sort
from cicada.documents.model import AnyOf, Condition, Exists, NoneOf, Range, Subject
from cicada.errors import PlanRefusedError
from cicada.understanding.by_model.form import PlanForm
from cicada.understanding.plan import Intent, Plan, Shape
from tests.fakes.planners import plan_request
from tests.unit.understanding.form_of_reports import request_on_reports

FORM = PlanForm(request_on_reports())
LIST = {"intent": "script_query", "strategy": "MetadataOnly", "query": "Which reports are approved?"}
SEARCH = LIST | {"strategy": "Hybrid", "search_value": "noise at night", "filters": {"signed": {"equals": True}}}


def filters(**given: Any) -> tuple[Condition, ...]:
    return FORM.read(LIST | {"filters": given}, "Ann Lee").filters


def refused(written: object, asker: str = "Ann Lee") -> str:
    """Why the plan is refused."""
    with pytest.raises(PlanRefusedError) as raised:
        FORM.read(written, asker)
    return raised.value.kind


def test_all_of_a_plan_is_read() -> None:
    written = LIST | {
        "query": " How many reports are there of each site? ",
        "knowledge_base": "reports",
        "filters": {"status": {"any_of": ["released"]}, "issued": {"since": "2026-01-01", "before": "2027-01-01"}},
        "sort": {"field": "issued", "descending": True},
        "aggregates": [{"op": "count"}, {"op": "sum", "field": "pages"}, {"op": "count"}],
        "group": ["site", "issued@month"],
        "fields": ["author", "title"],
        "limit": 5,
        "key_concepts": ["reports", "sites"],
        "language": "de",
    }
    assert FORM.read(written) == Plan(
        Intent.SCRIPT_QUERY,
        Shape.METADATA_ONLY,
        "How many reports are there of each site?",
        knowledge_base="reports",
        filters=(
            AnyOf("status", frozenset({"released"})),
            Range("issued", least="2026-01-01", below="2027-01-01"),
        ),
        sort=Sort("issued", descending=True),
        aggregates=(Aggregate("count", "*"), Aggregate("sum", "pages")),
        group=("site", "issued@month"),
        fields=("author", "title"),
        limit=5,
        key_concepts=("reports", "sites"),
        language="de",
        by="model",
    )


def test_what_is_left_out_is_as_plans_have_it() -> None:
    plan = FORM.read(LIST)
    assert plan == Plan(Intent.SCRIPT_QUERY, Shape.METADATA_ONLY, LIST["query"], knowledge_base="reports", by="model")
    assert FORM.read(LIST | {"filters": {}}) == FORM.read(LIST | {"filters": {"status": {}, "issued": None}}) == plan


@pytest.mark.parametrize(
    ("given", "conditions"),
    [
        ({"topics": {"any_of": ["heat", "noise"]}}, (AnyOf("topics", frozenset({"heat", "noise"})),)),
        ({"status": {"none_of": ["draft"]}}, (NoneOf("status", frozenset({"draft"})),)),
        ({"site": {"any_of": ["Lund"]}}, (AnyOf("site", frozenset({"Lund"})),)),
        ({"site": {"exists": False}}, (Exists("site", present=False),)),
        ({"issued": {"exists": True}}, (Exists("issued"),)),
        ({"issued": {"after": "2026-01-31"}}, (Range("issued", above="2026-01-31"),)),
        ({"issued": {"until": "2026-01-31"}}, (Range("issued", most="2026-01-31"),)),
        ({"pages": {"at_least": 3, "below": 10}}, (Range("pages", least=3, below=10),)),
        ({"pages": {"above": 2.5, "at_most": 9}}, (Range("pages", above=2.5, most=9),)),
        ({"signed": {"equals": False}}, (AnyOf("signed", frozenset({False})),)),
        ({"copy": {"equals": True}}, (AnyOf("copy", frozenset({True})),)),
        (
            {"topics": {"any_of": ["heat"], "none_of": ["noise"], "exists": True}},
            (AnyOf("topics", frozenset({"heat"})), NoneOf("topics", frozenset({"noise"})), Exists("topics")),
        ),
    ],
)
def test_a_filter_becomes_conditions(given: dict[str, Any], conditions: tuple[Condition, ...]) -> None:
    assert filters(**given) == conditions


@pytest.mark.parametrize("written", ["released", "Released", " approved", "IN USE"])
def test_a_value_is_the_schemas_own_whichever_of_its_words_the_model_writes(written: str) -> None:
    assert filters(status={"any_of": [written]}) == (AnyOf("status", frozenset({"released"})),)


@pytest.mark.parametrize("field", ["author", "auditor"])
def test_me_is_the_asker_in_fields_of_persons(field: str) -> None:
    assert filters(**{field: {"any_of": ["me"]}}) == (AnyOf(field, frozenset({"Ann Lee"})),)
    assert refused(LIST | {"filters": {field: {"any_of": ["me"]}}}, asker="") == "unreadable"


def test_me_is_nobody_in_other_fields_and_not_one_whom_a_closed_field_does_not_have() -> None:
    assert filters(site={"any_of": ["me"]}) == (AnyOf("site", frozenset({"me"})),)
    assert refused(LIST | {"filters": {"auditor": {"any_of": ["me"]}}}, asker="Cy Dor") == "unknown_value"


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        (LIST | {"filters": {"colour": {"any_of": ["red"]}}}, "unknown_field"),
        (LIST | {"sort": {"field": "colour"}}, "unknown_field"),
        (LIST | {"group": ["colour"]}, "unknown_field"),
        (LIST | {"fields": ["colour"]}, "unknown_field"),
        (LIST | {"aggregates": [{"op": "sum", "field": "colour"}]}, "unknown_field"),
        (LIST | {"aggregates": [{"op": "median", "field": "pages"}]}, "unknown_value"),
        (LIST | {"colour": "red"}, "unknown_field"),
        (LIST | {"filters": {"issued": {"any_of": ["2026-01-01"]}}}, "unknown_field"),
        (LIST | {"filters": {"status": {"any_of": ["retired"]}}}, "unknown_value"),
        (LIST | {"filters": {"topics": {"none_of": ["heat", "cold"]}}}, "unknown_value"),
        (LIST | {"intent": "weather"}, "unknown_value"),
        (LIST | {"strategy": "Everything"}, "unknown_value"),
        (LIST | {"language": "tlh"}, "unknown_value"),
        (LIST | {"knowledge_base": "law"}, "unknown_base"),
        (LIST | {"filters": {"issued": {"since": "2026"}}}, "unreadable"),
        (LIST | {"filters": {"issued": {"since": "2026-02-30"}}}, "unreadable"),
        (LIST | {"filters": {"issued": {"since": "20260201"}}}, "unreadable"),
        (LIST | {"filters": {"pages": {"above": "3"}}}, "unreadable"),
        (LIST | {"filters": {"pages": {"above": float("nan")}}}, "unreadable"),
        (LIST | {"filters": {"signed": {"equals": "yes"}}}, "unreadable"),
        (LIST | {"filters": {"status": {"any_of": "draft"}}}, "unreadable"),
        (LIST | {"aggregates": "count"}, "unreadable"),
        (LIST | {"group": ["site", "status", "author"]}, "unreadable"),
        (LIST | {"limit": 0}, "unreadable"),
        (LIST | {"query": " "}, "unreadable"),
        ({"intent": "script_query", "strategy": "MetadataOnly"}, "unreadable"),
        ([LIST], "unreadable"),
        (None, "unreadable"),
        (LIST | {"filters": {"issued": {"since": "2026-02-01", "until": "2026-01-01"}}}, "contradiction"),
        (LIST | {"filters": {"pages": {"above": 3, "below": 2}}}, "contradiction"),
        (LIST | {"filters": {"status": {"any_of": ["draft"], "none_of": ["draft"]}}}, "contradiction"),
        (LIST | {"search_value": "noise"}, "contradiction"),
        (SEARCH | {"filters": {}}, "contradiction"),
        (SEARCH | {"search_value": " "}, "contradiction"),
        (SEARCH | {"strategy": "ContentOnly"}, "contradiction"),
        (SEARCH | {"aggregates": [{"op": "count"}]}, "contradiction"),
        (SEARCH | {"group": ["site"]}, "contradiction"),
        (SEARCH | {"fields": ["site"]}, "contradiction"),
        (LIST | {"aggregates": [{"op": "sum", "field": "*"}]}, "contradiction"),
        (LIST | {"aggregates": [{"op": "sum", "field": "site"}]}, "contradiction"),
        (LIST | {"aggregates": [{"op": "avg", "field": "issued"}]}, "contradiction"),
        (LIST | {"aggregates": [{"op": "max", "field": "status"}]}, "contradiction"),
        (LIST | {"group": ["site", "site"]}, "contradiction"),
        (LIST | {"sort": {"field": "*", "of": "count"}}, "contradiction"),
        (LIST | {"sort": {"field": "*"}, "group": ["site"]}, "contradiction"),
        (LIST | {"sort": {"field": "site", "of": "sum"}, "group": ["status"]}, "contradiction"),
        (LIST | {"knowledge_base": "plays", "fields": ["site"]}, "contradiction"),
        (SEARCH | {"strategy": "NoMatch"}, "contradiction"),
        (LIST | {"strategy": "NoMatch", "search_value": "noise"}, "contradiction"),
        (LIST | {"strategy": "NeedsClarification", "limit": 3}, "contradiction"),
        (LIST | {"strategy": "NoMatch", "sort": {"field": "issued"}}, "contradiction"),
        (LIST | {"intent": "theory_request"}, "contradiction"),
        (LIST | {"knowledge_base": "plays", "filters": {"signed": {"equals": True}}}, "contradiction"),
        (LIST | {"knowledge_base": "plays", "sort": {"field": "issued"}}, "contradiction"),
    ],
)
def test_what_is_no_plan_of_this_base_is_refused_with_its_kind(written: object, kind: str) -> None:
    assert refused(written) == kind


@pytest.mark.parametrize(
    "written",
    [
        SEARCH,
        SEARCH | {"sort": {"field": "title"}, "limit": 3},
        LIST | {"strategy": "NeedsClarification", "clarification": "Which one?"},
        LIST | {"intent": "profile_request", "strategy": "NoMatch"},
        SEARCH | {"strategy": "ContentOnly", "filters": {}, "knowledge_base": "plays"},
    ],
)
def test_what_goes_together_is_not_refused(written: dict[str, Any]) -> None:
    assert FORM.read(written).shape == written["strategy"]


def test_a_refusal_says_where_and_quotes_nothing() -> None:
    with pytest.raises(PlanRefusedError, match=r"in filters\.status\.any_of") as raised:
        FORM.read(LIST | {"filters": {"status": {"any_of": ["s3cret"]}}})
    assert "s3cret" not in str(raised.value)


def test_the_tool_shows_the_fields_and_values_that_are_accepted() -> None:
    schema = FORM.json_schema()
    shown = schema["properties"]["filters"]["properties"]
    assert set(shown) == set(request_on_reports().schema.fields)
    assert shown["status"]["properties"]["any_of"]["items"]["enum"] == ["draft", "released"]
    assert shown["status"]["description"] == "Status. Values and words for them: released: approved, in use"
    assert shown["site"]["description"] == "plant"
    assert shown["auditor"]["properties"]["none_of"]["items"]["enum"] == ["Ann Lee", "Bo Ek", "me"]
    assert set(shown["issued"]["properties"]) == {"since", "after", "until", "before", "exists"}
    assert schema["properties"]["knowledge_base"]["enum"] == ["reports", "plays"]
    assert schema["required"] == ["intent", "strategy", "query"]
    # Not all models' tools understand these.
    assert not {"$ref", "$defs", "anyOf", "default", "title"} & set(keywords(schema))


def keywords(schema: dict[str, Any]) -> list[str]:
    found = list(schema)
    for name, each in schema.items():
        if name == "properties":
            found += [word for inner in each.values() for word in keywords(inner)]
        elif isinstance(each, dict):
            found += keywords(each)
    return found


def test_a_base_without_fields_has_a_form_too() -> None:
    plain = PlanForm(plan_request())
    assert plain.read(LIST).shape is Shape.METADATA_ONLY
    assert plain.read(LIST | {"sort": {"field": "title"}}).sort == Sort("title")
    with pytest.raises(PlanRefusedError):
        plain.read(LIST | {"group": ["status"]})
    assert plain.read(LIST | {"aggregates": [{"op": "count"}]}).aggregates == (Aggregate("count"),)


def test_groups_have_an_order_and_dates_a_first_and_a_last_day() -> None:
    written = LIST | {"group": ["site", "status"], "sort": {"field": "pages", "descending": True, "of": "avg"}}
    plan = FORM.read(written | {"aggregates": [{"op": "max", "field": "issued"}]})
    assert plan.sort == Sort("pages", descending=True, of="avg")
    assert (plan.group, plan.aggregates) == (("site", "status"), (Aggregate("max", "issued"),))


def test_an_intent_that_the_base_does_not_serve_is_refused() -> None:
    without = PlanForm(replace(request_on_reports(), intents=(Intent.SCRIPT_QUERY, Intent.GENERAL)))
    with pytest.raises(PlanRefusedError):
        without.read(LIST | {"intent": "theory_request", "strategy": "NoMatch"})


def test_what_is_read_as_a_whole_is_named_with_its_part() -> None:
    search = SEARCH | {"subjects": [{"document": " site handbook ", "section": "chapter 2"}, {"document": "lease"}]}
    assert FORM.read(search).subjects == (Subject("site handbook", "chapter 2"), Subject("lease"))
    assert FORM.read(SEARCH).subjects == ()
    assert refused(SEARCH | {"subjects": [{"document": "lease", "page": 3}]}) == "unknown_field"
    assert refused(SEARCH | {"subjects": [{}] * 5}) == "unreadable"
    assert refused(LIST | {"subjects": [{"document": "lease"}]}) == "contradiction"
