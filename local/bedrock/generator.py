"""The stand-in's own model: quotes passages, and calls the tools that a message asks for. Deterministic."""

import hashlib
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from local.bedrock import extractive
from local.bedrock.agent_heads.earlier import Turn, turns_of
from local.bedrock.conversation import ConverseRequest, Finish, Message, Part, Text, ToolResult, ToolUse
from local.bedrock.embedder import Embedder
from local.bedrock.forced_input import fill, forced_input
from local.bedrock.prompt import parse
from local.bedrock.toolchoice import Call, Done, next_step
from local.bedrock.tools import Tool


class ExtractiveModel:
    """The Model that needs no model server."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def reply(self, request: ConverseRequest) -> Iterator[Part]:
        last = request.messages[-1]
        if request.forced_tool:
            yield from _tool_use(request, request.forced_tool, forced_input(request.forced_tool, last.text))
        elif request.tools:
            yield from self._with_tools(request)
        elif asks_for_query(request.system):
            yield from _limited(last.text, request.max_tokens)
        else:
            yield from _limited(extractive.answer(parse(last.text), self._embedder), request.max_tokens)

    def _with_tools(self, request: ConverseRequest) -> Iterator[Part]:
        message, before, done = _turn(request.messages)
        step = next_step(request.tools, message, before, done, self._embedder)
        if isinstance(step, Call):
            yield from _tool_use(request, step.tool, step.arguments)
        elif request.must_use_tool and not done:
            tool = request.tools[0]
            yield from _tool_use(request, tool, fill(tool.schema, message))
        else:
            yield from _limited(step.text, request.max_tokens)


def asks_for_query(instruction: str) -> bool:
    """Whether the prompt asks for the text in other words, which this model does not know: it returns it unchanged."""
    return instruction.lstrip().lower().startswith(("translate ", "rewrite "))


def _turn(messages: tuple[Message, ...]) -> tuple[str, tuple[Turn, ...], list[Done]]:
    """The user's last message, the turns before it, and the tool calls since.

    The turns are messages of the conversation, or quoted in a text before the last message.
    """
    said = max(index for index, message in enumerate(messages) if message.role == "user" and _texts(message)[-1:])
    *quoted, text = _texts(messages[said])
    whole = [
        Turn(asked.text, answer.text)
        for asked, answer in pairwise(messages[:said])
        if asked.role == "user" and asked.text
    ]
    before = (*whole, *turns_of("\n".join(quoted)))
    uses = [block for message in messages[said:] for block in message.blocks if isinstance(block, ToolUse)]
    results = {
        block.tool_use_id: block for message in messages for block in message.blocks if isinstance(block, ToolResult)
    }
    return (
        text,
        before,
        [
            Done(use.name, {name: str(value) for name, value in use.input.items()}, found.text, found.failed)
            for use in uses
            if (found := results.get(use.tool_use_id))
        ],
    )


def _texts(message: Message) -> list[str]:
    return [block.text for block in message.blocks if isinstance(block, Text)]


def _tool_use(request: ConverseRequest, tool: Tool, given: Mapping[str, Any]) -> Iterator[Part]:
    digest = hashlib.sha256(f"{len(request.messages)} {tool.name} {sorted(given.items())}".encode()).hexdigest()
    yield ToolUse(f"tooluse_{digest[:22]}", tool.name, given)
    yield Finish("tool_use")


def _limited(text: str, max_tokens: int | None) -> Iterator[Part]:
    """One delta a word, with the white space before it."""
    deltas = re.findall(r"\s*\S+", text)
    for delta in deltas[:max_tokens]:
        yield Text(delta)
    yield Finish("max_tokens" if max_tokens is not None and len(deltas) > max_tokens else "end_turn")
