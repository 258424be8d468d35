"""`cicada documents`, run as an operator runs it, against a function that reads a catalogue in memory."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws
from moto.s3.models import s3_backends
from msgspec.structs import replace

from cicada.documents.catalogue import Card, CardSection, DocumentRow, Related
from cicada.documents.model import DocumentKey, KnowledgeBaseKey, MetadataValue, Passage, SectionLocator
from cicada.documents.states import state_of
from cicada.errors import CicadaError
from cicada.ingest.catalogue_event import catalogue_at_once
from cicada.knowledge_bases.schema import FieldType, Schema, SchemaField
from cicada.knowledge_bases.settings import KnowledgeBase, KnowledgeBases
from cicada.retrieval.model import EmbeddedPassage
from cli import deployment_target
from cli.__main__ import main
from cli.operator.document_states import STATES
from tests.cli.conftest import Shell
from tests.fakes.passage_index import InMemoryPassageIndex

STORE = KnowledgeBaseKey("default", "store")
BUCKET = "documents"
INGESTED = datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
LATER = INGESTED + timedelta(hours=1)
SCHEMA = Schema(
    {
        "status": SchemaField("status", FieldType.KEYWORD),
        "since": SchemaField("since", FieldType.DATE),
        "tags": SchemaField("tags", FieldType.KEYWORDS),
        "secret": SchemaField("secret", FieldType.BOOLEAN),
    }
)
BASES = KnowledgeBases(KnowledgeBase("", schema=SCHEMA))
DOCUMENTS: dict[str, tuple[str, dict[str, MetadataValue], tuple[str, ...]]] = {
    "a.md": ("Archive", {"status": "draft", "since": "2025-01-31", "tags": ("x", "y"), "secret": True}, ("user:bob",)),
    "lease.md": ("Lease\x1b[2J", {"status": "approved", "since": "2024-05-01"}, ()),
    "z.md": ("Zoo", {"status": "approved", "since": "2026-02-01", "rent": 950.0}, ()),
}


@dataclass
class CatalogueFunction:
    """Lambda with the ingest function's part for the catalogue; `failure` is raised by every call while it is set."""

    index: InMemoryPassageIndex
    events: list[dict[str, Any]] = field(default_factory=list)
    failure: Exception | None = None
    s3: Any = None
    bases: list[dict[str, Any]] = field(default_factory=list)

    def _reply(self, event: dict[str, Any]) -> dict[str, Any]:
        compared = event == {"documents": "compare"}
        return {"bases": self.bases} if compared else catalogue_at_once(event, self.index, BASES)

    def invoke(self, *, FunctionName: str, Payload: bytes) -> dict[str, Any]:  # noqa: N803 - boto3's names
        if self.failure:
            raise self.failure
        self.events.append(json.loads(Payload))
        try:
            result, failed = self._reply(self.events[-1]), {}
        except CicadaError as error:
            result, failed = (
                {"errorMessage": str(error), "errorType": type(error).__name__},
                {"FunctionError": "Unhandled"},
            )
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
def function(monkeypatch: pytest.MonkeyPatch, local_stage: Callable[..., None]) -> Iterator[CatalogueFunction]:
    local_stage(IngestFunction="cicada-local-ingest-document", DocumentsBucket=BUCKET)
    made = CatalogueFunction(filled())
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        s3 = boto3.client("s3", region_name="us-east-1")
        s3.create_bucket(Bucket=BUCKET)
        s3.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
        made.s3 = s3
        monkeypatch.setattr(
            deployment_target.DeploymentTarget,
            "client",
            lambda self, service, read_timeout_seconds=30: made if service == "lambda" else s3,
        )
        yield made


def put(function: CatalogueFunction, key: str, body: bytes = b"text", at: datetime | None = None) -> None:
    """Put an object, as if at this time."""
    function.s3.put_object(Bucket=BUCKET, Key=key, Body=body)
    if at is not None:
        s3_backends["123456789012"]["aws"].buckets[BUCKET].keys[key].last_modified = at.replace(tzinfo=None)


def report(function: CatalogueFunction, name: str, at: datetime, outcome: str, *reasons: str) -> None:
    problems = [{"place": "", "reason": reason, "kind": "unreadable"} for reason in reasons]
    said = {"outcome": outcome, "version": "v2", "passages": 1, "problems": problems, "reportedAt": at.isoformat()}
    put(function, f"reports/default/store/{name}.json", json.dumps(said).encode(), at)


def listed(*options: str) -> int:
    return main(["documents", "list", "--knowledge-base", "store", *options])


def test_documents_are_listed_whoever_may_read_them(function: CatalogueFunction, shell: Shell) -> None:
    assert listed() == 0
    assert shell.lines() == [
        "ID        TITLE     PASSAGES  INGESTED                   READERS",
        "a.md      Archive   1         2023-11-14T22:13:20+00:00  user:bob",
        "lease.md  Lease[2J  1         2023-11-14T22:13:20+00:00  everybody of the tenant",
        "z.md      Zoo       1         2023-11-14T22:13:20+00:00  everybody of the tenant",
        "1 to 3 of 3 documents.",
    ]


def test_a_list_is_filtered_sorted_counted_and_paged(function: CatalogueFunction, shell: Shell) -> None:
    assert listed("--filter", "since>=2025-01-01", "--filter", "status=draft,approved", "--sort=-since") == 0
    lines = shell.lines()
    assert [line.split()[:2] for line in lines[1:-1]] == [["z.md", "Zoo"], ["a.md", "Archive"]]
    assert lines[-1] == "1 to 2 of 2 documents."
    assert listed("--count-by", "status", "--limit", "1", "--offset", "1") == 0
    said = shell.lines()
    assert (said[1].split()[0], said[-1]) == ("lease.md", "2 to 2 of 3 documents.")
    assert sorted(said[2:-1]) == ["approved: 2", "draft: 1"]


def test_a_list_without_a_match_is_no_failure(function: CatalogueFunction, shell: Shell) -> None:
    assert listed("--filter", "status=retired") == 0
    assert shell.out() == "0 documents match.\n"
    assert listed("--tenant", "elsewhere") == 0
    assert shell.out() == "0 documents match.\n"


@pytest.mark.parametrize("part", [["list"], ["list", "--state", "all"], ["show", "a.md"]])
def test_unknown_base_is_refused(function: CatalogueFunction, shell: Shell, part: list[str]) -> None:
    put(function, "documents/default/kettles/a.txt")
    for name, meant in (("nope", "."), ("stroe", "; did you mean “store”?"), ("kettle", "; did you mean “kettles”?")):
        assert shell("documents", *part, "--knowledge-base", name) == 2
        said = f"cicada: There is no knowledge base {name} in the tenant default{meant}\n"
        assert shell.err() == said


def test_a_list_of_an_index_that_lost_the_base_is_no_list_of_nothing(function: CatalogueFunction, shell: Shell) -> None:
    function.bases = [{"tenant": "default", "knowledgeBase": "scripts", "kept": 2, "isIncomplete": True}]
    assert shell("documents", "list", "--knowledge-base", "scripts") == 1
    said = "cicada: The index lacks most of the 2 documents in scripts: run `cicada rebuild`.\n"
    assert shell.err() == said


def test_json_is_what_the_function_returned(function: CatalogueFunction, shell: Shell) -> None:
    assert listed("--json", "--limit", "2") == 0
    printed = shell.json()
    assert [each["documentId"] for each in printed["documents"]] == ["a.md", "lease.md"]
    assert (printed["total"], printed["nextOffset"]) == (3, 2)
    assert printed["documents"][0]["metadata"] == {
        "status": "draft",
        "since": "2025-01-31",
        "tags": ["x", "y"],
        "secret": True,
    }


def test_a_document_is_shown_with_its_metadata_viewers_and_copies(function: CatalogueFunction, shell: Shell) -> None:
    assert shell("documents", "show", "a.md", "--knowledge-base", "store") == 0
    said = shell.lines()
    assert said[0] == "Archive"
    assert {"  readers   user:bob", "  tags: x, y", "  secret: yes", "  ingested  2023-11-14T22:13:20+00:00"} <= set(
        said
    )
    assert "  the same file is also here as lease.md" in said
    assert shell("documents", "show", "z.md", "--knowledge-base", "store") == 0
    said = shell.lines()
    assert {"  readers   everybody of the tenant", "  rent: 950"} <= set(said)
    assert not any("also here" in line for line in said)
    assert said[-1].startswith("It has no card")


def test_viewers_that_cannot_be_looked_up_are_not_said_to_be_nobody(function: CatalogueFunction, shell: Shell) -> None:
    """The stage's file of this test names no user pool."""
    why = "The stack has no output UserPoolId; deploy it again."
    for command in (["show", "a.md"], ["list"]):
        assert shell("documents", *command, "--knowledge-base", "store") == 0
        assert f"Whether somebody is each named reader could not be looked up: {why}" in shell.err()
        assert shell("documents", *command, "--knowledge-base", "store", "--json") == 0
        said = shell.json()
        assert said["readersNotLookedUp"] == why
        assert said.get("documents", [said])[0]["unknownReaders"] == []


def test_a_document_is_shown_with_its_card(function: CatalogueFunction, shell: Shell) -> None:
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
    assert shell("documents", "show", "z.md", "--knowledge-base", "store") == 0
    said = shell.lines()
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
    assert shell("documents", "show", "z.md", "--knowledge-base", "store", "--json") == 0
    printed = shell.json()["card"]
    assert printed["sections"] == [{"heading": "Hours", "first": 0, "last": 0, "keywords": ["opening hours"]}]
    assert printed["related"] == [{"documentId": "a.md", "weight": 1.0}]
    assert listed("--json") == 0
    assert "card" not in shell.json()["documents"][2]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["show", "nothing.md"], "There is no document nothing.md in the knowledge base store."),
        (["list", "--filter", "colour=red"], "has no field 'colour'; use one of status, since"),
        (["list", "--filter", "since>=soon"], "takes a date"),
        (["list", "--filter", "nonsense"], "is no filter; write it as"),
        (["list", "--limit", "-1"], "not negative"),
    ],
)
def test_impossible_questions(function: CatalogueFunction, shell: Shell, arguments: list[str], sentence: str) -> None:
    assert shell("documents", *arguments, "--knowledge-base", "store") == 1
    said = shell.read()
    assert sentence in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""


def test_a_function_that_is_not_there_is_an_error_and_no_empty_list(function: CatalogueFunction, shell: Shell) -> None:
    function.failure = ClientError({"Error": {"Code": "ResourceNotFoundException"}}, "Invoke")
    assert listed() == 1
    said = shell.read()
    assert "cannot be invoked: ResourceNotFoundException" in said.err
    assert said.out == ""


def prepared(function: CatalogueFunction) -> None:
    """A document of each state; `a.md` has a newer file that was rejected, `lease.md` is out of the bucket."""
    documents = "documents/default/store/"
    put(function, f"{documents}a.md", at=LATER)
    report(function, "a.md", LATER, "rejected", "The front matter ends\x1b in the middle.")
    put(function, f"{documents}z.md", at=INGESTED)
    report(function, "z.md", INGESTED, "indexed")
    put(function, f"{documents}new.md", at=LATER)
    report(function, "new.md", INGESTED, "deleted")
    put(function, f"{documents}bad.pdf", at=INGESTED)
    report(function, "bad.pdf", LATER, "rejected", "The file is no PDF.", "And more.")


def test_the_documents_in_each_state_are_listed_with_the_reason(function: CatalogueFunction, shell: Shell) -> None:
    prepared(function)
    assert listed("--state", "all", "--json") == 0
    found = {each["documentId"]: each for each in shell.json()["documents"]}
    assert {name: each["state"] for name, each in found.items()} == {
        "a.md": "rejected",
        "bad.pdf": "rejected",
        "lease.md": "leaving",
        "new.md": "waiting",
        "z.md": "searchable",
    }
    assert found["bad.pdf"]["lastReport"]["outcome"] == "rejected"
    assert listed("--state", "rejected") == 0
    assert shell.lines() == [
        "ID       STATE     CHANGED                    REASON",
        "a.md     rejected  2023-11-14T23:13:20+00:00  The front matter ends in the middle.",
        "bad.pdf  rejected  2023-11-14T22:13:20+00:00  The file is no PDF.",
        "2 of 5 documents.",
    ]
    assert listed("--state", "rejected", "--filter", "status=draft") == 2
    assert "leave out --filter" in shell.err()


def test_a_document_is_shown_with_its_state_versions_and_last_report(function: CatalogueFunction, shell: Shell) -> None:
    prepared(function)
    put(function, "documents/default/store/z.md", b"the same", INGESTED)
    put(function, "documents/default/store/z.md.extra", b"of another document")
    shown = ["documents", "show", "--knowledge-base", "store"]
    assert shell(*shown, "z.md") == 0
    said = shell.lines()
    assert said[2:4] == ["  state     searchable", "  uploaded  2023-11-14T22:13:20+00:00, versions kept: 2"]
    assert "Last report, 2023-11-14T22:13:20+00:00: indexed" in said
    assert shell(*shown, "bad.pdf") == 0
    assert shell.lines() == [
        "bad.pdf",
        "  id        bad.pdf",
        "  state     rejected",
        "  uploaded  2023-11-14T22:13:20+00:00, versions kept: 1",
        "",
        "Last report, 2023-11-14T23:13:20+00:00: rejected",
        "  The file is no PDF.",
        "  And more.",
    ]
    assert shell(*shown, "lease.md", "--json") == 0
    assert shell.json()["state"] == "leaving"
    assert shell(*shown, "new.md") == 0
    assert "  state     waits for ingest" in shell.lines()


@pytest.mark.parametrize(
    ("changed", "reported", "outcome", "is_listed", "state"),
    [
        (None, LATER, "deleted", False, None),
        (None, None, "", True, "leaving"),
        (INGESTED, None, "", True, "waiting"),
        (LATER, INGESTED, "indexed", True, "waiting"),
        (INGESTED, INGESTED, "indexed", True, "searchable"),
        (INGESTED + timedelta(seconds=0.9), INGESTED, "indexed", True, "searchable"),
        (INGESTED, LATER, "rejected", True, "rejected"),
        (INGESTED, LATER, "under_way", True, "ingesting"),
        (LATER, INGESTED, "under_way", True, "waiting"),
    ],
)
def test_state_of_a_document(
    changed: datetime | None, reported: datetime | None, outcome: str, is_listed: bool, state: str | None
) -> None:
    assert state_of(changed, reported, outcome, is_listed=is_listed) == state
    assert state is None or state in STATES
