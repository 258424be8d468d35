"""The catalogue as operators read it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cicada.documents.catalogue import DocumentRow, Sort
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, MetadataValue
from cicada.errors import InvalidFilterError, InvalidFrameError
from cicada.ingest.catalogue_event import catalogue_at_once, compared_at_once
from cicada.ingest.model import StoredDocument
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.retrieval.model import EmbeddedPassage
from tests.fakes.access import OpenAccess
from tests.fakes.ground_truth import InMemoryGroundTruth
from tests.fakes.passage_index import InMemoryPassageIndex
from tests.fakes.passages import passage

STORE = KnowledgeBaseKey("acme", "store")
SCHEMA = Schema(
    {
        "status": SchemaField("status", FieldType.KEYWORD, ("approved", "draft")),
        "value": SchemaField("value", FieldType.NUMBER),
    },
    sort=Sort("value"),
)
LIBRARY = Path(__file__).parents[3] / "layers" / "shared" / "python" / "cicada"


def filled() -> InMemoryPassageIndex:
    index = InMemoryPassageIndex("fixed", 1)
    documents: dict[str, tuple[dict[str, MetadataValue], tuple[str, ...]]] = {
        "a": ({"status": "draft", "value": 2.0, "tags": ("x", "y")}, ("user:bob",)),
        "b": ({"status": "approved", "value": 1.0}, ()),
    }
    for name, (metadata, readers) in documents.items():
        document = DocumentKey(STORE, name)
        row = DocumentRow(document, name.upper(), "v1", 1, 1_700_000_000.0, "same", metadata, readers)
        index.replace(document, [EmbeddedPassage(passage(document), [1.0])], row)
    return index


def asked(**event: Any) -> dict[str, Any]:
    return catalogue_at_once(
        {"tenant": "acme", "knowledgeBase": "store", **event},
        filled(),
        KnowledgeBases(KnowledgeBase("", schema=SCHEMA)),
    )


def test_the_bases_that_the_index_lacks_are_named_whoever_may_read_them() -> None:
    truth, index = InMemoryGroundTruth(), filled()
    for base, name in (("store", "a"), ("store", "b"), ("lost", "c")):
        truth.write(StoredDocument(DocumentKey(KnowledgeBaseKey("acme", base), name), "v1", "fixed", 1, ()))
    access = OpenAccess({"c": ("user:bob",)})
    assert compared_at_once(truth, index, access) == {
        "bases": [
            {"tenant": "acme", "knowledgeBase": "store", "kept": 2, "isIncomplete": False},
            {"tenant": "acme", "knowledgeBase": "lost", "kept": 1, "isIncomplete": True},
        ],
        "vectors": {},
    }


def test_an_operator_sees_every_document_whoever_may_read_it() -> None:
    found = asked(documents="list")
    assert ([each["documentId"] for each in found["documents"]], found["total"]) == (["b", "a"], 2)
    metadata = {"status": "draft", "value": 2.0, "tags": ["x", "y"]}
    row = {"documentId": "a", "title": "A", "passages": 1, "version": "v1", "contentHash": "same"}
    row |= {"indexedAt": "2023-11-14T22:13:20+00:00", "metadata": metadata, "readers": ["user:bob"]}
    assert found["documents"][1] == row


def test_a_list_is_filtered_sorted_paged_and_counted() -> None:
    assert [each["documentId"] for each in asked(documents="list", filters=["status=draft"])["documents"]] == ["a"]
    page = asked(documents="list", sort="-value", limit=1)
    assert ([each["documentId"] for each in page["documents"]], page["nextOffset"]) == (["a"], 1)
    assert asked(documents="list", offset=1)["nextOffset"] is None
    counted = asked(documents="list", countBy="status")["counts"]
    assert sorted((each["value"], each["count"]) for each in counted) == [("approved", 1), ("draft", 1)]


def test_a_document_is_shown_with_its_copies() -> None:
    found = asked(documents="show", id="b")
    assert (found["title"], found["copies"]) == ("B", ["a"])


@pytest.mark.parametrize(
    "event",
    [
        {"documents": "show", "id": "zz"},
        {"documents": "show"},
        {"documents": "drop"},
        {"documents": "list", "limit": -1},
        {"documents": "list", "offset": "2"},
        {"documents": "list", "limit": True},
    ],
)
def test_what_is_not_understood_is_refused_with_a_sentence(event: dict[str, Any]) -> None:
    with pytest.raises(InvalidFrameError, match=r"[A-Z].+\."):
        asked(**event)


def test_a_filter_on_a_field_that_the_base_lacks_names_the_fields() -> None:
    with pytest.raises(InvalidFilterError, match="status"):
        asked(documents="list", filters=["colour=red"])


@pytest.mark.parametrize("option", ["sort", "countBy"])
def test_a_field_that_no_document_has_is_refused_with_the_nearest(option: str) -> None:
    with pytest.raises(InvalidFrameError, match="“statsu”; did you mean “status”"):
        asked(documents="list", **{option: "statsu"})
    with pytest.raises(InvalidFrameError, match=r"“nofield”\. There are status, tags, title, value"):
        asked(documents="list", **{option: "nofield"})
    for known in ("value", "tags", "title"):
        assert asked(documents="list", **{option: known})["total"] == 2


def test_only_permissions_make_a_filter_for_every_viewer_and_only_what_shows_no_document_uses_it() -> None:
    texts = {str(file.relative_to(LIBRARY)): file.read_text("utf-8") for file in LIBRARY.rglob("*.py")}
    naming = {name for name, text in texts.items() if "every_document" in text or "reader=None" in text}
    operators, cards, counted = "ingest/catalogue_event.py", "ingest/cards/related.py", "retrieval/completeness.py"
    assert naming == {"documents/model.py", "permissions.py", operators, cards, counted, "retrieval/probing.py"}
    assert [name for name, text in texts.items() if "reader=None" in text] == ["permissions.py"]
