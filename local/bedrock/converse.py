"""Converse and ConverseStream: a model's parts in Bedrock's two forms."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from local.bedrock.conversation import ConverseRequest, Finish, Part, Text, ToolUse
from local.bedrock.wire import Event
from local.bedrock.words import count_tokens

Clock = Callable[[], float]
INPUT_PIECE = 16  # characters of a tool's input in one delta


def whole(request: ConverseRequest, parts: Iterator[Part], clock: Clock = time.monotonic) -> dict[str, Any]:
    """The body of a Converse reply."""
    start, content, text, finish = clock(), list[dict[str, Any]](), "", Finish()
    for part in parts:
        match part:
            case Text():
                text += part.text
            case ToolUse():
                content.append({"toolUse": _tool_use(part) | {"input": part.input}})
            case Finish():
                finish = part
    blocks = ([{"text": text}] if text else []) + content
    return {
        "output": {"message": {"role": "assistant", "content": blocks}},
        "stopReason": finish.stop_reason,
        **_measured(request, json.dumps(blocks), finish, clock() - start),
    }


def events(request: ConverseRequest, parts: Iterator[Part], clock: Clock = time.monotonic) -> Iterator[Event]:
    """The events of a ConverseStream reply. The first part is awaited before the first event."""
    start, said, index, open_text, finish = clock(), "", 0, False, Finish()
    waiting = next(parts, finish)
    yield Event("messageStart", {"role": "assistant"})
    for part in _after(waiting, parts):
        match part:
            case Text():
                open_text, said = True, said + part.text
                yield _delta(index, {"text": part.text})
            case ToolUse():
                if open_text:
                    yield Event("contentBlockStop", {"contentBlockIndex": index})
                    index, open_text = index + 1, False
                yield from _tool_events(index, part)
                index, said = index + 1, said + json.dumps(dict(part.input))
            case Finish():
                finish = part
    if open_text:
        yield Event("contentBlockStop", {"contentBlockIndex": index})
    yield Event("messageStop", {"stopReason": finish.stop_reason})
    yield Event("metadata", _measured(request, said, finish, clock() - start))


def _after(first: Part, rest: Iterator[Part]) -> Iterator[Part]:
    yield first
    yield from rest


def _tool_events(index: int, use: ToolUse) -> Iterator[Event]:
    text = json.dumps(dict(use.input))
    yield Event("contentBlockStart", {"start": {"toolUse": _tool_use(use)}, "contentBlockIndex": index})
    for first in range(0, len(text), INPUT_PIECE):
        yield _delta(index, {"toolUse": {"input": text[first : first + INPUT_PIECE]}})
    yield Event("contentBlockStop", {"contentBlockIndex": index})


def _tool_use(use: ToolUse) -> dict[str, Any]:
    return {"toolUseId": use.tool_use_id, "name": use.name}


def _delta(index: int, delta: Mapping[str, Any]) -> Event:
    return Event("contentBlockDelta", {"delta": delta, "contentBlockIndex": index}, is_delta=True)


def _measured(request: ConverseRequest, said: str, finish: Finish, seconds: float) -> dict[str, Any]:
    asked = request.system + "".join(repr(message.blocks) for message in request.messages)
    given = count_tokens(asked) if finish.input_tokens is None else finish.input_tokens
    made = count_tokens(said) if finish.output_tokens is None else finish.output_tokens
    usage = {"inputTokens": given, "outputTokens": made, "totalTokens": given + made}
    return {"usage": usage, "metrics": {"latencyMs": round(seconds * 1000)}}
