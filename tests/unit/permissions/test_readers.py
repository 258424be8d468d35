from __future__ import annotations

import pytest

from cicada.documents.filter import AnyOf, PassageFilter
from cicada.documents.model import KnowledgeBaseKey
from cicada.identity.principal import Principal
from cicada.permissions.readers import common_to_readers, every_document, readable_passages

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
        (("group:hr",), frozenset({"group:hr"})),
        (("group:hr", "group:qa"), frozenset()),
        (("group:hr", "user:ann", "user:bob"), frozenset()),
    ],
)
def test_of_several_readers_only_what_is_for_everybody_is_common(
    readers: tuple[str, ...], common: frozenset[str]
) -> None:
    base_key = KnowledgeBaseKey("acme", "store")
    assert common_to_readers(base_key, readers) == PassageFilter(base_key, reader=common)


def test_operators_see_every_document() -> None:
    base_key = KnowledgeBaseKey("acme", "store")
    condition = (AnyOf("act", frozenset({"1"})),)
    assert every_document(base_key, condition) == PassageFilter(base_key, conditions=condition, reader=None)
