"""`cicada ingest` and `cicada remove`, run as people run them, on a bucket whose changes the real ingest processes."""

from __future__ import annotations

import errno
import io
import json
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws

from cicada.adapters.s3.document_store import S3DocumentStore
from cicada.adapters.s3.ground_truth import S3GroundTruth
from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.ingest import uploads
from cicada.ingest.ingest import Ingester
from cicada.ingest.model import IngestReport, Outcome, version_of
from cicada.ingest.script import ScriptParser
from cli import deployment_target
from cli.__main__ import main
from cli.screen import Screen
from clients.documents import uploader
from clients.documents.files import SIDECAR
from tests.cli.conftest import Shell, Typing
from tests.unit.ingest.passage_index import CountingEmbedder, DisturbedIndex
from tests.unit.ingest.scripts import SCRIPTS, script, shipped_episodes, speech

BUCKET = "documents"
GOOD = script(speech(1, "The queen, my lord, is dead."))
BAD = GOOD[:-5]


class AnnouncingClient:
    """The bucket's client; what is put below documents/ is announced, and kept in `puts`."""

    def __init__(self, client: Any, announce: Callable[[str], object]) -> None:
        self._client = client
        self._announce = announce
        self.puts: list[str] = []
        self.deletes: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def put_object(self, **arguments: Any) -> Any:
        reply = self._client.put_object(**arguments)
        key = arguments["Key"]
        if key.startswith("documents/"):
            self.puts.append(key)
            if not key.endswith(".metadata.json"):
                self._announce(key)
        return reply

    def delete_object(self, **arguments: Any) -> Any:
        reply = self._client.delete_object(**arguments)
        key = arguments["Key"]
        if key.startswith("documents/"):
            self.deletes.append(key)
            if not key.endswith(".metadata.json"):
                self._announce(key)
        return reply


class RoundClock:
    """Time that passes between two rounds only: how long an upload takes on a slow machine does not count.

    `meanwhile`: what happens between two rounds.
    """

    def __init__(self) -> None:
        self.meanwhile: Callable[[], object] = lambda: None
        self._now = 0.0

    def __call__(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        self._now += seconds
        self.meanwhile()


@dataclass
class Backend:
    """A bucket and the ingest behind it, which is as quick as can be unless it is silent.

    `events`: how many events it gets for each file; for a file with a sidecar S3 sends two.
    """

    client: Any
    index: DisturbedIndex = field(default_factory=DisturbedIndex)
    is_silent: bool = False
    events: int = 1
    clock: RoundClock = field(default_factory=RoundClock)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ingest(self, key: str) -> None:
        if self.is_silent:
            return
        _, tenant, base, name = key.split("/", 3)
        ingester = Ingester(
            S3DocumentStore(self.client, BUCKET),
            S3GroundTruth(self.client, BUCKET),
            self.index,
            CountingEmbedder(),
            {".json": ScriptParser(shipped_episodes())},
        )
        with self._lock:
            for _ in range(self.events):
                ingester.ingest(DocumentKey(KnowledgeBaseKey(tenant, base), name))


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch, local_stage: Callable[..., None]) -> Iterator[Backend]:
    local_stage(DocumentsBucket=BUCKET)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setattr(uploader, "_ROUND_SECONDS", 0.01)
    with mock_aws():
        client = boto3.client("s3", region_name="us-east-1")
        client.create_bucket(Bucket=BUCKET)
        _ = client.exceptions  # Made before there are threads, as the command's own clients have them.
        made = Backend(client)
        clock = made.clock
        monkeypatch.setattr(uploader, "Uploader", partial(uploader.Uploader, clock=clock, sleep=clock.sleep))
        announcing = AnnouncingClient(client, made.ingest)
        monkeypatch.setattr(
            deployment_target.DeploymentTarget, "client", lambda self, service, read_timeout_seconds=30: announcing
        )
        made.client = announcing
        yield made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "plays"
    (made / "acts").mkdir(parents=True)
    (made / "macbeth.json").write_bytes(GOOD)
    (made / "macbeth.json.metadata.json").write_text('{"metadataAttributes": {"genre": "tragedy"}}')
    (made / "acts" / "hamlet.json").write_bytes(GOOD + b"\n")
    (made / ".DS_Store").write_bytes(b"\x00")
    return made


def test_folder_with_sidecars(backend: Backend, folder: Path, shell: Shell) -> None:
    assert shell("ingest", str(folder)) == 0
    lines = shell.lines()
    assert sorted(lines[:2]) == sorted(
        [f"{folder}/acts/hamlet.json: indexed, 1 passage", f"{folder}/macbeth.json: indexed, 1 passage"]
    )
    assert lines[2] == "2 files: 2 indexed."
    assert {document.document_id for document in backend.index.documents} == {"macbeth.json", "acts/hamlet.json"}
    assert backend.index.passages_of(DocumentKey(SCRIPTS, "macbeth.json"))[0].metadata["genre"] == "tragedy"
    prefix = "documents/default/scripts/"
    puts = [key for key in backend.client.puts if key.startswith(f"{prefix}macbeth")]
    assert puts == [f"{prefix}macbeth.json.metadata.json", f"{prefix}macbeth.json"]


def test_unchanged_and_changed_files(backend: Backend, folder: Path, shell: Shell) -> None:
    shell("ingest", str(folder))
    (folder / "macbeth.json").write_bytes(script(speech(1, "She should have died hereafter.")))
    shell.read()
    assert shell("ingest", str(folder / "macbeth.json"), str(folder / "acts")) == 0
    said = shell.out()
    assert f"{folder}/macbeth.json: indexed, 1 passage" in said
    # Another id than before, because the folder is another.
    assert f"{folder}/acts/hamlet.json: indexed, 1 passage" in said
    assert shell("ingest", str(folder / "macbeth.json")) == 0
    assert "1 file: 1 unchanged." in shell.out()


def test_what_the_sidecars_event_indexed_is_not_unchanged(backend: Backend, folder: Path, shell: Shell) -> None:
    backend.events = 2
    assert shell("ingest", str(folder / "macbeth.json")) == 0
    assert shell.out().endswith("1 file: 1 indexed.\n")
    (folder / "macbeth.json.metadata.json").write_text('{"metadataAttributes": {"genre": "comedy"}}')
    assert shell("ingest", str(folder / "macbeth.json")) == 0
    assert shell.out().endswith("1 file: 1 indexed.\n")
    assert shell("ingest", str(folder / "macbeth.json")) == 0
    assert shell.out().endswith("1 file: 1 unchanged.\n")


def test_sidecar_of_an_earlier_upload_is_said(backend: Backend, folder: Path, shell: Shell) -> None:
    shell("ingest", str(folder))
    assert "the sidecar of an earlier upload" not in shell.err()
    (folder / "macbeth.json.metadata.json").unlink()
    assert shell("ingest", str(folder), "--patience", "5") == 0
    assert backend.index.passages_of(DocumentKey(SCRIPTS, "macbeth.json"))[0].metadata["genre"] == "tragedy"
    assert shell.err() == (
        f"{folder}/macbeth.json: the sidecar of an earlier upload still holds; `cicada remove` the document first to"
        " take it away\n"
    )
    shell("ingest", str(folder), "--json")
    kept = {each["documentId"]: each["keptSidecar"] for each in shell.json()["files"]}
    assert kept == {"acts/hamlet.json": False, "macbeth.json": True}


def test_rejected_file_among_others(backend: Backend, folder: Path, shell: Shell) -> None:
    (folder / "macbeth.json").write_bytes(BAD)
    assert shell("ingest", str(folder), "--knowledge-base", "plays", "--tenant", "acme") == 1
    said = shell.read()
    assert f"{folder}/macbeth.json: rejected" in said.out
    assert said.err.startswith(f"{folder}/macbeth.json: ")
    assert "ends in the middle" in said.err
    assert "2 files: " in said.out
    assert [document.base_key for document in backend.index.documents] == [KnowledgeBaseKey("acme", "plays")]


def test_json_is_one_object_with_every_file(backend: Backend, folder: Path, shell: Shell) -> None:
    (folder / "macbeth.json").write_bytes(BAD)
    assert shell("ingest", str(folder), "--json") == 1
    report = shell.json()
    assert (report["tenant"], report["knowledgeBase"]) == ("default", "scripts")
    hamlet, macbeth = report["files"]
    assert hamlet == {
        "path": f"{folder}/acts/hamlet.json",
        "documentId": "acts/hamlet.json",
        "outcome": "indexed",
        "passages": 1,
        "problems": [],
        "keptSidecar": False,
        "unknownReaders": [],
    }
    assert report["readersNotLookedUp"] is None
    assert (macbeth["outcome"], macbeth["problems"][0]["kind"]) == ("rejected", "unreadable")


def test_too_large_file(backend: Backend, folder: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MAX_BYTES", 10)
    assert shell("ingest", str(folder / "macbeth.json")) == 1
    assert "so it was not uploaded" in shell.err()
    assert backend.client.puts == []


def test_unreadable_file(backend: Backend, folder: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert shell("ingest", str(folder / "macbeth.json")) == 1
    assert shell.err() == f"cicada: {folder / 'macbeth.json'} cannot be read: Permission denied.\n"
    assert backend.client.puts == []


@pytest.mark.parametrize("content", [script(speech(1, "She should have died.")), GOOD], ids=["another", "the same"])
def test_an_earlier_report_is_not_taken_for_this_ones(
    backend: Backend, folder: Path, shell: Shell, content: bytes
) -> None:
    shell("ingest", str(folder / "macbeth.json"))
    backend.is_silent = True
    (folder / "macbeth.json").write_bytes(content)
    assert shell("ingest", str(folder / "macbeth.json"), "--patience", "0.05") == 1
    said = shell.out()
    assert "macbeth.json: nothing was heard of it" in said
    assert "1 file: 1 unreported." in said


def test_patience_counts_silence(backend: Backend, folder: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    store, document = S3DocumentStore(backend.client, BUCKET), DocumentKey(SCRIPTS, "hamlet.json")
    version = version_of((folder / "acts" / "hamlet.json").read_bytes())
    reports = [IngestReport(document, Outcome.UNDER_WAY, 900, (), version, embedded=each) for each in range(0, 900, 90)]
    coming = iter([*reports, IngestReport(document, Outcome.INDEXED, 900, (), version)])
    backend.is_silent, backend.clock.meanwhile = True, lambda: store.write_report(next(coming))
    shown: list[str] = []
    monkeypatch.setattr(Screen, "status", lambda self, text: shown.append(text))
    assert shell("ingest", str(folder / "acts" / "hamlet.json"), "--patience", "0.02") == 0
    assert f"0 of 1 file done; {folder}/acts/hamlet.json: 810 of 900 passages embedded" in shown
    assert "hamlet.json: indexed, 900 passages\n1 file: 1 indexed.\n" in shell.out()


def test_a_large_file_that_gets_no_further_is_given_up(backend: Backend, folder: Path, shell: Shell) -> None:
    store, document = S3DocumentStore(backend.client, BUCKET), DocumentKey(SCRIPTS, "hamlet.json")
    version = version_of((folder / "acts" / "hamlet.json").read_bytes())
    store.write_report(IngestReport(document, Outcome.UNDER_WAY, 900, (), version, embedded=90))
    backend.is_silent = True
    assert shell("ingest", str(folder / "acts" / "hamlet.json"), "--patience", "0.02") == 1
    assert "1 file: 1 unreported." in shell.out()


def test_ctrl_c_stops_the_uploads(
    backend: Backend, folder: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = iter(range(3))

    def press(*arguments: Any, **options: Any) -> Any:
        if next(calls, None) is None:
            raise KeyboardInterrupt
        return wait(*arguments, **options)

    backend.is_silent = True
    monkeypatch.setattr(uploader, "wait", press)
    assert shell("ingest", str(folder)) == 130
    assert "What has been uploaded is ingested all the same." in shell.err()
    assert not [thread for thread in threading.enumerate() if "ThreadPoolExecutor" in thread.name]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["{folder}", "{folder}/missing.json"], "There is no file or folder {folder}/missing.json."),
        (["{folder}/macbeth.json.metadata.json"], "only describes a file; name that file: macbeth.json."),
        (["{folder}/macbeth.json", "{folder}/acts/../macbeth.json"], "would both become macbeth.json"),
        (["{folder}/empty"], "There is no file to ingest in {folder}/empty."),
        (["{folder}", "{folder}/.misnamed"], "{folder}/.misnamed/merger.metadata.json belongs to no file"),
        (["{folder}/.misnamed/merger.txt"], "a sidecar is called <file name>.metadata.json"),
        (["{folder}/.orphaned"], "{folder}/.orphaned/deep/orphan.md.metadata.json belongs to no file"),
        (["{folder}", "--knowledge-base", "my plays"], "cannot be ingested: The names of tenant and knowledge base"),
    ],
)
def test_wrong_use_uploads_nothing(
    backend: Backend, folder: Path, shell: Shell, arguments: list[str], sentence: str
) -> None:
    (folder / "empty").mkdir()
    # Below hidden folders, so that they are taken only where they are named.
    for name in (".misnamed/merger.txt", ".misnamed/merger.metadata.json", ".orphaned/deep/orphan.md.metadata.json"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("{}")
    assert shell("ingest", *(text.format(folder=folder) for text in arguments)) == 2
    said = shell.err()
    assert sentence.format(folder=folder) in said
    assert said.count("\n") == 1
    assert backend.client.puts == []


def test_a_missing_bucket_is_one_sentence(backend: Backend, folder: Path, shell: Shell) -> None:
    backend.client.delete_bucket(Bucket=BUCKET)
    assert shell("ingest", str(folder)) == 1
    assert "cicada: The document store refused the call (NoSuchBucket)" in shell.err()


def test_stack_names_its_bucket(backend: Backend, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def outputs(stack: str) -> dict[str, str]:
        asked.append(stack)
        return {"DocumentsBucket": BUCKET}

    monkeypatch.setattr(deployment_target, "stack_outputs", outputs)
    assert main(["ingest", str(folder), "--tenant", "default", "--stack", "Cicada-dev"]) == 0
    assert asked == ["Cicada-dev"]


def test_stack_of_before(backend: Backend, folder: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell) -> None:
    monkeypatch.setattr(deployment_target, "stack_outputs", lambda stack: {})
    assert shell("ingest", str(folder), "--tenant", "default", "--stack", "Cicada-dev") == 1
    assert "has no output DocumentsBucket; deploy it again." in shell.err()


def stored(backend: Backend) -> set[str]:
    """What is left of documents in the bucket."""
    found = backend.client.list_objects_v2(Bucket=BUCKET, Prefix="documents/")
    return {each["Key"].removeprefix("documents/default/scripts/") for each in found.get("Contents", [])}


def test_removed_document(backend: Backend, folder: Path, shell: Shell) -> None:
    shell("ingest", str(folder))
    shell.read()
    assert shell("remove", "macbeth.json") == 0
    assert shell.out() == "macbeth.json: deleted\n"
    assert {document.document_id for document in backend.index.documents} == {"acts/hamlet.json"}
    assert stored(backend) == {"acts/hamlet.json"}
    prefix = "documents/default/scripts/macbeth.json"
    assert backend.client.deletes == [prefix, f"{prefix}.metadata.json"]
    (folder / "macbeth.json.metadata.json").unlink()
    shell("ingest", str(folder / "macbeth.json"))
    assert "genre" not in backend.index.passages_of(DocumentKey(SCRIPTS, "macbeth.json"))[0].metadata


def test_removal_of_a_missing_document_among_others(backend: Backend, folder: Path, shell: Shell) -> None:
    shell("ingest", str(folder))
    shell.read()
    # The beginning of the name of another document is none.
    assert shell("remove", "acts/hamlet.jso", "acts/hamlet.json", "acts/hamlet.json") == 1
    said = shell.read()
    assert said.out == "acts/hamlet.json: deleted\n"
    assert said.err == "There is no document acts/hamlet.jso in the knowledge base scripts.\n"
    assert stored(backend) == {"macbeth.json", "macbeth.json.metadata.json"}


def test_sidecar_outlasts_its_document_in_the_index(backend: Backend, folder: Path, shell: Shell) -> None:
    shell("ingest", str(folder))
    backend.is_silent = True
    assert shell("remove", "macbeth.json", "--patience", "0.05") == 1
    assert "macbeth.json: taken out of the bucket, but nothing was heard of it" in shell.out()
    assert stored(backend) == {"acts/hamlet.json", "macbeth.json.metadata.json"}
    assert shell("remove", "macbeth.json") == 0
    assert stored(backend) == {"acts/hamlet.json"}
    assert shell("remove", "macbeth.json") == 1


def test_late_report_on_a_removed_file(
    backend: Backend, folder: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell("ingest", str(folder))
    backend.is_silent = True
    late = {"outcome": "rejected", "version": "", "passages": 0, "problems": []}
    delete = backend.client.delete_object

    def delete_and_report(**arguments: Any) -> Any:
        delete(**arguments)
        backend.client.put_object(
            Bucket=BUCKET, Key="reports/default/scripts/macbeth.json.json", Body=json.dumps(late).encode()
        )

    monkeypatch.setattr(backend.client, "delete_object", delete_and_report, raising=False)
    assert shell("remove", "macbeth.json", "--patience", "0.05") == 1
    assert "nothing was heard of it" in shell.out()


def versions(backend: Backend) -> dict[str, list[bytes]]:
    """The content of every version in the bucket, by key; a delete marker is empty."""
    found: dict[str, list[bytes]] = {}
    listed = backend.client.list_object_versions(Bucket=BUCKET)
    for each in listed.get("Versions", []):
        reply = backend.client.get_object(Bucket=BUCKET, Key=each["Key"], VersionId=each["VersionId"])
        found.setdefault(each["Key"], []).append(reply["Body"].read())
    for each in listed.get("DeleteMarkers", []):
        found.setdefault(each["Key"], []).append(b"")
    return found


@pytest.mark.parametrize("versioning", ["Enabled", "Suspended"])
@pytest.mark.parametrize("earlier", [[], ["macbeth.json"]])
def test_purge_leaves_the_versions_of_others_alone(
    backend: Backend, folder: Path, shell: Shell, versioning: str, earlier: list[str]
) -> None:
    """Whether it is there or was removed before."""
    backend.client.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": versioning})
    (folder / "acts" / "macbeth.json").write_bytes(GOOD)
    (folder / "macbeth.json.md").write_bytes(b"# Its name begins like the other's")
    for text in (GOOD, GOOD + b"\n"):
        (folder / "macbeth.json").write_bytes(text)
        shell("ingest", str(folder))
    if earlier:
        shell("remove", *earlier)
    others = {key: each for key, each in versions(backend).items() if "/acts/" in key or ".json.md" in key}
    assert len(versions(backend)) > len(others) > 1
    shell.read()
    assert shell("remove", "macbeth.json", "--purge", "--json") == 0
    [removed] = shell.json()["documents"]
    assert removed["purged"]["versions"] >= (4 if versioning == "Enabled" else 1)
    assert removed["purged"]["bytes"] > 0
    assert versions(backend) == others


def test_a_document_that_ingest_did_not_report_is_not_purged(backend: Backend, folder: Path, shell: Shell) -> None:
    shell("ingest", str(folder))
    backend.is_silent = True
    before = set(versions(backend))
    assert shell("remove", "macbeth.json", "--purge", "--patience", "0.05") == 1
    assert before - set(versions(backend)) == {"documents/default/scripts/macbeth.json"}
    assert "purged" not in shell.out()


def test_refused_purge_is_said(backend: Backend, folder: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell("ingest", str(folder))
    refused = {"Errors": [{"Key": "documents/default/scripts/macbeth.json", "Code": "AccessDenied"}]}
    monkeypatch.setattr(backend.client, "delete_objects", lambda **_: refused, raising=False)
    assert shell("remove", "macbeth.json", "--purge") == 1
    assert "because of AccessDenied; purge it again." in shell.err()


def test_removal_as_json_is_one_object_with_every_document(backend: Backend, folder: Path, shell: Shell) -> None:
    shell("ingest", str(folder / "macbeth.json"), "--tenant", "acme", "--knowledge-base", "plays")
    shell.read()
    names = ["nowhere.json", "macbeth.json", "--tenant", "acme", "--knowledge-base", "plays"]
    assert shell("remove", *names, "--json") == 1
    assert shell.json() == {
        "tenant": "acme",
        "knowledgeBase": "plays",
        "documents": [
            {"documentId": "macbeth.json", "outcome": "deleted"},
            {"documentId": "nowhere.json", "outcome": "missing"},
        ],
    }


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("macbeth.json.metadata.json", "macbeth.json.metadata.json only describes a document"),
        ("../plays/macbeth.json", "cannot be the name of a document: The file's path has an empty part, a dot part"),
    ],
)
def test_impossible_name_removes_nothing(
    backend: Backend, folder: Path, shell: Shell, name: str, sentence: str
) -> None:
    shell("ingest", str(folder))
    shell.read()
    assert shell("remove", "acts/hamlet.json", name) == 2
    said = shell.err()
    assert sentence in said
    assert said.count("\n") == 1
    assert backend.client.deletes == []


@pytest.fixture
def synced(backend: Backend, folder: Path, shell: Shell) -> Path:
    """A base of four documents; the folder has lost one of them."""
    for number in range(2):
        (folder / f"macbeth-{number}.json").write_bytes(GOOD + b" " * (number + 1))
    assert shell("ingest", str(folder)) == 0
    (folder / "macbeth-0.json").unlink()
    shell.read()
    return folder


def test_prune_removes_what_the_folder_no_longer_has(backend: Backend, synced: Path, shell: Shell) -> None:
    backend.client.put_object(Bucket=BUCKET, Key="documents/default/scripts/folder/", Body=b"")
    backend.client.put_object(Bucket=BUCKET, Key="documents/default/scripts2/macbeth-0.json", Body=GOOD)
    assert shell("ingest", str(synced), "--prune") == 0
    said = shell.read()
    assert said.err == "To be removed, 1 file:\n  macbeth-0.json\n"
    assert said.out.endswith("macbeth-0.json: deleted\n4 files: 3 unchanged, 1 deleted.\n")
    found = {document.document_id for document in backend.index.documents if document.base_key == SCRIPTS}
    assert found == {"macbeth-1.json", "acts/hamlet.json", "macbeth.json"}
    assert shell("ingest", str(synced), "--prune", "--json") == 0
    assert shell.json()["removed"] == []


def test_a_dry_run_shows_what_would_be_done_and_does_nothing(backend: Backend, synced: Path, shell: Shell) -> None:
    before = stored(backend)
    (synced / "new.json").write_bytes(GOOD)
    puts = len(backend.client.puts)
    assert shell("ingest", str(synced), "--prune", "--dry-run") == 0
    assert shell.out() == "Would upload 4 files and remove 1 file:\n  macbeth-0.json\n"
    assert shell("ingest", str(synced), "--dry-run", "--json") == 0
    plan = shell.json()
    assert (len(plan["upload"]), plan["remove"]) == (4, [])
    assert (stored(backend), len(backend.client.puts), backend.client.deletes) == (before, puts, [])


@pytest.mark.parametrize(
    "lost", [["macbeth-1.json", "macbeth.json", "macbeth.json.metadata.json"], ["macbeth.json.metadata.json"]]
)
def test_much_is_removed_only_after_a_yes(
    backend: Backend, synced: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch, lost: list[str]
) -> None:
    for name in lost:
        (synced / name).unlink(missing_ok=True)
    before, puts = stored(backend), len(backend.client.puts)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert shell("ingest", str(synced), "--prune") == 2
    assert "cicada: Nothing was done: give --yes to remove" in shell.err()
    monkeypatch.setattr("sys.stdin", Typing("n\n"))
    assert shell("ingest", str(synced), "--prune") == 1
    assert shell.err().endswith("cicada: Nothing was done.\n")
    assert (stored(backend), len(backend.client.puts)) == (before, puts)
    assert shell("ingest", str(synced), "--prune", "--yes") == 0
    assert stored(backend) == before - set(lost) - {"macbeth-0.json"} - {
        f"{name}.metadata.json" for name in lost if name in before
    }
    readable = backend.index.passages_of(DocumentKey(SCRIPTS, "macbeth.json"))
    assert all("genre" not in passage.metadata for passage in readable)


def test_nothing_is_removed_when_an_upload_failed(backend: Backend, synced: Path, shell: Shell) -> None:
    (synced / "macbeth-1.json").write_bytes(BAD)
    before = stored(backend)
    assert shell("ingest", str(synced), "--prune") == 1
    said = shell.read()
    assert said.err.endswith("cicada: Nothing was removed, because not every file is searchable.\n")
    assert stored(backend) == before


@pytest.mark.parametrize("lost", ["macbeth-1.json", "macbeth.json.metadata.json"])
def test_link_to_nothing_is_no_lost_file(backend: Backend, synced: Path, shell: Shell, lost: str) -> None:
    """The drive is not mounted. Without its sidecar the document would be withdrawn from its viewers."""
    before, puts = stored(backend), len(backend.client.puts)
    (synced / lost).unlink(missing_ok=True)
    (synced / lost).symlink_to("/nowhere/at/all")
    for arguments in ([str(synced), "--prune", "--yes"], [str(synced)], [str(synced / lost.removesuffix(SIDECAR))]):
        assert shell("ingest", *arguments) == 2
        assert f"{synced / lost} is a link to /nowhere/at/all, which does not exist." in shell.err()
    assert (stored(backend), len(backend.client.puts), backend.client.deletes) == (before, puts, [])


def test_unreadable_folder_is_no_empty_one(
    backend: Backend, synced: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, scan = stored(backend), os.scandir

    def refused(path: Any = ".") -> Any:
        if str(path) == str(synced / "acts"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scan(path)

    monkeypatch.setattr("os.scandir", refused)
    assert shell("ingest", str(synced), "--prune", "--yes") == 2
    assert f"{synced / 'acts'} cannot be read: Permission denied." in shell.err()
    assert (stored(backend), backend.client.deletes) == (before, [])


@pytest.mark.parametrize("also", [[], ["--dry-run"]])
def test_linked_file_is_left_out(backend: Backend, folder: Path, tmp_path: Path, shell: Shell, also: list[str]) -> None:
    """A folder of somebody else's may link to credentials."""
    (tmp_path / "credentials").write_bytes(GOOD)
    (folder / "secret.json").symlink_to(tmp_path / "credentials")
    (folder / "elsewhere").symlink_to(tmp_path)
    assert shell("ingest", str(folder), *also) == 0
    said = shell.err()
    assert f"{folder / 'secret.json'}: left out, since it is a link to {tmp_path / 'credentials'}" in said
    assert f"{folder / 'elsewhere'}: left out" in said
    assert not [key for key in backend.client.puts if "secret" in key]


def test_a_file_that_no_parser_reads_is_named_and_not_uploaded(backend: Backend, folder: Path, shell: Shell) -> None:
    (folder / "votes.dat").write_text("a,b\n")
    assert shell("ingest", str(folder), "--dry-run") == 0
    said = shell.read()
    assert f"{folder / 'votes.dat'}: Files of this type cannot be read; upload .csv" in said.err
    assert said.out == "Would upload 2 files and remove 0 files.\n"
    assert shell("ingest", str(folder)) == 1
    assert "1 rejected" in shell.out()
    assert not [key for key in backend.client.puts if "votes" in key]


def test_a_link_is_followed_where_that_is_meant(backend: Backend, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "credentials").write_bytes(GOOD)
    link = folder / "macbeth-7.json"
    link.symlink_to(tmp_path / "credentials")
    assert main(["ingest", str(folder), "--follow-links"]) == 0
    assert main(["ingest", str(link), "--knowledge-base", "other"]) == 0
    assert len([key for key in backend.client.puts if key.endswith("macbeth-7.json")]) == 2


def test_a_linked_sidecar_refuses_the_upload(backend: Backend, folder: Path, tmp_path: Path, shell: Shell) -> None:
    (folder / "macbeth.json.metadata.json").rename(tmp_path / "sidecar")
    (folder / "macbeth.json.metadata.json").symlink_to(tmp_path / "sidecar")
    assert shell("ingest", str(folder)) == 2
    assert "so nothing was uploaded: put the sidecar itself there" in shell.err()
    assert backend.client.puts == []


def test_prune_refuses_a_folder_with_links(backend: Backend, synced: Path, tmp_path: Path, shell: Shell) -> None:
    (synced / "macbeth-1.json").rename(tmp_path / "moved.json")
    (synced / "macbeth-1.json").symlink_to(tmp_path / "moved.json")
    assert shell("ingest", str(synced), "--prune", "--yes") == 2
    assert "With --prune a folder has no links" in shell.err()
    assert backend.client.deletes == []


def test_prune_takes_one_folder_only(backend: Backend, folder: Path, shell: Shell) -> None:
    for paths in ([str(folder), str(folder / "acts")], [str(folder / "macbeth.json")]):
        assert shell("ingest", *paths, "--prune") == 2
        assert "With --prune name one folder" in shell.err()
    assert backend.client.puts == []
