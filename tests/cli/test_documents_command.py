"""`cicada documents`, run as an operator runs it, against a function that reads a catalogue in memory."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError
from msgspec.structs import replace

from cicada.documents.card import Card, CardSection, Related
from cicada.documents.catalogue import DocumentRow
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, MetadataValue, Passage, SectionLocator
from cicada.errors import CicadaError
from cicada.ingest.catalogue_event import catalogue_at_once
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.retrieval.model import EmbeddedPassage
from cli import deployment_target
from cli.__main__ import main
from tests.fakes.passage_index import InMemoryPassageIndex

STORE = KnowledgeBaseKey("default", "store")
SCHEMA = Schema(
    {
        "status": SchemaField("status", FieldType.KEYWORD),
        "since": SchemaField("since", FieldType.DATE),
        "tags": SchemaField("tags", FieldType.KEYWORDS),
        "secret": SchemaField("secret", FieldType.BOOLEAN),
    }
)
DOCUMENTS: dict[str, tuple[str, dict[str, MetadataValue], tuple[str, ...]]] = {
    "a.md": ("Archive", {"status": "draft", "since": "2025-01-31", "tags": ("x", "y"), "secret": True}, ("user:bob",)),
    "lease.md": ("Lease\x1b[2J", {"status": "approved", "since": "2024-05-01"}, ()),
    "z.md": ("Zoo", {"status": "approved", "since": "2026-02-01"}, ()),
}


@dataclass
class CatalogueFunction:
    """Lambda with the ingest function's part for the catalogue; `failure` is raised by every call while it is set."""

    index: InMemoryPassageIndex
    events: list[dict[str, Any]] = field(default_factory=list)
    failure: Exception | None = None

    def invoke(self, *, FunctionName: str, Payload: bytes) -> dict[str, Any]:  # noqa: N803 - boto3's names
        if self.failure:
            raise self.failure
        self.events.append(json.loads(Payload))
        try:
            result, failed = catalogue_at_once(self.events[-1], self.index, lambda _: SCHEMA), {}
        except CicadaError as error:
            result, failed = {"errorMessage": str(error)}, {"FunctionError": "Unhandled"}
        return {"Payload": io.BytesIO(json.dumps(result).encode()), **failed}


def filled() -> InMemoryPassageIndex:
    index = InMemoryPassageIndex("fixed", 1)
    for name, (title, metadata, readers) in DOCUMENTS.items():
        document = DocumentKey(STORE, name)
        kept = Passage(f"{name}#0", document, "v1", title, "Text.", "", SectionLocator(()))
        content = "same bytes" if name != "z.md" else "other bytes"
        row = DocumentRow(document, title, "v1", 1, 1_700_000_000.0, content, metadata, readers)
        index.replace(document, [EmbeddedPassage(kept, [1.0])], row)
    return index


@pytest.fixture
def function(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[CatalogueFunction]:
    stage_file = tmp_path / "stage.json"
    fields = {"websocketUrl": "ws://127.0.0.1:1", "endpointUrl": "http://127.0.0.1:1", "region": "us-east-1"}
    outputs = {"IngestFunction": "cicada-local-ingest-document"}
    stage_file.write_text(json.dumps(fields | {"clientId": "c", "users": [], "functions": {}, "outputs": outputs}))
    monkeypatch.setenv("CICADA_STAGE_FILE", str(stage_file))
    monkeypatch.setattr("cli.local_stage._answers", lambda url: True)
    made = CatalogueFunction(filled())
    monkeypatch.setattr(
        deployment_target.DeploymentTarget, "client", lambda self, service, read_timeout_seconds=30: made
    )
    yield made


def listed(*options: str) -> int:
    return main(["documents", "list", "--knowledge-base", "store", *options])


def test_documents_are_listed_whoever_may_read_them(
    function: CatalogueFunction, capsys: pytest.CaptureFixture[str]
) -> None:
    assert listed() == 0
    assert capsys.readouterr().out.splitlines() == [
        "a.md      Archive",
        "lease.md  Lease[2J",
        "z.md      Zoo",
        "1 to 3 of 3 documents.",
    ]


def test_a_list_is_filtered_sorted_counted_and_paged(
    function: CatalogueFunction, capsys: pytest.CaptureFixture[str]
) -> None:
    assert listed("--filter", "since>=2025-01-01", "--filter", "status=draft,approved", "--sort=-since") == 0
    assert capsys.readouterr().out.splitlines() == ["z.md  Zoo", "a.md  Archive", "1 to 2 of 2 documents."]
    assert listed("--count-by", "status", "--limit", "1", "--offset", "1") == 0
    said = capsys.readouterr().out.splitlines()
    assert (said[0], said[-1]) == ("lease.md  Lease[2J", "2 to 2 of 3 documents.")
    assert sorted(said[1:-1]) == ["approved: 2", "draft: 1"]


def test_a_list_without_a_match_is_no_failure(function: CatalogueFunction, capsys: pytest.CaptureFixture[str]) -> None:
    assert listed("--filter", "status=retired") == 0
    assert capsys.readouterr().out == "0 documents match.\n"
    assert listed("--tenant", "elsewhere") == 0
    assert capsys.readouterr().out == "0 documents match.\n"


def test_json_is_what_the_function_returned(function: CatalogueFunction, capsys: pytest.CaptureFixture[str]) -> None:
    assert listed("--json", "--limit", "2") == 0
    printed = json.loads(capsys.readouterr().out)
    assert [each["documentId"] for each in printed["documents"]] == ["a.md", "lease.md"]
    assert (printed["total"], printed["nextOffset"]) == (3, 2)
    assert printed["documents"][0]["metadata"] == {
        "status": "draft",
        "since": "2025-01-31",
        "tags": ["x", "y"],
        "secret": True,
    }


def test_a_document_is_shown_with_its_metadata_readers_and_copies(
    function: CatalogueFunction, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["documents", "show", "a.md", "--knowledge-base", "store"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "Archive"
    assert {"  readers   user:bob", "  tags: x, y", "  secret: yes", "  ingested  2023-11-14T22:13:20+00:00"} <= set(
        said
    )
    assert "  the same file is also here as lease.md" in said
    assert main(["documents", "show", "z.md", "--knowledge-base", "store"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert "  readers   everybody of the tenant" in said
    assert not any("also here" in line for line in said)
    assert said[-1].startswith("It has no card")


def test_a_document_is_shown_with_its_card(function: CatalogueFunction, capsys: pytest.CaptureFixture[str]) -> None:
    card = Card(
        "Zoo",
        "Rules for visitors\x1b[2J.",
        ("zoo", "opening hours"),
        ("When does it open?",),
        (CardSection("Hours", 0, 0, ("opening hours",)),),
        (Related("a.md", 1.0),),
    )
    document = DocumentKey(STORE, "z.md")
    [kept] = function.index.passages_of(document)
    row = function.index.row(document)
    assert row is not None
    function.index.replace(document, [EmbeddedPassage(kept, [1.0])], replace(row, card=card))
    assert main(["documents", "show", "z.md", "--knowledge-base", "store"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[said.index("Card, by rules") :] == [
        "Card, by rules",
        "  overview   Rules for visitors[2J.",
        "  tags       zoo, opening hours",
        "  question   When does it open?",
        "  sections",
        "    Hours (passages 0 to 0): opening hours",
        "  related",
        "    a.md  1.00",
    ]
    assert main(["documents", "show", "z.md", "--knowledge-base", "store", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)["card"]
    assert printed["sections"] == [{"heading": "Hours", "first": 0, "last": 0, "keywords": ["opening hours"]}]
    assert printed["related"] == [{"documentId": "a.md", "weight": 1.0}]
    assert listed("--json") == 0
    assert "card" not in json.loads(capsys.readouterr().out)["documents"][2]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["show", "nothing.md"], "There is no document of this id"),
        (["list", "--filter", "colour=red"], "has no field 'colour'; use one of status, since"),
        (["list", "--filter", "since>=soon"], "takes a date"),
        (["list", "--filter", "nonsense"], "is no filter; write it as"),
        (["list", "--limit", "-1"], "not negative"),
    ],
)
def test_what_cannot_be_answered_is_one_sentence(
    function: CatalogueFunction, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    assert main(["documents", *arguments, "--knowledge-base", "store"]) == 1
    said = capsys.readouterr()
    assert sentence in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""


def test_a_function_that_is_not_there_is_an_error_and_no_empty_list(
    function: CatalogueFunction, capsys: pytest.CaptureFixture[str]
) -> None:
    function.failure = ClientError({"Error": {"Code": "ResourceNotFoundException"}}, "Invoke")
    assert listed() == 1
    said = capsys.readouterr()
    assert "cannot be invoked: ResourceNotFoundException" in said.err
    assert said.out == ""
