from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cicada.adapters.s3.keys import (
    document_key,
    is_sidecar,
    object_key,
    report_key,
    sidecar_key,
    truth_document,
    truth_key,
)
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.errors import DocumentRejectedError


@pytest.mark.parametrize(
    ("key", "tenant", "knowledge_base", "document_id"),
    [
        ("documents/default/scripts/macbeth.json", "default", "scripts", "macbeth.json"),
        ("documents/acme-1/game.v2/onik/day 1/01 + 02.json", "acme-1", "game.v2", "onik/day 1/01 + 02.json"),
        ("documents/default/scripts/ひぐらし#1.json", "default", "scripts", "ひぐらし#1.json"),
        ("documents/default/scripts/..hidden..json", "default", "scripts", "..hidden..json"),
    ],
)
def test_a_key_names_tenant_knowledge_base_and_document(
    key: str, tenant: str, knowledge_base: str, document_id: str
) -> None:
    document = document_key(key)
    assert document == DocumentKey(KnowledgeBaseKey(tenant, knowledge_base), document_id)
    assert object_key(document) == key
    assert report_key(document) == f"reports/{key.removeprefix('documents/')}.json"
    assert truth_key(document) == f"truth/{key.removeprefix('documents/')}.jsonl.gz"
    assert truth_document(truth_key(document)) == document


def test_a_sidecar_belongs_to_the_document_beside_it() -> None:
    document = DocumentKey(KnowledgeBaseKey("default", "scripts"), "acts/1.json")
    key = "documents/default/scripts/acts/1.json.metadata.json"
    assert (sidecar_key(document), document_key(key)) == (key, document)
    assert (is_sidecar(key), is_sidecar(object_key(document))) == (True, False)


@pytest.mark.parametrize(
    "key",
    [
        "",
        "macbeth.json",
        "documents/macbeth.json",
        "documents/default/macbeth.json",
        "documents/default/scripts/",
        "reports/default/scripts/macbeth.json",
        "/documents/default/scripts/macbeth.json",
        "documents//scripts/macbeth.json",
        "documents/../scripts/macbeth.json",
        "documents/default/../macbeth.json",
        "documents/de fault/scripts/macbeth.json",
        "documents/default#x/scripts/macbeth.json",
        "documents/défaut/scripts/macbeth.json",
        f"documents/{'t' * 65}/scripts/macbeth.json",
        "documents/default/scripts/../../other/scripts/macbeth.json",
        "documents/default/scripts/./macbeth.json",
        "documents/default/scripts//macbeth.json",
        "documents/default/scripts/acts/",
        "documents/default/scripts/.metadata.json",
        "documents/default/scripts/acts/.metadata.json",
        "documents/default/scripts/..\\macbeth.json",
        "documents/default/scripts/mac\nbeth.json",
        "documents/default/scripts/mac\x00beth.json",
        "documents/default/scripts/mac\ud83dbeth.json",
        f"documents/default/scripts/{'ü' * 401}",
    ],
)
def test_any_other_key_is_rejected(key: str) -> None:
    with pytest.raises(DocumentRejectedError):
        document_key(key)


@given(st.text(st.sampled_from("ab./\\%+ \x00é#"), max_size=12))
def test_what_is_accepted_stays_below_its_knowledge_base(rest: str) -> None:
    try:
        document = document_key(f"documents/default/scripts/{rest}")
    except DocumentRejectedError:
        return
    assert document.base_key == KnowledgeBaseKey("default", "scripts")
    assert not re.search(r"(^|/)\.{0,2}(/|$)", document.document_id)
