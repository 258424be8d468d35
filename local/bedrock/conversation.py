"""A Converse request as values, validated like Bedrock, and the parts of a model's reply."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from threading import Event
from typing import Any, Protocol

from local.bedrock.tools import Tool
from local.bedrock.wire import invalid


@dataclass(frozen=True, slots=True)
class Text:
    text: str


@dataclass(frozen=True, slots=True)
class ToolUse:
    tool_use_id: str
    name: str
    input: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolResult:
    tool_use_id: str
    text: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of a reply. Token counts are absent when the upstream server sends none."""

    stop_reason: str = "end_turn"
    input_tokens: int | None = None
    output_tokens: int | None = None


Block = Text | ToolUse | ToolResult
Part = Text | ToolUse | Finish


@dataclass(frozen=True, slots=True)
class Message:
    role: str
    blocks: tuple[Block, ...]

    @property
    def text(self) -> str:
        return "\n".join(block.text for block in self.blocks if isinstance(block, Text))


@dataclass(frozen=True, slots=True)
class ConverseRequest:
    """`forced_tool` is the tool of toolChoice.tool; `must_use_tool` is toolChoice.any. `guardrail`: its id, or empty.

    `abandoned` is set once nobody waits for the reply any more.
    """

    model_id: str
    system: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...]
    forced_tool: Tool | None = None
    must_use_tool: bool = False
    max_tokens: int | None = None
    temperature: float | None = None
    guardrail: str = ""
    abandoned: Event = field(default_factory=Event, compare=False, repr=False)


class Model(Protocol):
    """Replies to a conversation in parts; Text parts are deltas, the last part is a Finish. Raises WireError."""

    def reply(self, request: ConverseRequest) -> Iterator[Part]: ...


def parse(model_id: str, body: Mapping[str, Any]) -> ConverseRequest:
    """Raises WireError (ValidationException) where Bedrock does."""
    messages = tuple(_message(index, message) for index, message in enumerate(body.get("messages") or ()))
    _check_turns(messages)
    config = body.get("toolConfig") or {}
    tools = tuple(Tool.from_spec(tool["toolSpec"]) for tool in config.get("tools", ()) if "toolSpec" in tool)
    if not tools and any(not isinstance(block, Text) for message in messages for block in message.blocks):
        raise invalid("The toolConfig field must be defined when using toolUse and toolResult content blocks.")
    choice = config.get("toolChoice") or {}
    inference = body.get("inferenceConfig") or {}
    return ConverseRequest(
        model_id=model_id,
        system="\n".join(block["text"] for block in body.get("system", ()) if "text" in block),
        messages=messages,
        tools=tools,
        forced_tool=_forced(choice["tool"]["name"], tools) if "tool" in choice else None,
        must_use_tool="any" in choice,
        max_tokens=inference.get("maxTokens"),
        temperature=inference.get("temperature"),
        guardrail=(body.get("guardrailConfig") or {}).get("guardrailIdentifier", ""),
    )


def _forced(name: str, tools: Sequence[Tool]) -> Tool:
    for tool in tools:
        if tool.name == name:
            return tool
    raise invalid(f"The toolChoice names {name}, which is not in toolConfig.tools.")


def _message(index: int, message: Mapping[str, Any]) -> Message:
    role, content = message.get("role"), message.get("content")
    if role not in ("user", "assistant") or not content:
        raise invalid(f"The message at messages.{index} needs a role (user or assistant) and a content list.")
    blocks = (_block(f"messages.{index}.content.{inner}", block) for inner, block in enumerate(content))
    return Message(role, tuple(block for block in blocks if block))


def _block(path: str, block: Mapping[str, Any]) -> Block | None:
    match block:
        case {"text": str(text)}:
            if not text.strip():
                raise invalid(f"The text field in the ContentBlock object at {path} is blank.")
            return Text(text)
        case {"toolUse": {"toolUseId": str(use), "name": str(name), "input": dict(given)}}:
            return ToolUse(use, name, given)
        case {"toolResult": {"toolUseId": str(use), "content": list(content), **rest}}:
            return ToolResult(use, "\n".join(map(_result_text, content)), rest.get("status") == "error")
        case {"cachePoint": _}:
            return None
    raise invalid(f"The stand-in does not understand the ContentBlock at {path}.")


def _result_text(content: Mapping[str, Any]) -> str:
    return str(content["text"]) if "text" in content else json.dumps(content.get("json"))


def _check_turns(messages: Sequence[Message]) -> None:
    if not messages or messages[0].role != "user":
        raise invalid("A conversation must start with a user message.")
    if any(before.role == after.role for before, after in pairwise(messages)):
        raise invalid("A conversation must alternate between user and assistant roles.")
    if messages[-1].role != "user":
        raise invalid("A conversation must end with a user message.")
    for before, after in pairwise(messages):
        asked = {block.tool_use_id for block in before.blocks if isinstance(block, ToolUse)}
        given = {block.tool_use_id for block in after.blocks if isinstance(block, ToolResult)}
        if asked != given:
            raise invalid(
                "The toolResult blocks of a turn must answer the toolUse blocks of the turn before, one each."
            )
