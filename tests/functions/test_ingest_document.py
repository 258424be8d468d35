"""The function, on S3 as moto has it: what Lambda and its console send."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws

from cicada.adapters.s3.document_store import S3DocumentStore
from cicada.adapters.s3.ground_truth import S3GroundTruth
from cicada.adapters.s3.rebuild_log import S3RebuildLog
from cicada.documents.model import DocumentKey
from cicada.errors import DocumentRejectedError, InvalidFilterError, InvalidFrameError, UnavailableError
from cicada.ingest.episodes import parse_episodes
from cicada.ingest.ingest import Ingester
from cicada.ingest.rebuild import Rebuilder
from cicada.ingest.script import ScriptParser
from cicada.knowledge_bases.file import load_knowledge_bases
from cicada.retrieval.batching import BatchingEmbedder
from functions.ingest_document import handler as module
from functions.ingest_document.handler import handler
from tests.fakes.passage_index import InMemoryIndexRebuild
from tests.fakes.xray_daemon import traced_function
from tests.functions.message_path import Context, Metrics
from tests.unit.ingest.passage_index import CountingEmbedder, DisturbedIndex
from tests.unit.ingest.scripts import MACBETH, SCRIPTS, play, script, speech

ROOT = Path(__file__).parents[2]
BUCKET = "documents"
GOOD = script(speech(1, "The queen, my lord, is dead."))
PREFIX = "documents/default/scripts/"
INVOKED = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"
UPLOADED = "Root=1-6543e988-ad862e3fe1be46a994272794;Parent=63995c3f42cd8ad9;Sampled=1"


@dataclass
class Bucket:
    """The bucket, and the index that the function keeps in its state."""

    client: Any
    index: DisturbedIndex = field(default_factory=DisturbedIndex)
    embedder: CountingEmbedder = field(default_factory=CountingEmbedder)
    hastened: list[str] = field(default_factory=list)
    ingesters: int = 0

    def upload(self, name: str, content: bytes) -> None:
        self.client.put_object(Bucket=BUCKET, Key=PREFIX + name, Body=content)

    def report(self, name: str) -> dict[str, Any]:
        reply = self.client.get_object(Bucket=BUCKET, Key=f"reports/default/scripts/{name}.json")
        return dict(json.load(reply["Body"]))

    def ingester(self, episodes: Path) -> Ingester:
        self.ingesters += 1
        return Ingester(
            S3DocumentStore(self.client, BUCKET),
            S3GroundTruth(self.client, BUCKET),
            self.index,
            BatchingEmbedder(self.embedder, wait_seconds=0),
            {".json": ScriptParser(parse_episodes(episodes.read_text("utf-8")))},
        )

    def make_visible(self, event: dict[str, Any], verdicts: dict[str, Any]) -> None:
        self.hastened += [failure["itemIdentifier"] for failure in verdicts["batchItemFailures"]]

    def rebuilder(self) -> Rebuilder:
        return Rebuilder(
            S3GroundTruth(self.client, BUCKET),
            InMemoryIndexRebuild(self.index.contents),
            S3RebuildLog(self.client, BUCKET),
            CountingEmbedder.model_id,
            CountingEmbedder.dimension,
            time.time,
            lambda: "run-1",
        )


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    with mock_aws():
        client = boto3.client("s3", region_name="us-east-1")
        client.create_bucket(Bucket=BUCKET)
        made = Bucket(client)
        monkeypatch.setattr(module, "ingester", made.ingester)
        monkeypatch.setattr(module, "rebuilder", made.rebuilder)
        monkeypatch.setattr(module, "redelivery", lambda: made)
        monkeypatch.setattr(module, "catalogue", lambda: made.index)
        monkeypatch.setattr(module, "bases_as_kept", load_knowledge_bases)
        yield made


def announcement(*keys: str, event: str = "ObjectCreated:Put", delivery: int = 1) -> dict[str, Any]:
    """One message of the queue for each key, delivered for the nth time."""
    bodies = [{"Records": [{"eventName": event, "s3": {"object": {"key": key}}}]} for key in keys]
    attributes = {"ApproximateReceiveCount": str(delivery)}
    return {
        "Records": [
            {"messageId": str(number), "body": json.dumps(body), "attributes": attributes}
            for number, body in enumerate(bodies, start=1)
        ]
    }


def test_the_console_event_indexes_the_play(bucket: Bucket) -> None:
    bucket.upload("macbeth.json", play("macbeth"))
    event = json.loads((ROOT / "events/ingest_document.json").read_text("utf-8"))
    assert handler(event, Context()) == {"batchItemFailures": []}
    assert len(bucket.index.passages_of(MACBETH)) == bucket.report("macbeth.json")["passages"] == 140


def test_the_purge_of_a_removed_documents_versions_leaves_nothing_of_its_name(bucket: Bucket) -> None:
    bucket.client.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
    event = announcement(f"{PREFIX}macbeth.json", event="ObjectRemoved:Delete")
    message = json.loads(event["Records"][0]["body"])
    message["Records"][0]["s3"]["object"]["versionId"] = "the version that was deleted"
    event["Records"][0]["body"] = json.dumps(message)
    assert handler(event, Context()) == {"batchItemFailures": []}
    left = bucket.client.list_object_versions(Bucket=BUCKET)
    assert (left.get("Versions", []), left.get("DeleteMarkers", [])) == ([], [])


def test_a_plain_key_returns_the_report(bucket: Bucket) -> None:
    bucket.upload("macbeth.json", GOOD)
    report = handler({"key": f"{PREFIX}macbeth.json"}, Context())
    assert (report["outcome"], report["documentId"], report["problems"]) == ("indexed", "macbeth.json", [])
    assert report.items() <= bucket.report("macbeth.json").items()


def test_a_plain_key_of_no_document_says_where_documents_belong(bucket: Bucket) -> None:
    with pytest.raises(DocumentRejectedError, match="documents/<tenant>/<knowledge base>/<file>"):
        handler({"key": "macbeth.json"}, Context())


def test_hostile_uploads_are_reported_each_and_the_others_go_in(bucket: Bucket) -> None:
    uploads = {
        "macbeth_empty.json": b"",
        "macbeth_nested.json": b"[" * 100_000,
        "othello.json": GOOD,
        "macbeth.exe": b"MZ",
    }
    for name, content in uploads.items():
        bucket.upload(name, content)
    bucket.upload("macbeth.json", GOOD)
    bucket.upload("hamlet.json", GOOD)
    keys = [PREFIX + name for name in ("macbeth.json", *uploads, "hamlet.json")]
    assert handler(announcement(*keys), Context()) == {"batchItemFailures": []}
    for name in uploads:
        report = bucket.report(name)
        assert (report["outcome"], report["passages"], len(report["problems"])) == ("rejected", 0, 1)
    assert {document.document_id for document in bucket.index.documents} == {"macbeth.json", "hamlet.json"}


def test_a_removed_file_is_removed_from_the_index(bucket: Bucket) -> None:
    bucket.upload("macbeth.json", GOOD)
    handler(announcement(f"{PREFIX}macbeth.json"), Context())
    bucket.client.delete_object(Bucket=BUCKET, Key=f"{PREFIX}macbeth.json")
    handler(announcement(f"{PREFIX}macbeth.json", event="ObjectRemoved:Delete"), Context())
    assert bucket.index.documents == {}
    assert bucket.report("macbeth.json")["outcome"] == "deleted"


def test_a_removal_announced_after_a_new_upload_removes_nothing(bucket: Bucket) -> None:
    bucket.upload("macbeth.json", GOOD)
    handler(announcement(f"{PREFIX}macbeth.json"), Context())
    handler(announcement(f"{PREFIX}macbeth.json", event="ObjectRemoved:Delete"), Context())
    assert len(bucket.index.passages_of(MACBETH)) == 1


def test_a_failing_dependency_fails_its_message_only(bucket: Bucket) -> None:
    bucket.upload("macbeth.json", GOOD)
    bucket.embedder.failure = UnavailableError("…")
    event = announcement(f"{PREFIX}macbeth.json", f"{PREFIX}gone.json")
    assert handler(event, Context()) == {"batchItemFailures": [{"itemIdentifier": "1"}]}
    assert bucket.hastened == ["1"]
    assert bucket.report("gone.json")["outcome"] == "deleted"
    bucket.embedder.failure = None
    assert handler(event, Context()) == {"batchItemFailures": []}
    assert len(bucket.index.passages_of(MACBETH)) == 1


def test_a_misplaced_object_is_passed_over_and_the_rest_of_its_message_goes_in(bucket: Bucket) -> None:
    bucket.upload("macbeth+1.json", GOOD)
    records = [
        {"s3": {"object": {"key": key}}}
        for key in ("documents/readme.txt", f"{PREFIX}", f"{PREFIX}..%2F..%2Fx.json", f"{PREFIX}macbeth%2B1.json")
    ]
    event = {"Records": [{"messageId": "1", "body": json.dumps({"Records": records})}]}
    assert handler(event, Context()) == {"batchItemFailures": []}
    assert list(bucket.index.documents) == [DocumentKey(SCRIPTS, "macbeth+1.json")]


def test_a_message_that_is_no_notification_goes_back_to_the_queue(bucket: Bucket) -> None:
    event = {"Records": [{"messageId": "1", "body": "hello"}, {"messageId": "2", "body": '{"Event": "s3:TestEvent"}'}]}
    assert handler(event, Context()) == {"batchItemFailures": [{"itemIdentifier": "1"}]}


def test_neither_text_nor_problems_are_logged(bucket: Bucket, capfd: pytest.CaptureFixture[str]) -> None:
    bucket.upload("macbeth.json", script(speech(1, "A secret speech."), speech(2, "", speaker=["A secret", 3])))
    handler(announcement(f"{PREFIX}macbeth.json"), Context())
    assert "secret" not in "".join(capfd.readouterr())


def test_files_of_one_batch_share_an_ingester(bucket: Bucket) -> None:
    names = [f"macbeth_{number}.json" for number in range(6)]
    for name in names:
        bucket.upload(name, GOOD)
    assert handler(announcement(*(PREFIX + name for name in names)), Context()) == {"batchItemFailures": []}
    assert (len(bucket.index.documents), bucket.ingesters) == (6, 1)


def test_a_document_that_several_messages_announce_is_ingested_once(bucket: Bucket) -> None:
    bucket.upload("macbeth.json", GOOD)
    bucket.upload("macbeth.json.metadata.json", b'{"metadataAttributes": {"genre": "tragedy"}}')
    keys = [f"{PREFIX}macbeth.json.metadata.json", f"{PREFIX}macbeth.json", f"{PREFIX}macbeth.json"]
    bucket.embedder.failure = UnavailableError("…")
    failures = [{"itemIdentifier": number} for number in "123"]
    assert handler(announcement(*keys), Context()) == {"batchItemFailures": failures}
    bucket.embedder.failure = None
    assert handler(announcement(*keys), Context()) == {"batchItemFailures": []}
    assert (bucket.embedder.batches, bucket.index.replacements) == ([2], 1)
    assert bucket.index.passages_of(MACBETH)[0].metadata["genre"] == "tragedy"


def test_a_sidecar_ahead_of_its_document_is_passed_over_without_a_report(bucket: Bucket) -> None:
    bucket.upload("macbeth.json.metadata.json", b"{}")
    assert handler(announcement(f"{PREFIX}macbeth.json.metadata.json"), Context()) == {"batchItemFailures": []}
    found = bucket.client.list_objects_v2(Bucket=BUCKET, Prefix="reports/")
    assert found["KeyCount"] == 0


def test_a_message_that_comes_again_writes_the_index_whatever_it_shows(bucket: Bucket) -> None:
    bucket.upload("macbeth.json", GOOD)
    key = f"{PREFIX}macbeth.json"
    handler(announcement(key), Context())
    handler(announcement(key), Context())
    assert bucket.index.replacements == 1
    handler(announcement(key, delivery=2), Context())
    assert (bucket.index.replacements, bucket.embedder.batches) == (2, [2])


def test_a_lost_index_is_made_anew_by_console_events_without_embedding(bucket: Bucket) -> None:
    for name in ("macbeth.json", "hamlet.json"):
        bucket.upload(name, GOOD)
        handler(announcement(PREFIX + name), Context())
    shown = dict(bucket.index.documents)
    bucket.index.documents.clear()
    bucket.embedder.failure = UnavailableError("…")
    event = json.loads((ROOT / "events/ingest_document_rebuild.json").read_text("utf-8"))
    assert handler(event, Context()) == {"run": "run-1", "state": "switched", "copied": 2, "documents": 2}
    assert bucket.index.contents.documents == shown


def test_rejected_files_are_counted_by_kind_of_reason_and_without_text(bucket: Bucket, metrics: Metrics) -> None:
    bucket.upload("macbeth.exe", b"A secret speech.")
    bucket.upload("macbeth_secret.json", b"A secret speech.")
    bucket.upload("macbeth.json", script(speech(1, "A secret speech."), speech(2, "", speaker=["A secret", 3])))
    handler(
        announcement(*(PREFIX + name for name in ("macbeth.exe", "macbeth_secret.json", "macbeth.json"))), Context()
    )
    lines = [line for line in metrics() if "Reason" in line]
    assert "secret" not in json.dumps(lines)
    counted = sorted((line["Reason"], *(name for name in line if name.startswith("Documents"))) for line in lines)
    assert counted == [
        ("unknown_type", "DocumentsRejected"),
        ("unreadable", "DocumentsRejected"),
        ("unreadable", "DocumentsWithProblems"),
    ]
    [written] = lines[0]["_aws"]["CloudWatchMetrics"]
    assert (written["Namespace"], [sorted(each) for each in written["Dimensions"]]) == ("CICADA", [["Reason", "Stage"]])


def test_each_ingest_is_counted_as_failed_or_not(bucket: Bucket, metrics: Metrics) -> None:
    bucket.upload("macbeth.json", GOOD)
    handler(announcement(PREFIX + "macbeth.json"), Context())
    bucket.embedder.failure = UnavailableError("…")
    bucket.upload("hamlet.json", GOOD)
    bucket.upload("macbeth.exe", b"A speech.")
    for name in ("hamlet.json", "macbeth.exe"):
        handler(announcement(PREFIX + name), Context())
    lines = [line for line in metrics() if "FailedIngests" in line]
    assert [line["FailedIngests"] for line in lines] == [0, 1, 0]
    assert all(line["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [["Stage"]] for line in lines)


def test_the_catalogue_event_lists_what_was_ingested_and_shows_one(bucket: Bucket) -> None:
    for name in ("macbeth.json", "hamlet.json"):
        bucket.upload(name, GOOD)
        acl = [{"name": "thanes", "type": "GROUP", "access": "ALLOW"}]
        sidecar = {"metadataAttributes": {"genre": name[0]}, "accessControlList": acl}
        bucket.upload(f"{name}.metadata.json", json.dumps(sidecar).encode())
        handler(announcement(PREFIX + name), Context())
    event = {"documents": "list", "knowledgeBase": "scripts"}
    found = handler(event, Context())
    assert [each["documentId"] for each in found["documents"]] == ["hamlet.json", "macbeth.json"]
    assert (found["total"], found["nextOffset"]) == (2, None)
    assert [each["readers"] for each in found["documents"]] == [["group:thanes"]] * 2
    filtered = handler({**event, "filters": ["genre=m"], "countBy": "genre"}, Context())
    assert [each["documentId"] for each in filtered["documents"]] == ["macbeth.json"]
    assert filtered["counts"] == [{"value": "m", "count": 1}]
    shown = handler({"documents": "show", "knowledgeBase": "scripts", "id": "hamlet.json"}, Context())
    assert shown["copies"] == ["macbeth.json"]
    assert shown["passages"] == bucket.report("hamlet.json")["passages"]
    assert shown["version"] == bucket.report("hamlet.json")["version"]


def test_the_catalogue_event_of_another_tenant_or_base_shows_nothing(bucket: Bucket) -> None:
    bucket.upload("macbeth.json", GOOD)
    handler(announcement(f"{PREFIX}macbeth.json"), Context())
    for elsewhere in ({"tenant": "other"}, {"knowledgeBase": "store"}):
        assert handler({"documents": "list", **elsewhere}, Context())["total"] == 0
        with pytest.raises(InvalidFrameError, match="no document of this id"):
            handler({"documents": "show", "id": "macbeth.json", **elsewhere}, Context())


def test_the_catalogue_event_takes_filters_by_the_schema_of_the_base(bucket: Bucket) -> None:
    with pytest.raises(InvalidFilterError, match="has no field 'colour'; use one of type, status"):
        handler({"documents": "list", "knowledgeBase": "store", "filters": ["colour=red"]}, Context())


def test_each_document_of_a_batch_is_traced_with_its_phases(bucket: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    bucket.upload("macbeth.json", GOOD)
    bucket.upload("broken.json", b"{")
    event = announcement(f"{PREFIX}macbeth.json", f"{PREFIX}broken.json")
    event["Records"][0]["attributes"] = {"AWSTraceHeader": UPLOADED}
    with traced_function(monkeypatch, "cicada-dev-ingest-document", INVOKED) as daemon:
        handler(event, Context())
        datagrams = daemon.datagrams()
    documents = [json.loads(each.partition(b"\n")[2]) for each in datagrams]
    uploaded, own = sorted(documents, key=lambda each: "type" in each)
    assert (uploaded["name"], uploaded["trace_id"]) == (
        "cicada-dev-ingest-document",
        "1-6543e988-ad862e3fe1be46a994272794",
    )
    assert [each["name"] for each in uploaded["subsegments"]] == [
        "reading",
        "parsing",
        "cards",
        "embedding",
        "indexing",
        "reading",
    ]
    assert uploaded["annotations"] == {"knowledgeBase": "scripts", "outcome": "indexed", "passages": 1}
    assert (own["name"], own["trace_id"]) == ("ingest", "1-5759e988-bd862e3fe1be46a994272793")
    assert own["error"]
    assert [each["name"] for each in own["subsegments"] if each.get("error")] == ["parsing"]
    assert own["annotations"] == {"knowledgeBase": "scripts", "outcome": "rejected", "passages": 0}
    assert [word for word in (b"macbeth", b"broken", b"queen") if word in b"".join(datagrams)] == []
