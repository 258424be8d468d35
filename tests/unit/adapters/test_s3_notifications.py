from __future__ import annotations

import json

import pytest

from cicada.adapters.s3_notifications import announced_keys
from cicada.errors import DocumentRejected


def notification(*keys: str) -> str:
    return json.dumps({"Records": [{"eventName": "ObjectCreated:Put", "s3": {"object": {"key": key}}} for key in keys]})


def test_keys_are_decoded_and_each_named_once() -> None:
    body = notification(
        "documents/default/scripts/act+1.json",
        "documents/a/b/1%2B2+%E5%98%98.json",
        "documents/default/scripts/act+1.json",
    )
    assert announced_keys(body) == ["documents/default/scripts/act 1.json", "documents/a/b/1+2 嘘.json"]


def test_the_message_that_s3_tests_a_queue_with_names_nothing() -> None:
    assert announced_keys(json.dumps({"Service": "Amazon S3", "Event": "s3:TestEvent", "Bucket": "documents"})) == []


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
    with pytest.raises(DocumentRejected):
        announced_keys(body)
