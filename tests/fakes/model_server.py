"""A server of the OpenAI protocol that writes plans, in good and bad moments."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route


@dataclass
class ModelServer:
    """Writes `plan` as the input of the forced tool: in a tool call, or as text if it has no tools.

    Its stream begins after `pause_seconds`. `breaks_at`: after how many characters of the plan it goes on no further;
    `ends`: whether it says that it has come to its end. `planned`: the messages that it was asked to plan.
    """

    plan: Mapping[str, Any]
    has_tools: bool = True
    pause_seconds: float = 0.0
    breaks_at: int | None = None
    ends: bool = True
    planned: list[str] = field(default_factory=list)

    @property
    def app(self) -> Starlette:
        return Starlette(routes=[Route("/v1/chat/completions", self._complete, methods=["POST"])])

    async def _complete(self, request: Request) -> Response:
        body = json.loads(await request.body())
        if "tools" in body and not self.has_tools:
            return JSONResponse({"error": {"message": "There are no tools here."}}, 400)
        self.planned.append(json.loads(body["messages"][-1]["content"])["message"])
        return StreamingResponse(self._stream(by_tool="tools" in body), media_type="text/event-stream")

    async def _stream(self, *, by_tool: bool) -> AsyncIterator[str]:
        await asyncio.sleep(self.pause_seconds)
        text = json.dumps(self.plan)[: self.breaks_at]
        call = {"index": 0, "id": "call_1", "function": {"name": "plan", "arguments": text}}
        yield _event({"tool_calls": [call]} if by_tool else {"content": text})
        if self.ends:
            yield _event({}, "tool_calls" if by_tool else "stop")


def _event(delta: Mapping[str, Any], finish: str | None = None) -> str:
    return f"data: {json.dumps({'choices': [{'index': 0, 'delta': delta, 'finish_reason': finish}]})}\n\n"
