"""DynamoDB as the disturbed stage sees it."""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, HTTPServer

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from mypy_boto3_dynamodb import DynamoDBClient

from local.stage.isolated import free_port
from tests.chaos.database import Database
from tests.chaos.processors import ports_of


class Emulator(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    calls = 0

    def do_POST(self) -> None:
        type(self).calls += 1
        self.rfile.read(int(self.headers["Content-Length"]))
        body = b'{"TableNames":["requests"]}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        return None


@pytest.fixture
def database() -> Iterator[Database]:
    Emulator.calls = 0
    server = HTTPServer(("127.0.0.1", 0), Emulator)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with Database(f"http://127.0.0.1:{server.server_port}", free_port()).serving() as made:
        yield made
    server.shutdown()
    server.server_close()


def tables(database: Database, attempts: int = 1) -> list[str]:
    with closing(client_of(database, attempts)) as client:
        return client.list_tables()["TableNames"]


def client_of(database: Database, attempts: int = 1) -> DynamoDBClient:
    return boto3.client(
        "dynamodb",
        endpoint_url=database.url,
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
        config=Config(retries={"mode": "standard", "total_max_attempts": attempts}),
    )


def test_calls_pass_while_there_is_no_storm(database: Database) -> None:
    assert tables(database) == tables(database) == ["requests"]
    assert (Emulator.calls, database.throttled) == (2, 0)


def test_in_a_storm_a_call_is_refused_as_dynamodb_refuses_it_and_never_made(database: Database) -> None:
    database.storm(60, 1)
    with pytest.raises(ClientError) as refused:
        tables(database)
    assert refused.value.response["Error"]["Code"] == "ProvisionedThroughputExceededException"
    assert (Emulator.calls, database.throttled) == (0, 1)


def test_a_storm_ends(database: Database) -> None:
    database.storm(0, 1)
    assert tables(database) == ["requests"]


def test_whose_request_a_process_works_on_is_known_by_its_last_call(database: Database) -> None:
    first, second = str(uuid.uuid4()), str(uuid.uuid4())
    with closing(client_of(database)) as client:
        for request_id in (first, second):
            client.delete_item(TableName="t", Key={"pk": {"S": f"default#ann#{request_id}"}, "sk": {"S": "HEAD"}})
            client.list_tables()
            assert database.request_of(ports_of(os.getpid())) == request_id
    assert database.request_of(ports_of(os.getpid())) == ""
    assert database.request_of(ports_of(-1)) == ""
