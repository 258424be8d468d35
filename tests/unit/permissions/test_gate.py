"""The permission gate withholds what it does not know to be allowed."""

from __future__ import annotations

import pytest

from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import ConfigurationError, UnavailableError
from cicada.identity import Principal
from cicada.permissions import PermissionGate, Permitted
from tests.fakes.access import OpenAccess

STORE = KnowledgeBaseKey("acme", "store")
ANN = Principal("acme", "ann", frozenset({"legal"}))


def document(name: str, base_key: KnowledgeBaseKey = STORE) -> DocumentKey:
    return DocumentKey(base_key, name)


def permit(access: OpenAccess, *documents: DocumentKey) -> Permitted[DocumentKey]:
    return PermissionGate(access).permit(ANN, documents, lambda each: each)


def test_documents_of_others_are_withheld_and_counted_once_each() -> None:
    access = OpenAccess({"a": ("user:bob",), "b": ("group:legal", "user:bob"), "c": ("user:ann",)})
    shown = permit(access, *map(document, "dacbaad"))
    assert shown.items == tuple(map(document, "dcbd"))
    assert shown.withheld == 1
    assert access.asked == [(STORE, ("a", "b", "c", "d"))]


def test_a_document_of_which_nothing_is_known_is_withheld() -> None:
    shown = permit(OpenAccess(unknown={"gone"}), document("gone"), document("here"))
    assert (shown.items, shown.withheld) == ((document("here"),), 1)


def test_another_tenants_document_is_withheld_without_being_asked_for() -> None:
    access = OpenAccess()
    theirs = document("a", KnowledgeBaseKey("other", "store"))
    shown = permit(access, theirs, document("a"))
    assert (shown.items, shown.withheld) == ((document("a"),), 1)
    assert access.asked == [(STORE, ("a",))]


def test_without_the_access_lists_nothing_is_shown() -> None:
    with pytest.raises(UnavailableError):
        permit(OpenAccess(failure=UnavailableError("Out of reach.")), document("a"))


def test_only_the_gate_says_what_is_permitted() -> None:
    with pytest.raises(ConfigurationError):
        Permitted((document("a"),), 0, "me")


def test_a_name_without_its_kind_is_no_viewer() -> None:
    assert permit(OpenAccess({"a": ("ann", "legal", "user:Ann")}), document("a")).items == ()


def test_fewer_of_what_is_permitted_are_permitted_and_nothing_else_is_added() -> None:
    here, there, stranger = document("here"), document("there"), document("stranger")
    shown = permit(OpenAccess({"gone": ("user:bob",)}), here, document("gone"), there)
    assert shown.only([stranger, there]).items == (there,)
    assert shown.only([there, here]).items == (there, here)
    assert shown.only([]).withheld == 1
