"""Forwarding to an OpenAI-compatible server, in both directions."""

import asyncio
import json
from collections.abc import AsyncIterator
from threading import Event
from typing import Any

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from local.bedrock.app import build
from local.bedrock.embedder import HashEmbedder
from local.bedrock.settings import Settings, Upstream
from tests.local.bedrock.conftest import Client, Serve, converse_request
from tests.patience import PATIENCE_SECONDS

USAGE = {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}
FORCED = {"tool": {"name": "look_up"}}
TOOL = {"toolSpec": {"name": "look_up", "description": "Looks up", "inputSchema": {"json": {"type": "object"}}}}


def delta(finish: str | None = None, **content: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": content, "finish_reason": finish}]}


def called(arguments: str = '{"name": "Paulina"}') -> list[dict[str, Any]]:
    """The events of a reply that calls the tool."""
    call = {"index": 0, "id": "call_1", "function": {"name": "look_up", "arguments": arguments}}
    return [delta(tool_calls=[call]), delta("tool_calls"), USAGE]


class CompletionsServer:
    """Streams the events that are set, and keeps the requests. `tools_status`: what requests with tools get.

    `left` is set when a stream ends, after `sent` events.
    """

    def __init__(self) -> None:
        self.requests: list[tuple[dict[str, Any], str]] = []
        self.events = [delta(content="Fair is"), delta(content=" foul."), delta("stop"), USAGE]
        self.status = self.tools_status = 200
        self.pause_seconds = 0.0
        self.sent = 0
        self.left = Event()
        self.app = Starlette(routes=[Route("/v1/chat/completions", self._complete, methods=["POST"])])

    async def _complete(self, request: Request) -> Response:
        body = json.loads(await request.body())
        self.requests.append((body, request.headers.get("authorization", "")))
        status = self.tools_status if "tools" in body else self.status
        if status != 200:
            return JSONResponse({"error": "no such model"}, status)
        return StreamingResponse(self._lines(), media_type="text/event-stream")

    async def _lines(self) -> AsyncIterator[str]:
        try:
            for event in self.events:
                await asyncio.sleep(self.pause_seconds)
                yield f"data: {json.dumps(event)}\n\n"
                self.sent += 1
            yield "data: [DONE]\n\n"
        finally:
            self.left.set()


@pytest.fixture
def server() -> CompletionsServer:
    return CompletionsServer()


@pytest.fixture
def runtime(serve: Serve, client: Client, server: CompletionsServer) -> Any:
    upstream = Upstream(serve(server.app), "small", "secret")
    return client("bedrock-runtime", serve(build(Settings(tokens_per_second=0, upstream=upstream), HashEmbedder())))


def test_an_answer_comes_back_in_bedrocks_form_with_the_servers_usage(runtime: Any) -> None:
    reply = runtime.converse(**converse_request("Hello!"))
    assert reply["output"]["message"]["content"] == [{"text": "Fair is foul."}]
    assert reply["stopReason"] == "end_turn"
    assert reply["usage"] == {"inputTokens": 7, "outputTokens": 2, "totalTokens": 9}


def test_the_request_carries_system_limits_model_and_key(runtime: Any, server: CompletionsServer) -> None:
    request = converse_request(
        "Hello!", system=[{"text": "Be brief."}], inferenceConfig={"maxTokens": 9, "temperature": 0.5}
    )
    runtime.converse(**request)
    body, authorization = server.requests[0]
    assert authorization == "Bearer secret"
    assert body["model"] == "small"
    assert body["messages"] == [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello!"}]
    assert (body["max_tokens"], body["temperature"], body["stream"]) == (9, 0.5, True)


def test_tool_calls_in_pieces_become_one_tool_use(runtime: Any, server: CompletionsServer) -> None:
    first = {"index": 0, "id": "call_1", "function": {"name": "look_up", "arguments": '{"name": '}}
    second = {"index": 0, "function": {"arguments": '"Paulina"}'}}
    server.events = [delta(tool_calls=[first]), delta(tool_calls=[second]), delta("tool_calls"), USAGE]
    reply = runtime.converse(**converse_request("Who?", toolConfig={"tools": [TOOL], "toolChoice": {"any": {}}}))
    use = {"toolUseId": "call_1", "name": "look_up", "input": {"name": "Paulina"}}
    assert reply["output"]["message"]["content"] == [{"toolUse": use}]
    assert reply["stopReason"] == "tool_use"
    assert server.requests[0][0]["tool_choice"] == "required"
    assert server.requests[0][0]["tools"][0]["function"]["name"] == "look_up"


def test_tool_results_become_tool_turns(runtime: Any, server: CompletionsServer) -> None:
    server.events = called()
    request = converse_request("Who?", toolConfig={"tools": [TOOL], "toolChoice": FORCED})
    use = {"toolUse": {"toolUseId": "call_1", "name": "look_up", "input": {"name": "Paulina"}}}
    result = {"toolResult": {"toolUseId": "call_1", "content": [{"json": {"found": 1}}]}}
    request["messages"] += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    runtime.converse(**request)
    body = server.requests[0][0]
    assert body["messages"][1]["tool_calls"][0]["function"] == {"name": "look_up", "arguments": '{"name": "Paulina"}'}
    assert body["messages"][2] == {"role": "tool", "tool_call_id": "call_1", "content": '{"found": 1}'}
    assert body["tool_choice"] == {"type": "function", "function": {"name": "look_up"}}


def forced(runtime: Any) -> Any:
    """The reply to a request that forces the tool."""
    return runtime.converse(
        **converse_request("Who?", system=[{"text": "Be brief."}], toolConfig={"tools": [TOOL], "toolChoice": FORCED})
    )


def written(text: str, finish: str = "stop") -> list[dict[str, Any]]:
    """The events of a reply in words."""
    return [delta(content=text[:5]), delta(content=text[5:]), delta(finish), USAGE]


@pytest.mark.parametrize("tools_status", [200, 400, 500])
def test_a_server_that_ignores_or_refuses_tools_writes_their_input_by_its_schema(
    runtime: Any, server: CompletionsServer, tools_status: int
) -> None:
    server.tools_status, server.events = tools_status, written('{"name": "Paulina"}')
    reply = forced(runtime)
    [content] = reply["output"]["message"]["content"]
    assert (content["toolUse"]["name"], content["toolUse"]["input"]) == ("look_up", {"name": "Paulina"})
    assert reply["stopReason"] == "tool_use"
    (with_tools, _), (body, _) = server.requests
    assert with_tools["tool_choice"]["function"] == {"name": "look_up"}
    assert body["response_format"]["json_schema"] == {"name": "look_up", "schema": {"type": "object"}}
    assert not {"tools", "tool_choice"} & set(body)
    system = body["messages"][0]["content"]
    assert system.startswith("Be brief.")
    assert system.endswith('{"type":"object"}')


def test_a_server_without_tools_is_asked_with_tools_once(runtime: Any, server: CompletionsServer) -> None:
    server.tools_status, server.events = 400, written('{"name": "Paulina"}')
    forced(runtime)
    server.requests.clear()
    forced(runtime)
    assert ["response_format" in body for body, _ in server.requests] == [True]


def test_a_busy_server_is_not_taken_for_one_without_tools(runtime: Any, server: CompletionsServer) -> None:
    server.tools_status = 429
    with pytest.raises(ClientError, match="ThrottlingException"):
        forced(runtime)
    server.tools_status, server.events = 200, called()
    assert forced(runtime)["output"]["message"]["content"][0]["toolUse"]["toolUseId"] == "call_1"
    assert ["tools" in body for body, _ in server.requests] == [True, True]


@pytest.mark.parametrize(
    "events",
    [
        called('{"name": '),
        called("[1]"),
        written("It was Paulina."),
        written('"Paulina"'),
        [delta(content='{"name"')],
    ],
    ids=["broken arguments", "no object", "words", "a text", "a stream without its end"],
)
def test_a_call_that_cannot_be_read_is_a_failure_of_the_model(
    runtime: Any, server: CompletionsServer, events: list[dict[str, Any]]
) -> None:
    server.events = events
    with pytest.raises(ClientError, match=r"ModelErrorException|ModelStreamErrorException"):
        forced(runtime)


def test_input_that_was_cut_off_says_so(runtime: Any, server: CompletionsServer) -> None:
    server.events = written('{"name": "Pau', "length")
    assert forced(runtime)["stopReason"] == "max_tokens"


def test_a_reply_that_nobody_waits_for_is_not_read_to_its_end(
    serve: Serve, client: Client, server: CompletionsServer
) -> None:
    server.events, server.pause_seconds = [delta(content="x")] * 2000, 0.01
    standin = build(Settings(tokens_per_second=0, upstream=Upstream(serve(server.app))), HashEmbedder())
    runtime = client("bedrock-runtime", serve(standin), read_timeout=0.3)
    with pytest.raises(ReadTimeoutError):
        runtime.converse(**converse_request("Hello!"))
    assert server.left.wait(PATIENCE_SECONDS)
    assert server.sent < len(server.events)


@pytest.mark.parametrize(("status", "code"), [(404, "ModelErrorException"), (429, "ThrottlingException")])
def test_the_servers_errors_are_bedrocks_errors(
    runtime: Any, server: CompletionsServer, status: int, code: str
) -> None:
    server.status = server.tools_status = status
    with pytest.raises(ClientError, match="no such model") as caught:
        runtime.converse_stream(**converse_request("Hello!"))
    assert caught.value.response["Error"]["Code"] == code


def test_a_server_that_cannot_be_reached_is_named(serve: Serve, client: Client) -> None:
    settings = Settings(tokens_per_second=0, upstream=Upstream("http://127.0.0.1:9/v1"))
    runtime = client("bedrock-runtime", serve(build(settings, HashEmbedder())))
    with pytest.raises(ClientError, match=r"http://127\.0\.0\.1:9/v1/chat/completions \(CICADA_LLM_URL\)") as caught:
        runtime.converse(**converse_request("Hello!"))
    assert caught.value.response["Error"]["Code"] == "ServiceUnavailableException"
