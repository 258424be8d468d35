from __future__ import annotations

import pytest

from cicada.documents.model import AnyOf, KnowledgeBaseKey, PassageFilter
from cicada.identity import Principal
from cicada.permissions import can_be_named, common_to_viewers, every_document, readable_passages

SCRIPTS = KnowledgeBaseKey("acme", "scripts")
ANN = Principal("acme", "ann", frozenset({"legal", "tenant:acme"}))


def test_the_users_groups_are_among_the_names_that_he_reads_by() -> None:
    assert readable_passages(ANN, "scripts").reader == frozenset({"user:ann", "group:legal", "group:tenant:acme"})


def test_another_tenant_searches_another_collection() -> None:
    assert readable_passages(Principal("other", "ann"), "scripts").base_key == KnowledgeBaseKey("other", "scripts")


def test_the_scope_narrows_what_the_user_may_read_and_widens_nothing() -> None:
    scope = (AnyOf("act", frozenset({"1", "2"})), AnyOf("tenant", frozenset({"other"})))
    assert readable_passages(ANN, "plays", scope) == PassageFilter(
        KnowledgeBaseKey("acme", "plays"),
        conditions=scope,
        reader=frozenset({"user:ann", "group:legal", "group:tenant:acme"}),
    )


@pytest.mark.parametrize(
    ("readers", "common"),
    [
        ((), frozenset()),
        (("group:legal",), frozenset({"group:legal"})),
        (("group:legal", "user:ann"), frozenset()),
        (("group:legal", "user:ann", "user:bob"), frozenset()),
    ],
)
def test_several_viewers_share_only_what_is_for_everybody(readers: tuple[str, ...], common: frozenset[str]) -> None:
    assert common_to_viewers(SCRIPTS, readers) == PassageFilter(SCRIPTS, reader=common)


def test_an_operator_sees_the_documents_of_every_viewer_that_meet_the_conditions() -> None:
    drafts = (AnyOf("status", frozenset({"draft"})),)
    assert every_document(SCRIPTS, drafts) == PassageFilter(SCRIPTS, conditions=drafts, reader=None)


def test_without_its_conditions_a_filter_lets_its_viewer_read_no_more_than_before() -> None:
    narrow = PassageFilter(SCRIPTS, frozenset({"a"}), (AnyOf("act", frozenset({"1"})),), frozenset({"user:ann"}))
    assert narrow.readable == PassageFilter(SCRIPTS, reader=frozenset({"user:ann"}))


@pytest.mark.parametrize("name", ["a", "a" * 128, "Бухгалтерия", "e\u0301lan", "team-7", "½", "a@b.org", "€+", "経理"])
def test_letters_marks_digits_signs_and_symbols_make_a_viewers_name(name: str) -> None:
    assert can_be_named(name)


@pytest.mark.parametrize("name", ["", "a" * 129, "a b", " a", "a\n", "a\u200b", "a\u00a0b", "\ue000", "a\ud800"])
def test_nobody_is_named_with_spaces_invisible_characters_or_too_many(name: str) -> None:
    assert not can_be_named(name)
