"""What the SDK sends, as the permissions that it needs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import boto3
import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse

from tests.e2e.recorder import Recorder, bedrock_permission
from tests.relay import Call

QUEUE = "http://localhost:4566/000000000000/cicada-local-requests.fifo"
TABLE = {"TableName": "cicada-local-requests"}
ITEM: dict[str, Any] = {"pk": {"S": "a"}}
BUCKET = {"Bucket": "cicada-local-ingestdocumentsbucket551d14af-1"}
STAGE = "http://localhost:4566/_aws/execute-api/cicada/v1"


def sent(service: Any, call: Callable[[Any], Any], endpoint: str = "http://localhost:4566") -> Call:
    """What a function's SDK sends, which nobody answers."""
    client = boto3.client(
        service,
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id="id",
        aws_secret_access_key="secret",
    )
    calls: list[Call] = []

    def keep(request: AWSPreparedRequest, **_: object) -> AWSResponse:
        headers = {
            name.lower(): value.decode() if isinstance(value, bytes) else value
            for name, value in request.headers.items()
        }
        body = request.body or b""
        body = body.encode() if isinstance(body, str) else body
        path = request.url.removeprefix("http://localhost:4566")
        calls.append(Call(request.method, path, headers, body if isinstance(body, bytes) else b"", 1))
        raise InterruptedError

    client.meta.events.register("before-send", keep)
    with suppress(InterruptedError):
        call(client)
    return calls[0]


@pytest.mark.parametrize(
    ("service", "call", "permissions"),
    [
        ("dynamodb", lambda c: c.put_item(**TABLE, Item=ITEM), {("dynamodb:PutItem", "requests table")}),
        (
            "dynamodb",
            lambda c: c.query(**TABLE, IndexName="history", KeyConditionExpression="pk = :pk"),
            {("dynamodb:Query", "requests table/index/history")},
        ),
        (
            "dynamodb",
            lambda c: c.transact_write_items(
                TransactItems=[
                    {"Put": TABLE | {"Item": ITEM}},
                    {"Update": TABLE | {"Key": ITEM, "UpdateExpression": "SET a = :a"}},
                    {"ConditionCheck": TABLE | {"Key": ITEM, "ConditionExpression": "attribute_exists(pk)"}},
                ]
            ),
            {
                ("dynamodb:PutItem", "requests table"),
                ("dynamodb:UpdateItem", "requests table"),
                ("dynamodb:ConditionCheckItem", "requests table"),
            },
        ),
        (
            "sqs",
            lambda c: c.send_message(QueueUrl=QUEUE, MessageBody="a", MessageGroupId="g"),
            {("sqs:SendMessage", "request queue")},
        ),
        (
            "sqs",
            lambda c: c.get_queue_url(QueueName="Cicada-local-IngestDocumentsChanges0E-1"),
            {("sqs:GetQueueUrl", "document changes")},
        ),
        (
            "s3",
            lambda c: c.get_object(**BUCKET, Key="documents/a/ä b.md"),
            {("s3:GetObject", "documents bucket/documents/a/ä b.md")},
        ),
        (
            "s3",
            lambda c: c.put_object(**BUCKET, Key="truth/a", Body=b"x"),
            {("s3:PutObject", "documents bucket/truth/a")},
        ),
        (
            "s3",
            lambda c: c.delete_object(**BUCKET, Key="truth/a"),
            {("s3:DeleteObject", "documents bucket/truth/a")},
        ),
        ("s3", lambda c: c.list_objects_v2(**BUCKET, Prefix="truth/"), {("s3:ListBucket", "documents bucket")}),
    ],
)
def test_each_call_is_recorded_as_the_permissions_that_it_needs(
    service: str, call: Callable[[Any], Any], permissions: set[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_SDK_UA_APP_ID", "ws_message")
    recorder = Recorder()
    recorder.note(sent(service, call))
    assert {(each.function, each.action, each.resource) for each in recorder.seen([])} == {
        ("ws_message", action, resource) for action, resource in permissions
    }


def test_a_post_to_a_connection_is_recorded_with_its_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SDK_UA_APP_ID", "message_processor")
    recorder = Recorder()
    recorder.note(sent("apigatewaymanagementapi", lambda c: c.post_to_connection(ConnectionId="a=", Data=b"x"), STAGE))
    [post] = recorder.seen([])
    assert post.action == "execute-api:ManageConnections"
    assert post.resource == "arn:aws:execute-api:REGION:ACCOUNT:WebSocketApi/v1/POST/@connections/a="


def test_a_call_that_is_not_understood_is_recorded_as_what_nobody_may_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SDK_UA_APP_ID", "ws_message")
    recorder = Recorder()
    recorder.note(sent("s3", lambda c: c.get_object_tagging(**BUCKET, Key="documents/a")))
    [call] = recorder.seen([])
    assert (call.function, call.resource) == ("ws_message", "not understood")


def test_an_operators_call_is_no_functions() -> None:
    recorder = Recorder()
    recorder.note(sent("s3", lambda c: c.get_object_tagging(**BUCKET, Key="documents/a")))
    assert recorder.seen([]) == set()


@pytest.mark.parametrize(
    ("path", "permission"),
    [
        ("/model/amazon.nova-lite-v1:0/converse", ("bedrock:InvokeModel", "amazon.nova-lite-v1:0")),
        ("/model/a/b/converse-stream", ("bedrock:InvokeModelWithResponseStream", "a/b")),
        ("/model/amazon.titan-embed-text-v2:0/invoke", ("bedrock:InvokeModel", "amazon.titan-embed-text-v2:0")),
    ],
)
def test_models_are_recorded_as_what_invoking_them_needs(path: str, permission: tuple[str, str]) -> None:
    action, model = permission
    assert bedrock_permission(path) == (action, f"arn:aws:bedrock:REGION::foundation-model/{model}")


def test_agents_are_recorded_by_their_aliases() -> None:
    path = "/agents/profiles/agentAliases/local/sessions/1/text"
    assert bedrock_permission(path) == ("bedrock:InvokeAgent", "profiles agent's alias")
