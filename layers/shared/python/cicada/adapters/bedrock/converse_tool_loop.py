"""The agents without Bedrock Agents: the same tools, through Converse's tool use."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from cicada.adapters.bedrock.chat_model import (
    USUAL,
    ConverseModel,
    Message,
    ModelChain,
    Patience,
    ReplyEnd,
    ToolUse,
    converse_reply,
    user_message,
)
from cicada.agents.model import AgentKind, AgentTurn, ToolSession
from cicada.agents.theories import ReasoningFilter
from cicada.agents.tools import AgentDescription, Toolbox
from cicada.dialogue import EARLIER, earlier_turns
from cicada.errors import DependencyError, StreamBrokenError, UnavailableError
from cicada.generation import ModelUsage
from cicada.observability.telemetry import count_tokens

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient

_MAX_ROUNDS = 6
_CALLS_PER_ROUND = 8
_LAST_ROUND = "No further tool call is possible. Answer now from what you have, and say what is missing."
_STOPPED = "I stopped here, because this took too many steps. Please ask for less at once."


class ConverseToolLoop:
    """Alternates model calls (at most six) and tool calls. The conversation before a turn comes with it."""

    def __init__(
        self,
        client: BedrockRuntimeClient,
        models: ModelChain[ConverseModel],
        toolboxes: Mapping[AgentKind, Toolbox],
        patience: Patience = USUAL,
    ) -> None:
        self._client = client
        self._models = models
        self._toolboxes = toolboxes
        self._patience = patience

    def reply(self, turn: AgentTurn) -> Iterator[str | ModelUsage]:
        talk = _Talk(self._toolboxes[turn.agent], turn)
        with _failures_of(talk):
            for rounds_left in range(_MAX_ROUNDS - 1, -1, -1):
                end = yield from self._round(talk)
                if not end.tool_uses:
                    break
                talk.run_tools(end, last=rounds_left == 1)
            else:
                yield talk.speak(_STOPPED)
            if end.stopped:
                # The tokens of all rounds are counted already.
                yield ModelUsage(0, 0, end.stopped)
            elif not talk.spoken:
                raise UnavailableError("The model ended without an answer; try again.")

    def _round(self, talk: _Talk) -> Generator[str, None, ReplyEnd]:
        """One model call: yields its text, returns its end. Retries until its first piece has arrived."""
        description = talk.toolbox.description
        talk.begin_round()

        def reply(model: ConverseModel) -> Generator[str | ReplyEnd]:
            request = model.request(description.instruction, talk.messages)
            return converse_reply(self._client, request | {"toolConfig": tool_config(description)}, self._patience)

        with closing(self._models.stream(reply)) as parts:
            for part in parts:
                shown = talk.show(part) if isinstance(part, str) else talk.show_rest()
                if shown:
                    yield talk.speak(shown)
                if isinstance(part, ReplyEnd):
                    count_tokens(part.input_tokens, part.output_tokens)
                    return part
        raise AssertionError("A reply always has an end.")


class _Talk:
    """The state of a turn: the messages so far, and whether any text was sent."""

    def __init__(self, toolbox: Toolbox, turn: AgentTurn) -> None:
        self.toolbox = toolbox
        self.turn = turn
        self.messages: list[Message] = [user_message(*_earlier(turn), {"text": turn.message})]
        self.spoken = False
        self._paragraph = False
        self._thinking = ReasoningFilter()

    def begin_round(self) -> None:
        self._thinking = ReasoningFilter()
        self._paragraph = self.spoken

    def show(self, piece: str) -> str:
        return self._thinking.feed(piece)

    def show_rest(self) -> str:
        return self._thinking.rest()

    def speak(self, text: str) -> str:
        """The text to send: each round's text begins a new paragraph."""
        gap = "\n\n" if self._paragraph else ""
        self._paragraph, self.spoken = False, True
        return gap + text

    def run_tools(self, end: ReplyEnd, last: bool) -> None:
        """Append the model's calls and their results to the messages."""
        self.messages.append({"role": "assistant", "content": [_block(each) for each in end.content]})
        results = [self._result(use, number) for number, use in enumerate(end.tool_uses, start=1)]
        self.messages.append(user_message(*results, *([{"text": _LAST_ROUND}] if last else [])))

    def _result(self, use: ToolUse, number: int) -> dict[str, Any]:
        if number > _CALLS_PER_ROUND:
            return _tool_result(use, f"Not done: more than {_CALLS_PER_ROUND} calls at once.", "error")
        if use.arguments is None:
            return _tool_result(use, "Not done: the arguments are not a JSON object.", "error")
        session = ToolSession(self.turn.principal, self.turn.knowledge_base, self.turn.writes, self.turn.evidence)
        return _tool_result(use, self.toolbox.call(session, use.name, use.arguments), "success")


def _earlier(turn: AgentTurn) -> Iterator[dict[str, Any]]:
    """The conversation before the message, in a block of its own and quoted.

    An answer may repeat what a document says, so it is not given back to the model as the model's own words.
    """
    said = earlier_turns(turn.earlier)
    if said:
        yield {"text": f"{EARLIER}\n\n{said}"}


@contextmanager
def _failures_of(talk: _Talk) -> Iterator[None]:
    """Translate failures of a round or a tool for the whole turn: `StreamBrokenError` only if text was sent."""
    try:
        yield
    except StreamBrokenError as error:
        if talk.spoken:
            raise
        raise UnavailableError("The model broke off before its answer; try again.") from error
    except DependencyError as error:
        if talk.spoken:
            raise StreamBrokenError("The answer broke off in the middle; it has to be generated again.") from error
        raise


def tool_config(description: AgentDescription) -> dict[str, Any]:
    """The agent's tools in Converse's form."""
    return {
        "tools": [
            {
                "toolSpec": {
                    "name": function.name,
                    "description": function.description,
                    "inputSchema": {
                        "json": {
                            "type": "object",
                            "properties": {
                                name: {"type": each.type, "description": each.description}
                                for name, each in function.parameters.items()
                            },
                            "required": [name for name, each in function.parameters.items() if each.required],
                        }
                    },
                }
            }
            for function in description.functions.values()
        ]
    }


def _block(block: str | ToolUse) -> dict[str, Any]:
    if isinstance(block, str):
        return {"text": block}
    return {"toolUse": {"toolUseId": block.tool_use_id, "name": block.name, "input": block.arguments or {}}}


def _tool_result(use: ToolUse, text: str, status: str) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": use.tool_use_id, "content": [{"text": text}], "status": status}}
