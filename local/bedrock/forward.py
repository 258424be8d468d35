"""Forwards Converse to an OpenAI-compatible /v1/chat/completions server, always as a stream.

A forced tool is asked for as one. Many servers refuse tools, or ignore that one is forced: such a server is asked for
the tool's input as a JSON object of the tool's schema, and from then on at once.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import takewhile
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


# What servers answer to a request with tools if they have none, or do not know how to force one.
_REFUSALS = (400, 404, 405, 415, 422, 500, 501)
_BY_SCHEMA = """\
You have no tools here. Instead of calling the tool `{name}`, answer with its input as one JSON object, and with nothing
else. The JSON Schema of the input: {schema}"""


class _RefusedError(WireError):
    """The server answered with an error. `answered`: the HTTP status."""

    def __init__(self, answered: int, message: str) -> None:
        super().__init__("ThrottlingException" if answered == 429 else "ModelErrorException", message)
        self.answered = answered


class ForwardingModel(Model):
    """A Model that calls another server. `_has_tools`: whether the server may call a tool that is forced."""

    def __init__(self, upstream: Upstream) -> None:
        self._upstream = upstream
        self._url = _completions_url(upstream.url)
        self._http = urllib3.PoolManager(timeout=TIMEOUT, retries=False)
        self._has_tools = True

    def reply(self, request: ConverseRequest) -> Iterator[Part]:
        tool = request.forced_tool
        if tool is None:
            yield from self._parts(request, payload(request, self._upstream.model))
            return
        called = self._called(request) if self._has_tools else None
        if called is None:
            self._has_tools = False
            called = _as_call(tool, self._parts(request, schema_payload(request, tool, self._upstream.model)))
        yield from called

    def _called(self, request: ConverseRequest) -> list[Part] | None:
        """The parts of a reply that calls the tool; None if the server refuses tools, or writes a text instead."""
        parts: list[Part] = []
        try:
            for part in self._parts(request, payload(request, self._upstream.model)):
                if isinstance(part, Text) and part.text.strip():
                    return None
                parts.append(part)
        except _RefusedError as error:
            if error.answered in _REFUSALS:
                return None
            raise
        return parts if any(isinstance(part, ToolUse) for part in parts) else None

    def _parts(self, request: ConverseRequest, body: Mapping[str, Any]) -> Iterator[Part]:
        key = self._upstream.api_key
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        try:
            response = self._http.request(
                "POST", self._url, body=json.dumps(body), headers=headers, preload_content=False
            )
            try:
                _check(response.status, self._url, response)
                # A server that answers one request at a time would keep the next one waiting for what nobody reads.
                yield from _parts(takewhile(lambda _: not request.abandoned.is_set(), _events(response)))
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
    raise _RefusedError(status, f"{url} answered {status}: {said}")


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


def schema_payload(request: ConverseRequest, tool: Tool, model: str) -> dict[str, Any]:
    """The request for a forced tool, in a form for servers without tools: the reply is a JSON object of its schema."""
    said = _BY_SCHEMA.format(name=tool.name, schema=json.dumps(tool.schema, ensure_ascii=False, separators=(",", ":")))
    plain = replace(request, system=f"{request.system}\n\n{said}".strip(), tools=(), forced_tool=None)
    form = {"name": tool.name, "schema": dict(tool.schema)}
    return payload(plain, model) | {"response_format": {"type": "json_schema", "json_schema": form}}


def _as_call(tool: Tool, parts: Iterator[Part]) -> list[Part]:
    """The reply to a `schema_payload` as a call of the tool; unchanged if it was cut off."""
    written = list(parts)
    if any(isinstance(part, Finish) and part.stop_reason == "max_tokens" for part in written):
        return written
    text = "".join(part.text for part in written if isinstance(part, Text))
    use = _use(0, {"id": "", "name": tool.name, "arguments": text or "nothing"})
    return [use, *(replace(part, stop_reason="tool_use") for part in written if isinstance(part, Finish))]


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
    if not isinstance(given, dict):
        raise WireError("ModelErrorException", f"The model called {call['name']} with JSON that is no object.")
    return ToolUse(call["id"] or f"tooluse_{index}", call["name"], given)
