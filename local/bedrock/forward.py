"""Forwards Converse to an OpenAI-compatible /v1/chat/completions server, always as a stream."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import urllib3
from urllib3.exceptions import HTTPError

from local.bedrock.conversation import ConverseRequest, Finish, Message, Model, Part, Text, ToolResult, ToolUse
from local.bedrock.settings import Upstream
from local.bedrock.tools import Tool
from local.bedrock.wire import WireError

TIMEOUT = urllib3.Timeout(connect=5, read=300)
STOP_REASONS = {
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "content_filter": "content_filtered",
}


class ForwardingModel(Model):
    """A Model that calls another server."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream
        self._url = _completions_url(upstream.url)
        self._http = urllib3.PoolManager(timeout=TIMEOUT, retries=False)

    def reply(self, request: ConverseRequest) -> Iterator[Part]:
        body = payload(request, self._upstream.model)
        key = self._upstream.api_key
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        try:
            response = self._http.request(
                "POST", self._url, body=json.dumps(body), headers=headers, preload_content=False
            )
            try:
                _check(response.status, self._url, response)
                yield from _parts(_events(response))
            finally:
                response.close()
        except HTTPError as error:
            raise WireError(
                "ServiceUnavailableException", f"No answer from {self._url} (CICADA_LLM_URL): {error}"
            ) from error


def _completions_url(url: str) -> str:
    base = url.rstrip("/")
    if base.endswith("/chat/completions"):
        return base
    return f"{base}/chat/completions" if base.endswith("/v1") else f"{base}/v1/chat/completions"


def _check(status: int, url: str, response: urllib3.BaseHTTPResponse) -> None:
    if status == 200:
        return
    said = response.read(500).decode(errors="replace")
    code = "ThrottlingException" if status == 429 else "ModelErrorException"
    raise WireError(code, f"{url} answered {status}: {said}")


def payload(request: ConverseRequest, model: str) -> dict[str, Any]:
    """The request in OpenAI's form."""
    system = [{"role": "system", "content": request.system}] if request.system else []
    body: dict[str, Any] = {
        "model": model,
        "messages": [*system, *(turn for message in request.messages for turn in _turns(message))],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.max_tokens is not None:
        body["max_tokens"] = request.max_tokens
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
        body["tool_choice"] = _tool_choice(request)
    return body


def _tool_choice(request: ConverseRequest) -> Any:
    if request.forced_tool:
        return {"type": "function", "function": {"name": request.forced_tool.name}}
    return "required" if request.must_use_tool else "auto"


def _tool(tool: Tool) -> dict[str, Any]:
    described = {"name": tool.name, "description": tool.description, "parameters": dict(tool.schema)}
    return {"type": "function", "function": described}


def _turns(message: Message) -> Iterator[dict[str, Any]]:
    """A message with tool results becomes one `tool` turn for each, followed by its other content."""
    for block in message.blocks:
        if isinstance(block, ToolResult):
            yield {"role": "tool", "tool_call_id": block.tool_use_id, "content": block.text}
    calls = [
        {
            "id": use.tool_use_id,
            "type": "function",
            "function": {"name": use.name, "arguments": json.dumps(dict(use.input))},
        }
        for use in message.blocks
        if isinstance(use, ToolUse)
    ]
    if message.text or calls:
        yield {"role": message.role, "content": message.text or None} | ({"tool_calls": calls} if calls else {})


def _events(response: urllib3.BaseHTTPResponse) -> Iterator[Mapping[str, Any]]:
    """The JSON of each `data:` line of the server-sent events."""
    rest = b""
    # Read whatever has arrived: waiting for a full buffer would delay tokens.
    while piece := response.read1(4096):
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            data = line.strip().removeprefix(b"data:").strip()
            if line.startswith(b"data:") and data != b"[DONE]":
                yield _event(data)


def _event(data: bytes) -> Mapping[str, Any]:
    try:
        event: Mapping[str, Any] = json.loads(data)
    except json.JSONDecodeError as error:
        raise WireError("ModelStreamErrorException", "The model's server sent a line that is no JSON.") from error
    if "error" in event:
        raise WireError("ModelStreamErrorException", "The model's server broke the answer off with an error.")
    return event


def _parts(events: Iterator[Mapping[str, Any]]) -> Iterator[Part]:
    """Yields text as it arrives; a tool call's arguments arrive in pieces and are yielded whole, at the end."""
    calls: dict[int, dict[str, str]] = {}
    reason, usage = "", dict[str, int]()
    for event in events:
        usage = event.get("usage") or usage
        for choice in event.get("choices", ())[:1]:
            finished = choice.get("finish_reason")
            reason = STOP_REASONS.get(finished, "end_turn") if finished else reason
            delta = choice.get("delta") or {}
            if delta.get("content"):
                yield Text(delta["content"])
            for piece in delta.get("tool_calls") or ():
                _collect(calls.setdefault(piece.get("index", 0), {"id": "", "name": "", "arguments": ""}), piece)
    if not reason:
        raise WireError("ModelStreamErrorException", "The model's server ended the stream before the answer's end.")
    yield from (_use(index, call) for index, call in sorted(calls.items()))
    yield Finish("tool_use" if calls else reason, usage.get("prompt_tokens"), usage.get("completion_tokens"))


def _collect(call: dict[str, str], piece: Mapping[str, Any]) -> None:
    function = piece.get("function") or {}
    call["id"] = call["id"] or piece.get("id") or ""
    call["name"] += function.get("name") or ""
    call["arguments"] += function.get("arguments") or ""


def _use(index: int, call: Mapping[str, str]) -> ToolUse:
    try:
        given = json.loads(call["arguments"] or "{}")
    except json.JSONDecodeError as error:
        raise WireError("ModelErrorException", f"The model called {call['name']} with broken JSON.") from error
    return ToolUse(call["id"] or f"tooluse_{index}", call["name"], given)
