from __future__ import annotations

import pytest

from cicada.documents.model import KnowledgeBaseKey
from cicada.errors import UnknownKnowledgeBaseError
from cicada.identity import Principal
from cicada.knowledge_bases.kept import CompletedBases
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.permissions import check_base, permitted_bases
from tests.fakes.base_record import InMemoryBaseRecord

NAMED = {
    "scripts": KnowledgeBase("scripts"),
    "legal": KnowledgeBase("legal", groups=("lawyers", "auditors")),
    "store": KnowledgeBase("store"),
}
CLOSED = KnowledgeBases(named=NAMED, open_names=False)
OPEN = KnowledgeBases(named=NAMED, open_names=True)
ANN = Principal("acme", "ann", frozenset({"kitchen"}))
LEA = Principal("acme", "lea", frozenset({"lawyers"}))


def refusal(bases: KnowledgeBases, principal: Principal, name: str, *, has_documents: bool = False) -> str:
    with pytest.raises(UnknownKnowledgeBaseError) as caught:
        check_base(bases, principal, name, lambda: has_documents)
    return str(caught.value)


def test_a_base_is_permitted_to_its_groups_and_without_groups_to_everybody() -> None:
    assert list(permitted_bases(CLOSED, ANN)) == ["scripts", "store"]
    assert list(permitted_bases(CLOSED, LEA)) == ["scripts", "legal", "store"]
    check_base(CLOSED, LEA, "legal", lambda: False)
    check_base(CLOSED, ANN, "scripts", lambda: False)


@pytest.mark.parametrize("bases", [CLOSED, OPEN])
def test_an_unknown_base_is_refused_with_the_nearest_one(bases: KnowledgeBases) -> None:
    assert refusal(bases, ANN, "scirpts") == "There is no knowledge base “scirpts”; did you mean “scripts”?"
    assert refusal(bases, ANN, "nope") == "There is no knowledge base “nope”."
    assert refusal(KnowledgeBases(open_names=bases.open_names), ANN, "x") == "There is no knowledge base “x”."


@pytest.mark.parametrize("bases", [CLOSED, OPEN])
def test_a_base_that_one_may_not_ask_looks_like_one_that_does_not_exist(bases: KnowledgeBases) -> None:
    without = KnowledgeBases(
        named={name: base for name, base in NAMED.items() if name != "legal"}, open_names=bases.open_names
    )
    for name in ("legal", "legals"):
        assert refusal(bases, ANN, name) == refusal(without, ANN, name)
    assert "legal" in refusal(bases, LEA, "legals").partition("did you mean")[2]


def test_documents_make_a_base_where_names_are_open_and_only_there() -> None:
    check_base(OPEN, ANN, "kettles", lambda: True)
    refusal(CLOSED, ANN, "kettles", has_documents=True)
    refusal(OPEN, ANN, "legal", has_documents=True)
    for_lawyers = KnowledgeBases(KnowledgeBase("", groups=("lawyers",)), NAMED)
    check_base(for_lawyers, LEA, "kettles", lambda: True)
    refusal(for_lawyers, ANN, "kettles", has_documents=True)


def test_a_base_for_which_something_is_set_exists_without_documents_and_where_names_are_closed() -> None:
    record = InMemoryBaseRecord()
    record.write_text(KnowledgeBaseKey("acme", "kettles"), 'groups = ["kitchen"]')
    bases = KnowledgeBases(named=NAMED, open_names=False, completed=CompletedBases(record, lambda: 0.0))
    check_base(bases, ANN, "kettles", lambda: False)
    refusal(bases, LEA, "kettles", has_documents=True)
    refusal(bases, Principal("other", "ann", frozenset({"kitchen"})), "kettles", has_documents=True)
