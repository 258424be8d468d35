"""Sends events as frames at a set pace, and applies faults."""

from collections.abc import AsyncIterator, Iterator, Mapping
from itertools import chain

import anyio
from starlette.concurrency import iterate_in_threadpool, run_in_threadpool
from starlette.types import Receive, Scope, Send

from local.bedrock.faults import Fault, Kind
from local.bedrock.wire import Event, WireError, exception_frame, with_bad_checksum

CONTENT_TYPE = "application/vnd.amazon.eventstream"


class DroppedConnectionError(Exception):
    """Close the connection in the middle of the reply."""


class EventStreamResponse:
    """An ASGI response. Nothing is sent before the first event, so an early error keeps its HTTP status."""

    def __init__(self, events: Iterator[Event], pace: float, fault: Fault | None, headers: Mapping[str, str]) -> None:
        self._events = events
        self._pace = pace
        self._fault = fault
        self._headers = {"content-type": CONTENT_TYPE, **headers}

    @classmethod
    async def started(
        cls, events: Iterator[Event], *, pace: float, fault: Fault | None, headers: Mapping[str, str] | None = None
    ) -> "EventStreamResponse":
        """`pace` is in deltas a second, 0 for as fast as possible. Raises what the first event raises."""
        first = await run_in_threadpool(lambda: list(zip(range(1), events, strict=False)))
        return cls(chain((event for _, event in first), events), pace, fault, headers or {})

    async def __call__(self, _: Scope, receive: Receive, send: Send) -> None:
        packed = [(name.encode(), value.encode()) for name, value in self._headers.items()]
        await send({"type": "http.response.start", "status": 200, "headers": packed})
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_cancel_on_disconnect, receive, tasks.cancel_scope)
            try:
                async for frame in self._frames():
                    await send({"type": "http.response.body", "body": frame, "more_body": True})
                await send({"type": "http.response.body", "body": b""})
            except DroppedConnectionError:
                pass  # the server closes a connection whose reply is incomplete
            tasks.cancel_scope.cancel()

    async def _frames(self) -> AsyncIterator[bytes]:
        deltas = 0
        try:
            async for event in iterate_in_threadpool(self._events):
                struck = self._fault is not None and event.is_delta and deltas == self._fault.after
                yield await _disturbed(event, self._fault) if struck and self._fault else event.frame()
                deltas += event.is_delta
                if event.is_delta and self._pace:
                    await anyio.sleep(1 / self._pace)
        except WireError as error:
            yield exception_frame(error)


async def _disturbed(event: Event, fault: Fault) -> bytes:
    match fault.kind:
        case Kind.DROP:
            raise DroppedConnectionError
        case Kind.STALL:
            await anyio.sleep(fault.seconds)
        case Kind.BAD_CHECKSUM:
            return with_bad_checksum(event.frame())
        case Kind.THROTTLE | Kind.EXCEPTION:
            raise fault.error()
    return event.frame()


async def _cancel_on_disconnect(receive: Receive, scope: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


async def cut_short(_: Scope, __: Receive, send: Send) -> None:
    """An ASGI response whose body ends before its announced length, like that of a dropped connection."""
    headers = [(b"content-type", b"application/json"), (b"content-length", b"1000")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"{", "more_body": True})
