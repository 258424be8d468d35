from __future__ import annotations

import json

import pytest

from cicada.documents.model import DocumentKey, KnowledgeBaseKey
from cicada.entry.s3_notifications import Announced, announced_together, announcement
from cicada.errors import DocumentRejectedError


def notification(*keys: str) -> str:
    return json.dumps({"Records": [{"eventName": "ObjectCreated:Put", "s3": {"object": {"key": key}}} for key in keys]})


def test_keys_are_decoded_and_each_named_once() -> None:
    body = notification(
        "documents/default/scripts/act+1.json",
        "documents/a/b/1%2B2+%E5%98%98.json",
        "documents/default/scripts/act+1.json",
    )
    elsewhere = DocumentKey(KnowledgeBaseKey("a", "b"), "1+2 嘘.json")
    assert list(announcement(body).documents) == [document("act 1.json"), elsewhere]


def document(name: str) -> DocumentKey:
    return DocumentKey(KnowledgeBaseKey("default", "scripts"), name)


def test_files_are_told_from_sidecars_and_from_what_is_misplaced() -> None:
    prefix = "documents/default/scripts/"
    found = announcement(
        notification(f"{prefix}a.md.metadata.json", f"{prefix}a.md", f"{prefix}b.md.metadata.json", "documents/readme")
    )
    assert found.documents == {document("a.md"): True, document("b.md"): False}
    assert list(found.misplaced) == ["documents/readme"]
    assert "documents/<tenant>" in found.misplaced["documents/readme"]


def test_of_several_messages_each_document_comes_once_and_says_whether_it_comes_again() -> None:
    prefix = "documents/default/scripts/"
    bodies = {
        notification(f"{prefix}a.md"): "2",
        "no notification": "1",
        notification(f"{prefix}a.md.metadata.json", f"{prefix}b.md.metadata.json"): "1",
        notification(f"{prefix}b.md.metadata.json"): "1",
    }
    records = [{"body": body, "attributes": {"ApproximateReceiveCount": count}} for body, count in bodies.items()]
    assert announced_together([*records, {"body": notification(f"{prefix}c.md")}]) == {
        document("a.md"): Announced(is_file=True, again=True),
        document("b.md"): Announced(is_file=False, again=False),
        document("c.md"): Announced(is_file=True, again=False),
    }


@pytest.mark.parametrize(
    ("events", "is_purged"),
    [
        ([("ObjectRemoved:Delete", "v1")], True),
        ([("ObjectRemoved:Delete", "v1"), ("ObjectRemoved:Delete", "v2")], True),
        ([("ObjectRemoved:DeleteMarkerCreated", "v3")], False),
        ([("ObjectRemoved:Delete", "v1"), ("ObjectRemoved:DeleteMarkerCreated", "v3")], False),
        ([("ObjectRemoved:DeleteMarkerCreated", "v3"), ("ObjectRemoved:Delete", "v1")], False),
        ([("ObjectCreated:Put", "v1"), ("ObjectRemoved:Delete", "v0")], False),
        # A bucket without versions, or one that keeps them no longer.
        ([("ObjectRemoved:Delete", None)], False),
        ([("ObjectRemoved:Delete", "null")], False),
    ],
)
def test_the_end_of_versions_is_told_from_a_removal(events: list[tuple[str, str | None]], is_purged: bool) -> None:
    key = "documents/default/scripts/a.md"
    records = [
        {"eventName": name, "s3": {"object": {"key": key} | ({"versionId": version} if version else {})}}
        for name, version in events
    ]
    together = json.dumps({"Records": records})
    apart = [{"body": json.dumps({"Records": [each]})} for each in records]
    for messages in ([{"body": together}], apart):
        assert announced_together(messages)[document("a.md")].is_purged is is_purged


def test_a_document_belongs_to_the_first_upload_that_was_traced() -> None:
    prefix = "documents/default/scripts/"
    headers = [
        {},
        {"AWSTraceHeader": "Root=1-5759e988-bd862e3fe1be46a994272793"},
        {"AWSTraceHeader": "Root=1-6543e988-ad862e3fe1be46a994272794"},
    ]
    records = [{"body": notification(f"{prefix}a.md"), "attributes": header} for header in headers]
    [announced] = announced_together(records).values()
    assert announced.trace_header == "Root=1-5759e988-bd862e3fe1be46a994272793"


def test_the_message_that_s3_tests_a_queue_with_names_nothing() -> None:
    found = announcement(json.dumps({"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": "documents"}))
    assert (found.documents, found.misplaced) == ({}, {})


@pytest.mark.parametrize(
    "body",
    [
        "",
        "not JSON",
        "[]",
        "3",
        "{}",
        '{"Records": 3}',
        '{"Records": [{}]}',
        '{"Records": [{"s3": {"object": {"key": 3}}}]}',
        '{"Records": [{"s3": {"object": {"key": "documents/a/b/%FF.json"}}}]}',
        "[" * 100_000,
    ],
)
def test_a_body_that_is_no_notification_is_rejected(body: str) -> None:
    with pytest.raises(DocumentRejectedError):
        announcement(body)
