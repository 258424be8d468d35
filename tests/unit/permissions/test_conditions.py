"""Which documents a condition lets through: values are compared with values of their own type alone."""

from __future__ import annotations

import pytest

from cicada.documents.filter import AnyOf, Condition, Exists, NoneOf, PassageFilter, Range, meets
from cicada.documents.model import KnowledgeBaseKey, MetadataValue

DAY = "2026-01-31"


@pytest.mark.parametrize(
    ("value", "condition", "holds"),
    [
        (5.0, Range("f", least=5.0), True),
        (5.0, Range("f", above=5.0), False),
        (5.0, Range("f", most=5.0), True),
        (5.0, Range("f", below=5.0), False),
        (5.0, Range("f", least=4.0, most=6.0), True),
        (5.0, Range("f", least=6.0, most=7.0), False),
        (DAY, Range("f", least="2026-01-01", below="2026-02-01"), True),
        (DAY, Range("f", above=DAY), False),
        (5.0, Range("f", least="2026-01-01"), False),
        (DAY, Range("f", least=5.0), False),
        (DAY, Range("f", least=5.0, most="2027-01-01"), False),
        (True, Range("f", least=0.0), False),
        (True, Range("f"), False),
        (DAY, Range("f"), False),
        (5.0, Range("f"), True),
        (("2025-01-01", DAY), Range("f", least=DAY), True),
        (None, Range("f", least=0.0), False),
        (True, AnyOf("f", frozenset({1.0})), False),
        (1.0, AnyOf("f", frozenset({True})), False),
        (True, AnyOf("f", frozenset({True})), True),
        ("a", AnyOf("f", frozenset({"a", "b"})), True),
        (("a", "c"), AnyOf("f", frozenset({"c"})), True),
        (None, AnyOf("f", frozenset({"a"})), False),
        ("a", NoneOf("f", frozenset({"a"})), False),
        (("a", "c"), NoneOf("f", frozenset({"c"})), False),
        ("b", NoneOf("f", frozenset({"a"})), True),
        (None, NoneOf("f", frozenset({"a"})), True),
        (1.0, NoneOf("f", frozenset({True})), True),
        ("a", Exists("f"), True),
        (False, Exists("f"), True),
        (None, Exists("f"), False),
        (None, Exists("f", False), True),
        ("a", Exists("f", False), False),
    ],
)
def test_a_condition(value: MetadataValue | None, condition: Condition, holds: bool) -> None:
    assert meets({} if value is None else {"f": value}, (condition,)) is holds


def test_all_conditions_must_hold() -> None:
    metadata = {"a": "1", "b": "2"}
    one, other = AnyOf("a", frozenset({"1"})), AnyOf("b", frozenset({"3"}))
    assert meets(metadata, ())
    assert meets(metadata, (one,))
    assert not meets(metadata, (one, other))


def test_all_that_its_reader_may_read_is_of_the_same_base_without_conditions() -> None:
    base_key, reader = KnowledgeBaseKey("acme", "store"), frozenset({"user:ann"})
    narrow = PassageFilter(base_key, frozenset({"a"}), (Exists("f"),), reader)
    assert narrow.readable == PassageFilter(base_key, reader=reader)
