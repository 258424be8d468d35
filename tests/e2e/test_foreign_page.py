"""Pages of foreign origins, in a real browser, attack the local stage of the developer who looks at them."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
from botocore.exceptions import ClientError
from playwright.sync_api import Browser, Page
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route

from local.stage.aws import aws_client
from tests.browser.serving import serving
from tests.chaos.target import Target
from tests.patience import PATIENCE_MILLISECONDS

PLANTED = "planted"
CHOSEN = "Chosen-by-the-attacker-1"
# Each attempt ends: whether the reply can be read does not matter, what has changed on the stage does.
ATTEMPT = """async ([url, options]) => {
  try { return `status ${(await fetch(url, options)).status}` } catch (error) { return `${error}` }
}"""
IMAGE = """url => new Promise(ended => {
  const image = new Image();
  image.onload = image.onerror = () => ended();
  image.src = url;
})"""
SOCKET = """url => new Promise(ended => {
  const socket = new WebSocket(url);
  socket.onopen = () => ended("open");
  socket.onerror = () => ended("refused");
})"""


@pytest.fixture(params=["http://127.0.0.1", "http://localhost", "http://evil.example"])
def foreign(request: pytest.FixtureRequest, chromium: Browser) -> Iterator[Page]:
    """Another port of this machine, as of a page from somebody's development server; and a foreign name."""
    app = Starlette(routes=[Route("/", lambda _: HTMLResponse("<!doctype html><title>Win a prize</title>"))])
    with serving(app) as address:
        context = chromium.new_context()
        context.set_default_timeout(PATIENCE_MILLISECONDS)
        page = context.new_page()
        page.goto(f"{request.param}:{address.rpartition(':')[2]}/")
        yield page
        context.close()


@pytest.fixture
def rebound(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context()
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    yield context.new_page()
    context.close()


def code() -> str:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as written:
        written.writestr("handler.py", "def handle(event, context):\n    return 'run on your machine'\n")
    return base64.b64encode(archive.getvalue()).decode()


def signed(service: str) -> str:
    """A signature in the query, which no browser asks permission for; the emulator looks at its key alone."""
    return urlencode(
        {
            "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
            "X-Amz-Credential": f"test/20260101/us-east-1/{service}/aws4_request",
            "X-Amz-Date": "20260101T000000Z",
            "X-Amz-SignedHeaders": "host",
            "X-Amz-Signature": "0" * 64,
        }
    )


def creation(stage: Target) -> list[Any]:
    """A request for which browsers ask no permission beforehand: its body says that it is plain text."""
    role = aws_client(stage.config, "iam").list_roles()["Roles"][0]["Arn"]
    function = {
        "FunctionName": PLANTED,
        "Runtime": "python3.13",
        "Handler": "handler.handle",
        "Role": role,
        "Code": {"ZipFile": code()},
    }
    options = {"method": "POST", "mode": "no-cors", "body": json.dumps(function)}
    return [f"{stage.config.aws_url}/2015-03-31/functions?{signed('lambda')}", options]


def functions(stage: Target) -> set[str]:
    pages = aws_client(stage.config, "lambda").get_paginator("list_functions").paginate()
    return {each["FunctionName"] for page in pages for each in page["Functions"]}


def test_a_foreign_page_cannot_create_a_function(foreign: Page, stage: Target) -> None:
    foreign.evaluate(ATTEMPT, creation(stage))
    assert PLANTED not in functions(stage)


def test_the_attempt_is_one_that_the_emulator_would_take(stage: Target, chromium: Browser) -> None:
    """The connection is taken from the chat page's own origin, and from nowhere else."""
    context = chromium.new_context()
    page = context.new_page()
    page.goto(stage.info["pageUrl"])
    try:
        page.evaluate(ATTEMPT, creation(stage))
        assert PLANTED in functions(stage)
    finally:
        context.close()
        aws_client(stage.config, "lambda").delete_function(FunctionName=PLANTED)


def test_a_foreign_page_cannot_reset_a_password(foreign: Page, stage: Target) -> None:
    target = "AWSCognitoIdentityProviderService.AdminSetUserPassword"
    order = {"UserPoolId": stage.info["userPoolId"], "Username": "alice", "Password": CHOSEN, "Permanent": True}
    headers = {"X-Amz-Target": target, "Content-Type": "application/x-amz-json-1.1"}
    url = f"{stage.config.aws_url}/?{signed('cognito-idp')}"
    foreign.evaluate(ATTEMPT, [url, {"method": "POST", "headers": headers, "body": json.dumps(order)}])
    assert stage.token("alice")


def test_an_image_of_a_foreign_page_cannot_create_a_queue(foreign: Page, stage: Target) -> None:
    """An image is asked for without an origin, and some services take their actions from the query."""
    action = f"Action=CreateQueue&Version=2012-11-05&QueueName={PLANTED}"
    foreign.evaluate(IMAGE, f"{stage.config.aws_url}/?{action}&{signed('sqs')}")
    assert not aws_client(stage.config, "sqs").list_queues(QueueNamePrefix=PLANTED).get("QueueUrls")


def test_a_foreign_page_cannot_open_the_socket_with_or_without_a_token(foreign: Page, stage: Target) -> None:
    assert foreign.evaluate(SOCKET, stage.url) == "refused"
    assert foreign.evaluate(SOCKET, f"{stage.url}?token={stage.token('alice')}") == "refused"


def test_a_foreign_page_cannot_give_the_model_stand_in_an_order(foreign: Page, stage: Target) -> None:
    order = json.dumps({"operation": "converse-stream", "kind": "drop"})
    url = f"{stage.config.bedrock_url}/_standin/faults"
    foreign.evaluate(ATTEMPT, [url, {"method": "POST", "mode": "no-cors", "body": order}])
    with urlopen(url, timeout=10) as reply:  # noqa: S310 - of the stage
        assert json.loads(reply.read())["waiting"] == []


def test_a_name_pointed_at_this_machine_reaches_none_of_its_servers(rebound: Page, stage: Target) -> None:
    """DNS rebinding: to the browser, the page and the server that it calls are of one origin."""
    config = stage.config
    for port in (config.emulator_port, config.page_port, config.bedrock_port):
        reply = rebound.goto(f"http://evil.example:{port}/")
        assert reply
        assert reply.status == 403
        for path in ("/config.json", "/_ministack/health", "/health"):
            assert rebound.evaluate(ATTEMPT, [path, {}]) == "status 403"


def test_the_emulator_still_takes_no_password_but_the_stages_own(stage: Target) -> None:
    users = [{"name": "alice", "password": "Alice-of-the-local-stage-1"}]
    with pytest.raises(ClientError, match="NotAuthorizedException"):
        replace(stage, info=stage.info | {"users": users}).token("alice")
