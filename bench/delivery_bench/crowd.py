"""Many sockets and many answers at once on a local stage, which is an emulator: its limits are not those of AWS."""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass

from websockets.asyncio.client import ClientConnection, connect

from cicada_client.events import Frame
from cicada_client.exchange import Command, Exchange
from cicada_client.timing import Timing
from local.stage.settings import StageError
from tests.chaos.plan import QUESTIONS, USERS
from tests.chaos.target import Target

_OPENING_AT_ONCE = 20
_PATIENCE_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Crowd:
    """What a crowd met. `exact`: answers with the most frequent text.

    `most_streaming`: the most answers that were streaming at the same time.
    Times in seconds, from the moment when all questions were sent; `first_token` and `end` are median and longest.
    """

    sockets: int
    connect_seconds: float
    answers: int
    complete: int
    exact: int
    most_streaming: int
    first_token: tuple[float, float]
    end: tuple[float, float]
    events: int
    events_per_second: float


@dataclass(frozen=True, slots=True)
class _Streamed:
    text: str
    whole: bool
    events: int
    first_event_at: float
    first_token_at: float
    end_at: float


def crowd(target: Target, *, sockets: int, answers: int) -> Crowd:
    """Connect all, ask on some of them at the same moment, and receive the answers."""
    return asyncio.run(_crowd(target, sockets, min(sockets, answers)))


async def _crowd(target: Target, sockets: int, answers: int) -> Crowd:
    token = {user: target.token(user) for user in USERS}
    async with AsyncExitStack() as stack:
        began = time.perf_counter()
        connections = await _open(stack, [f"{target.url}?token={token[user]}" for user in USERS], sockets)
        connect_seconds = time.perf_counter() - began
        began = time.perf_counter()
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                streamed = await asyncio.gather(*(_ask(each, began) for each in connections[:answers]))
        except TimeoutError as error:
            raise StageError(f"This machine did not bring {answers} answers in {_PATIENCE_SECONDS} s.") from error
    return _summed(streamed, sockets, connect_seconds)


async def _open(stack: AsyncExitStack, urls: Sequence[str], count: int) -> list[ClientConnection]:
    gate = asyncio.Semaphore(_OPENING_AT_ONCE)

    async def one(number: int) -> ClientConnection:
        async with gate:
            opened = connect(urls[number % len(urls)], open_timeout=60, close_timeout=2, ping_interval=None)
            return await stack.enter_async_context(opened)

    return list(await asyncio.gather(*map(one, range(count))))


async def _ask(connection: ClientConnection, began: float) -> _Streamed:
    """Follows the client's rules: resumes when events are lost or late."""
    request_id, events = str(uuid.uuid4()), 0
    first_event_at = first_token_at = 0.0
    question = {"action": "sendMessage", "requestId": request_id, "message": QUESTIONS[0]}
    exchange = Exchange(request_id, question, Timing(), time.perf_counter())
    await _send(connection, exchange.opening(time.perf_counter()))
    while not exchange.finished:
        for event in exchange.receive(await _next(connection, exchange), time.perf_counter()):
            events += 1
            now = time.perf_counter() - began
            if event["type"] == "status":
                first_event_at = first_event_at or now
            elif event["type"] == "chunk":
                first_token_at = first_token_at or now
    text, whole = exchange.assembly.text, exchange.assembly.status == "complete"
    return _Streamed(text, whole, events, first_event_at, first_token_at, time.perf_counter() - began)


async def _next(connection: ClientConnection, exchange: Exchange) -> Frame:
    while True:
        with suppress(TimeoutError):
            async with asyncio.timeout(exchange.wait(time.perf_counter())):
                frame: Frame = json.loads(await connection.recv())
                return frame
        await _send(connection, exchange.due(time.perf_counter()))


async def _send(connection: ClientConnection, commands: Sequence[Command]) -> None:
    for command in commands:
        await connection.send(json.dumps(command))


def _summed(streamed: Sequence[_Streamed], sockets: int, connect_seconds: float) -> Crowd:
    texts = [each.text for each in streamed]
    usual = max(texts, key=texts.count)
    events = sum(each.events for each in streamed)
    return Crowd(
        sockets=sockets,
        connect_seconds=connect_seconds,
        answers=len(streamed),
        complete=sum(each.whole for each in streamed),
        exact=sum(each.whole and each.text == usual for each in streamed),
        most_streaming=_most_at_once(streamed),
        first_token=_spread([each.first_token_at for each in streamed]),
        end=_spread([each.end_at for each in streamed]),
        events=events,
        events_per_second=events / max(each.end_at for each in streamed),
    )


def _most_at_once(streamed: Sequence[_Streamed]) -> int:
    return max(
        sum(other.first_event_at <= each.first_event_at < other.end_at for other in streamed) for each in streamed
    )


def _spread(seconds: Sequence[float]) -> tuple[float, float]:
    return sorted(seconds)[len(seconds) // 2], max(seconds)
