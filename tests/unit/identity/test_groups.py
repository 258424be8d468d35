from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada.identity import Principal, groups_of, groups_text, tenant_group, tenant_of


@given(st.frozensets(st.text()))
def test_groups_come_back_as_they_were_written(groups: frozenset[str]) -> None:
    assert groups_of(groups_text(groups)) == groups


def test_the_same_groups_are_always_the_same_text() -> None:
    assert groups_text(["tenant:acme", "legal"]) == groups_text(["legal", "tenant:acme"]) == '["legal", "tenant:acme"]'


@pytest.mark.parametrize("text", ["", "legal", "null", '"legal"', '{"legal": "x"}', "[1]", '["legal", null]', "[[]]"])
def test_another_text_is_no_list_of_groups(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        groups_of(text)


def test_groups_say_what_a_user_may_read_and_not_who_he_is() -> None:
    assert Principal("acme", "ann", frozenset({"legal"})) == Principal("acme", "ann")
    assert not Principal("acme", "ann") != Principal("acme", "ann", frozenset({"staff"}))  # noqa: SIM202 - its own method
    assert Principal("acme", "ann") != Principal("acme", "bob")
    assert Principal("acme", "ann") != Principal("other", "ann")


def test_a_tenant_has_a_group_by_which_its_users_are_known() -> None:
    assert tenant_group("acme") == "tenant:acme"
    assert tenant_of([tenant_group("acme")]) == "acme"


@pytest.mark.parametrize("tenant", ["", "a b", "acme:", "-acme", "a" * 64])
def test_a_name_that_no_tenant_can_have_is_refused(tenant: str) -> None:
    with pytest.raises(ValueError, match="letters, digits or hyphens"):
        tenant_group(tenant)
