"""Any text gives a plan, and its filters name only what the schema has."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cicada.documents.model import AnyOf, Condition, NoneOf
from cicada.knowledge_bases.schema import FieldType
from cicada.understanding.plan import Shape, contradiction
from tests.unit.understanding.planned import SCHEMA, planned

_PIECES = st.sampled_from(
    """ratified charters letter letters ledgers Bakers GW Ada Brook 's my not except without or and , ; : / - " ? ' the
    a all which how many tagged flour tags sealed since 2024 before March between 2023 last 90 days expiring within fee
    over 10 secret stage = is of by from about in per newest top 5 delete it this says 31.02.2024 9999 yesterday ago
    older than one year end start quarter Q3 average total highest CH-1204 "Old Mill" 7k 1980s where who""".split()  # noqa: SIM905 - as a list it would fill a page
)
_TEXTS = st.one_of(st.text(max_size=200), st.lists(_PIECES, max_size=14).map(" ".join))


def _values(condition: Condition) -> set[object]:
    return set(condition.values) if isinstance(condition, AnyOf | NoneOf) else set()


@settings(max_examples=100)
@given(st.lists(_TEXTS, min_size=1, max_size=3))
def test_any_messages_give_a_plan_of_the_schema_s_fields_and_values(messages: list[str]) -> None:
    plan = planned(*messages, asker="Ada Brook")
    assert 0 <= plan.confidence <= 1
    for condition in plan.filters:
        field = SCHEMA.fields[condition.field]
        allowed: set[object] = {True, False} if field.type is FieldType.BOOLEAN else set(field.values)
        assert _values(condition) <= allowed or field.type in (FieldType.NUMBER, FieldType.DATE)
    assert plan.shape is not Shape.METADATA_ONLY or contradiction(plan, SCHEMA) is None
