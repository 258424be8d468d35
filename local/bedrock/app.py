"""The stand-in's routes. Each reads a request, asks one module, and answers in Bedrock's form."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from local.bedrock import conversation, converse, embeddings, grounding
from local.bedrock.action_group import ActionGroupLambdas
from local.bedrock.agent import AgentRuntime, Invocation
from local.bedrock.agents import AgentsFile
from local.bedrock.conversation import Model
from local.bedrock.embedder import Embedder
from local.bedrock.faults import Fault, Faults, Kind
from local.bedrock.forward import ForwardingModel
from local.bedrock.generator import ExtractiveModel
from local.bedrock.guardrail import GuardedModel
from local.bedrock.rerank import rerank
from local.bedrock.settings import Settings
from local.bedrock.stream import EventStreamResponse, cut_short
from local.bedrock.wire import WireError, invalid
from local.origin_guard import OriginGuard

_LOOKS_EVERY_SECONDS = 0.2
_OWN = ("/_standin/", "/health")


@dataclass(frozen=True, slots=True)
class Standin:
    """What the routes use, wired once."""

    settings: Settings
    embedder: Embedder
    model: Model
    agents: AgentRuntime
    faults: Faults
    calls: set[tuple[str, str]]

    async def converse(self, request: Request) -> ASGIApp:
        asked = conversation.parse(request.path_params["model_id"], await _body(request))
        watching = asyncio.create_task(_set_when_gone(request, asked.abandoned))
        try:
            return await self._whole("converse", lambda: converse.whole(asked, self.model.reply(asked)))
        finally:
            watching.cancel()

    async def converse_stream(self, request: Request) -> ASGIApp:
        model_id = request.path_params["model_id"]
        fault = self._fault("converse-stream", model_id)
        asked = conversation.parse(model_id, await _body(request))
        events = converse.events(asked, self.model.reply(asked))
        return await EventStreamResponse.started(events, pace=self.settings.tokens_per_second, fault=fault)

    async def invoke_model(self, request: Request) -> ASGIApp:
        model_id, body = request.path_params["model_id"], await _body(request)
        return await self._whole("invoke-model", lambda: embeddings.invoke(model_id, body, self.embedder))

    async def rerank(self, request: Request) -> ASGIApp:
        body = await _body(request)
        return await self._whole("rerank", lambda: rerank(body, self.embedder))

    async def apply_guardrail(self, request: Request) -> ASGIApp:
        body = await _body(request)
        return await self._whole("apply-guardrail", lambda: grounding.apply(body))

    async def invoke_agent(self, request: Request) -> ASGIApp:
        fault = self._fault("invoke-agent")
        asked = Invocation.parse(**request.path_params, body=await _body(request))
        headers = {
            "x-amzn-bedrock-agent-content-type": "application/json",
            "x-amz-bedrock-agent-session-id": asked.session_id,
        }
        pace = self.settings.tokens_per_second
        return await EventStreamResponse.started(self.agents.events(asked), pace=pace, fault=fault, headers=headers)

    async def order_fault(self, request: Request) -> Response:
        self.faults.order(Fault.parse(await _body(request)))
        return JSONResponse({"waiting": self.faults.waiting()}, 201)

    async def list_faults(self, _: Request) -> Response:
        return JSONResponse({"waiting": self.faults.waiting()})

    async def clear_faults(self, _: Request) -> Response:
        self.faults.clear()
        return Response(status_code=204)

    async def list_calls(self, _: Request) -> Response:
        return JSONResponse(sorted(self.calls))

    async def health(self, _: Request) -> Response:
        state = self.embedder.state
        return JSONResponse(
            {
                "status": "ok" if state in ("ready", "loading") else "degraded",
                "embedder": self.embedder.name,
                "embedderState": state,
                "generator": self.settings.upstream.url if self.settings.upstream else "extractive",
            }
        )

    def _fault(self, operation: str, model_id: str = "") -> Fault | None:
        fault = self.faults.take(operation, model_id)
        if fault and fault.refuses:
            raise fault.error()
        return fault

    async def _whole(self, operation: str, compute: Callable[[], dict[str, Any]]) -> ASGIApp:
        fault = self._fault(operation)
        if fault and fault.kind is Kind.DROP:
            return cut_short
        if fault:
            await anyio.sleep(fault.seconds)
        return JSONResponse(await run_in_threadpool(compute))


class _Calls:
    """Records who calls the wrapped application, by User-Agent, and which paths, for `GET /_standin/calls`."""

    def __init__(self, app: ASGIApp, seen: set[tuple[str, str]]) -> None:
        self._app = app
        self._seen = seen

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not scope["path"].startswith(_OWN):
            self._seen.add((dict(scope["headers"]).get(b"user-agent", b"").decode("latin-1"), scope["path"]))
        await self._app(scope, receive, send)


async def _body(request: Request) -> dict[str, Any]:
    try:
        body = json.loads(await request.body() or b"{}")
    except ValueError as error:
        raise invalid(f"The body is not JSON: {error}") from error
    if not isinstance(body, dict):
        raise invalid("The body is not a JSON object.")
    return body


async def _set_when_gone(request: Request, abandoned: Event) -> None:
    while not await request.is_disconnected():
        await asyncio.sleep(_LOOKS_EVERY_SECONDS)
    abandoned.set()


async def _error(_: Request, error: Exception) -> Response:
    if not isinstance(error, WireError):
        raise error
    return JSONResponse({"message": error.message}, error.status, {"x-amzn-ErrorType": error.code})


def build(settings: Settings, embedder: Embedder) -> Starlette:
    """The application. Nothing is loaded or connected here."""
    standin = Standin(
        settings=settings,
        embedder=embedder,
        model=GuardedModel(ForwardingModel(settings.upstream) if settings.upstream else ExtractiveModel(embedder)),
        agents=AgentRuntime(AgentsFile(settings.agents_file), ActionGroupLambdas(settings), embedder),
        faults=Faults(),
        calls=set(),
    )
    session = "/agents/{agent_id}/agentAliases/{alias_id}/sessions/{session_id}/text"
    routes = [
        Route("/model/{model_id:path}/converse", standin.converse, methods=["POST"]),
        Route("/model/{model_id:path}/converse-stream", standin.converse_stream, methods=["POST"]),
        Route("/model/{model_id:path}/invoke", standin.invoke_model, methods=["POST"]),
        Route("/guardrail/{id}/version/{version}/apply", standin.apply_guardrail, methods=["POST"]),
        Route("/rerank", standin.rerank, methods=["POST"]),
        Route(session, standin.invoke_agent, methods=["POST"]),
        Route("/_standin/faults", standin.order_fault, methods=["POST"]),
        Route("/_standin/faults", standin.list_faults, methods=["GET"]),
        Route("/_standin/faults", standin.clear_faults, methods=["DELETE"]),
        Route("/_standin/calls", standin.list_calls, methods=["GET"]),
        Route("/health", standin.health, methods=["GET"]),
    ]
    wrapped = [Middleware(OriginGuard), Middleware(_Calls, seen=standin.calls)]
    return Starlette(routes=routes, middleware=wrapped, exception_handlers={WireError: _error})
