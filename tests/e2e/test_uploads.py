"""Documents uploaded to the deployed stage's bucket."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from local.stage.aws import aws_client
from tests.chaos.target import Target
from tests.e2e.wire import Events, ask, connected, receive_all
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
