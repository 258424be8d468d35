from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada.documents.model import AnyOf, Condition, Exists, NoneOf, Range, Scalar
from cicada.errors import InvalidFilterError
from cicada.knowledge_bases.filter_language import Operator, WrittenFilter, condition, split_filter
from cicada.knowledge_bases.schema import Schema
from tests.unit.knowledge_bases.schemas import SCHEMA


def parsed(text: str, schema: Schema = SCHEMA) -> Condition:
    return condition(schema, split_filter(text))


def any_of(field: str, *values: Scalar) -> AnyOf:
    return AnyOf(field, frozenset(values))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("status=approved", any_of("status", "approved")),
        (" Status = in force , DRAFT ", any_of("status", "approved", "draft")),
        ("status!=retired", NoneOf("status", frozenset({"retired"}))),
        ("status!=retired,draft", NoneOf("status", frozenset({"retired", "draft"}))),
        ("effective>=2026-01-01", Range("effective", least="2026-01-01")),
        ("effective > 1 January 2026", Range("effective", above="2026-01-01")),
        ("In force since<=2026/1/1", Range("effective", most="2026-01-01")),
        ("pages<1,250", Range("pages", below=1250.0)),
        ("pages=7", any_of("pages", 7.0)),
        ("public=yes", any_of("public", True)),
        ("tags=gmp,sterile", any_of("tags", "gmp", "sterile")),
        ("department=QA", any_of("department", "Quality Assurance")),
        ('department="Research, Development",qa', any_of("department", "Research, Development", "Quality Assurance")),
        ('owner="Ann ""A"" Lee"', any_of("owner", 'Ann "A" Lee')),
        ("owner=a=b", any_of("owner", "a=b")),
        ("owner?", Exists("owner")),
        ("owner=*", Exists("owner")),
        ("!owner", Exists("owner", present=False)),
        ("owner!=*", Exists("owner", present=False)),
        ("language=de", any_of("language", "de")),
        ("episode_id=macbeth", any_of("episode_id", "macbeth")),
    ],
)
def test_a_filter_is_a_condition_in_the_schemas_types(text: str, expected: Condition) -> None:
    assert parsed(text) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("status", "'status' is no filter; write it as status=approved, status!=draft"),
        ("", "'' is no filter"),
        ("=approved", "is no filter"),
        ("status=", "is no filter"),
        ("status=draft,,approved", "is no filter"),
        ("pages>", "is no filter"),
        ("!status?", "is no filter"),
        ("status==draft", "takes one of draft, approved, retired, and '=draft' is none"),
        ("x" * 100, f"'{'x' * 60}…' is no filter"),
        ("colour=red", "The knowledge base has no field 'colour'; use one of status, owner, effective, pages, public,"),
        ("!colour", "has no field 'colour'"),
        ("status=aproved", "The field 'status' takes one of draft, approved, retired, and 'aproved' is none."),
        ("department!=Sales", "The field 'department' takes one of Quality Assurance, Research, Development"),
        ("effective>=soon", "The field 'effective' takes a date such as 2026-01-31, and 'soon' is none."),
        ("pages<many", "takes a number"),
        ("status>draft", "The field 'status' is of type keyword, which has no order; use = or !=."),
        ("public>=yes", "is of type boolean, which has no order"),
        ("owner<b", "is of type person, which has no order"),
    ],
)
def test_what_the_base_cannot_serve_is_refused_with_what_it_can(text: str, said: str) -> None:
    with pytest.raises(InvalidFilterError) as caught:
        parsed(text)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (WrittenFilter("status", Operator.EQ), "The filter of 'status' has no value"),
        (WrittenFilter("status", Operator.ANY), "has no value"),
        (WrittenFilter("pages", Operator.GT, (1.0, 2.0)), "takes one value for gt; use any for several"),
        (WrittenFilter("pages", Operator.EQ, (1.0, 2.0)), "takes one value for eq"),
        (WrittenFilter("owner", Operator.EXISTS, ("yes",)), "takes true or false for exists"),
        (WrittenFilter("owner", Operator.EXISTS, (True, True)), "takes true or false for exists"),
        (WrittenFilter("pages", Operator.EQ, (True,)), "takes a number"),
    ],
)
def test_a_filter_of_the_wire_with_too_many_or_too_few_values_is_refused(written: WrittenFilter, said: str) -> None:
    with pytest.raises(InvalidFilterError, match=said):
        condition(SCHEMA, written)


def test_without_a_schema_every_field_is_a_keyword_and_values_stay_as_they_are() -> None:
    written = WrittenFilter("any field", Operator.ANY, (" two\nlines ", 7.0, True))
    assert condition(Schema(), written) == any_of("any field", " two\nlines ", "7", "true")
    with pytest.raises(InvalidFilterError, match="The field 'year' is of type keyword, which has no order"):
        parsed("year>last", Schema())
    assert parsed("year>2024", Schema()) == Range("year", above="2024")


@given(st.text())
def test_any_text_is_a_filter_or_refused(text: str) -> None:
    try:
        found = parsed(text)
    except InvalidFilterError as error:
        assert str(error).endswith(".")
    else:
        assert found.field
