from __future__ import annotations

from cicada.documents.filter import AnyOf, PassageFilter
from cicada.documents.model import KnowledgeBaseKey
from cicada.identity.principal import Principal
from cicada.permissions.readers import readable_passages

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
