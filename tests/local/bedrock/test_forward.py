"""Forwarding to an OpenAI-compatible server, in both directions."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from local.bedrock.app import build
from local.bedrock.embedder import HashEmbedder
from local.bedrock.settings import Settings, Upstream
from tests.local.bedrock.conftest import Client, Serve, converse_request

USAGE = {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}
TOOL = {"toolSpec": {"name": "look_up", "description": "Looks up", "inputSchema": {"json": {"type": "object"}}}}


def delta(finish: str | None = None, **content: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": content, "finish_reason": finish}]}


class CompletionsServer:
    """Streams the events that are set, and keeps the requests."""

    def __init__(self) -> None:
        self.requests: list[tuple[dict[str, Any], str]] = []
        self.events = [delta(content="Fair is"), delta(content=" foul."), delta("stop"), USAGE]
        self.status = 200
        self.app = Starlette(routes=[Route("/v1/chat/completions", self._complete, methods=["POST"])])

    async def _complete(self, request: Request) -> Response:
        self.requests.append((json.loads(await request.body()), request.headers.get("authorization", "")))
        if self.status != 200:
            return JSONResponse({"error": "no such model"}, self.status)
        return StreamingResponse(self._lines(), media_type="text/event-stream")

    def _lines(self) -> Iterator[str]:
        for event in self.events:
            yield f"data: {json.dumps(event)}\n\n"
        yield "data: [DONE]\n\n"


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
    request = converse_request("Who?", toolConfig={"tools": [TOOL], "toolChoice": {"tool": {"name": "look_up"}}})
    use = {"toolUse": {"toolUseId": "call_1", "name": "look_up", "input": {"name": "Paulina"}}}
    result = {"toolResult": {"toolUseId": "call_1", "content": [{"json": {"found": 1}}]}}
    request["messages"] += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    runtime.converse(**request)
    body = server.requests[0][0]
    assert body["messages"][1]["tool_calls"][0]["function"] == {"name": "look_up", "arguments": '{"name": "Paulina"}'}
    assert body["messages"][2] == {"role": "tool", "tool_call_id": "call_1", "content": '{"found": 1}'}
    assert body["tool_choice"] == {"type": "function", "function": {"name": "look_up"}}


@pytest.mark.parametrize(("status", "code"), [(404, "ModelErrorException"), (429, "ThrottlingException")])
def test_the_servers_errors_are_bedrocks_errors(
    runtime: Any, server: CompletionsServer, status: int, code: str
) -> None:
    server.status = status
    with pytest.raises(ClientError, match="no such model") as caught:
        runtime.converse_stream(**converse_request("Hello!"))
    assert caught.value.response["Error"]["Code"] == code


def test_a_server_that_cannot_be_reached_is_named(serve: Serve, client: Client) -> None:
    settings = Settings(tokens_per_second=0, upstream=Upstream("http://127.0.0.1:9/v1"))
    runtime = client("bedrock-runtime", serve(build(settings, HashEmbedder())))
    with pytest.raises(ClientError, match=r"http://127\.0\.0\.1:9/v1/chat/completions \(CICADA_LLM_URL\)") as caught:
        runtime.converse(**converse_request("Hello!"))
    assert caught.value.response["Error"]["Code"] == "ServiceUnavailableException"
