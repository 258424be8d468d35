"""Documents uploaded to the deployed stage: to its bucket, and by an editor over the socket."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
import uuid
from typing import Any

import pytest

from local.stage.aws import aws_client
from tests.chaos.target import Target
from tests.e2e.wire import Events, Wire, ask, connected, receive_all
from tests.patience import PATIENCE_SECONDS


def ingested(stage: Target, name: str, content: bytes) -> dict[str, Any]:
    """The report on the upload."""
    bucket = stage.info["outputs"]["DocumentsBucket"]
    client = aws_client(stage.config, "s3")
    client.put_object(Bucket=bucket, Key=f"documents/default/scripts/{name}", Body=content)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        try:
            found = client.get_object(Bucket=bucket, Key=f"reports/default/scripts/{name}.json")
        except client.exceptions.NoSuchKey:
            time.sleep(0.2)
            continue
        report: dict[str, Any] = json.loads(found["Body"].read())
        return report
    raise AssertionError(f"no report on {name}")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("macbeth-empty.json", b"", "empty"),
        ("macbeth-truncated.json", b'{"messages": [{"messageId": 1, "textENG": "Who', "ends in the middle"),
        ("macbeth-latin.json", '{"messages": [{"messageId": 1, "textENG": "café"}]}'.encode("latin-1"), "UTF-8"),
        ("macbeth-deep.json", b"[" * 100_000, "nested too deeply"),
        ("unknown-episode.json", b'{"messages": [{"messageId": 1, "textENG": "Hello"}]}', "episodes.toml"),
    ],
)
def test_a_file_that_cannot_be_used_is_reported_and_not_indexed(
    stage: Target, name: str, content: bytes, reason: str
) -> None:
    report = ingested(stage, name, content)
    assert (report["outcome"], report["passages"]) == ("rejected", 0)
    assert reason in json.dumps(report["problems"])


def test_a_broken_record_is_reported_with_its_place_and_the_rest_is_found(stage: Target) -> None:
    records = [
        {"type": "MSGSET", "MessageID": 1, "speaker": "Porter", "TextENG": "The xylophone hangs behind the arras."},
        {"type": "MSGSET", "MessageID": "two", "speaker": "Porter"},
        "not a record",
    ]
    report = ingested(stage, "macbeth-extra.json", json.dumps({"messages": records}).encode())
    assert report["outcome"] == "indexed"
    assert [problem["place"].split(" (")[0] for problem in report["problems"]] == ["record 2", "record 3"]
    with connected(stage.url, stage.token("bob")) as wire:
        ask(wire, "Where does the xylophone hang?")
        events = receive_all(wire, Events())
    assert "behind the arras" in events.text


def told(wire: Wire, action: str, **fields: object) -> dict[str, Any]:
    wire.send(action=action, requestId=str(uuid.uuid4()), knowledgeBase="scripts", **fields)
    return wire.receive()


def sent(form: dict[str, Any], content: bytes) -> int:
    """The status with which the store answers the form with this file."""
    boundary = uuid.uuid4().hex
    parts = [f'name="{name}"\r\n\r\n{value}'.encode() for name, value in form["fields"].items()]
    parts.append(b'name="file"; filename="f"\r\nContent-Type: text/plain\r\n\r\n' + content)
    body = b"".join(f"--{boundary}\r\nContent-Disposition: form-data; ".encode() + part + b"\r\n" for part in parts)
    head = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
    request = urllib.request.Request(form["url"], body + f"--{boundary}--\r\n".encode(), head)  # noqa: S310
    try:
        with urllib.request.urlopen(request) as reply:  # noqa: S310
            return int(reply.status)
    except urllib.error.HTTPError as error:
        return error.code


def in_the_end(wire: Wire, name: str, state: str | None) -> dict[str, Any]:
    """The document once it is in this state, or None: gone."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        found = told(wire, "listDocuments", documentId=name)["documents"]
        if [each["state"] for each in found] == ([state] if state else []):
            return found[0] if found else {}
        time.sleep(0.3)
    raise AssertionError(f"{name} never was {state}: {found}")


def test_an_editor_uploads_a_document_for_herself_opens_it_to_all_and_removes_it(stage: Target) -> None:
    name, content = "editors-notes.md", b"# Notes\n\nThe zephyrine lamp stands in the orchard."
    with connected(stage.url, stage.token("alice")) as alice, connected(stage.url, stage.token("bob")) as bob:
        assert told(bob, "uploadDocument", name=name, size=len(content))["code"] == "no_editor"
        form = told(alice, "uploadDocument", name=name, size=len(content))
        assert sent(form, content + b"!") == 400
        assert sent(form | {"fields": form["fields"] | {"key": "documents/default/scripts/other.md"}}, content) == 403
        assert sent(form, content) in (200, 204)
        mine = in_the_end(alice, name, "searchable")
        assert mine["readers"] == [next(each for each in told(alice, "listDocuments")["you"] if "user:" in each)]
        assert told(bob, "listDocuments", documentId=name)["documents"] == []

        said = told(alice, "describeDocument", documentId=name)
        opened = {"fields": {"shelf": ["north"]}, "readers": ["everyone"], "version": said["version"]}
        assert told(alice, "describeDocument", documentId=name, **opened)["readers"] == ["everyone"]
        assert told(alice, "describeDocument", documentId=name, **opened)["code"] == "document_changed"
        assert in_the_end(alice, name, "searchable")["readers"] == []
        assert [each["title"] for each in told(bob, "listDocuments", search="NORTH")["documents"]] == ["Notes"]

        assert told(alice, "removeDocument", documentId=name)["gone"] is False
        in_the_end(alice, name, None)
        assert told(alice, "removeDocument", documentId=name)["gone"] is True
