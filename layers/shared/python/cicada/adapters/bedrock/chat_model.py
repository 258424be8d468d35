"""The chat models over Bedrock's ConverseStream: builds requests and assembles replies from events."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from botocore.compat import set_socket_timeout
from msgspec import Struct, field

from cicada.adapters.aws_errors import STANDARD, IncompleteStreamError, Retry, begun, continued
from cicada.answering.parts import Prompt
from cicada.circuit_breaker import CircuitBreaker
from cicada.deadline import seconds_left
from cicada.errors import (
    CicadaError,
    ConfigurationError,
    DependencyError,
    OpenCircuitError,
    OutOfTimeError,
    SilentModelError,
    StreamBrokenError,
)
from cicada.generation import AFTER_SILENCE, ModelUsage, Stop, step_of_model
from cicada.observability.telemetry import ignore, note_step

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient


Model = TypeVar("Model")
T = TypeVar("T")
_AFTER_FAILURE, _SKIPPED = "after_failure", "skipped_open_circuit"


class ModelChain(Generic[Model]):
    """Asks each of `models` until one has begun to write. A single one is asked again, once, if it was silent.

    `retry`: of one model's calls that were refused or broke off before their first piece. The answer's path says which
    model was asked after which, as `model:2:after_silence`; every failure that another call follows goes to `report`.
    All models but the last have a circuit breaker.
    """

    def __init__(
        self, models: Sequence[Model], retry: Retry = STANDARD, report: Callable[[CicadaError], object] = ignore
    ) -> None:
        self._models = [(model, CircuitBreaker(time.monotonic, "chat model")) for model in models]
        self._retry = retry
        self._report = report

    def stream(self, start: Callable[[Model], Generator[T]]) -> Generator[T]:
        """The items of `start(model)`. Closing this closes the stream. Raises what `bedrock_errors` raises.

        Without a first item from any model, the failure of the last one is raised. A stream that breaks off later is a
        failure of its model too, so that one which does it again and again is left out for a while.
        """
        *others, (last, _) = self._models
        why = ""
        for number, (model, breaker) in enumerate(others, 1):
            try:
                with breaker.guarding():
                    yield from continued(partial(self._asked, model, number, why, start))
                    return
            except (OutOfTimeError, StreamBrokenError):
                raise
            except (DependencyError, ConfigurationError) as error:
                why = self._why(error)
        yield from continued(partial(self._asked_last, last, why, start))

    def _asked_last(self, model: Model, why: str, start: Callable[[Model], Generator[T]]) -> tuple[T, Generator[T]]:
        try:
            return self._asked(model, len(self._models), why, start)
        except SilentModelError as error:
            if len(self._models) > 1:
                raise
            return self._asked(model, 1, self._why(error), start)

    def _asked(
        self, model: Model, number: int, why: str, start: Callable[[Model], Generator[T]]
    ) -> tuple[T, Generator[T]]:
        if why:
            note_step(step_of_model(number, why))
        return self._retry.call(lambda: begun(lambda: start(model)))

    def _why(self, error: CicadaError) -> str:
        """Why another call is made, as the path says it."""
        if isinstance(error, OpenCircuitError):
            return _SKIPPED
        self._report(error)
        return AFTER_SILENCE if isinstance(error, SilentModelError) else _AFTER_FAILURE


Message = dict[str, Any]

# For bytes that have arrived: a timeout of 0 would not block at all.
_SHORTEST_WAIT_SECONDS = 0.01
# Stop reasons of Converse that are no normal end.
_STOPS = {
    "max_tokens": Stop.CUT,
    "model_context_window_exceeded": Stop.CUT,
    "content_filtered": Stop.FILTERED,
    "guardrail_intervened": Stop.REFUSED,
    "malformed_model_output": Stop.MALFORMED,
    "malformed_tool_use": Stop.MALFORMED,
}


class ConverseModel(Struct, frozen=True):
    """A model and its limits. `topP` is left out: some models take either it or the temperature.

    `guardrail`: that of the streamed calls, as ID:VERSION, empty for none. It reads each piece before it is sent on.
    https://docs.aws.amazon.com/bedrock/latest/userguide/guardrails-streaming.html
    """

    model_id: str
    max_tokens: int
    temperature: float
    guardrail: str = ""

    def request(self, system: str, messages: Sequence[Message]) -> dict[str, Any]:
        """Arguments of `converse_stream`."""
        inference = {"maxTokens": self.max_tokens, "temperature": self.temperature}
        instructions = {"system": [{"text": system}]} if system else {}
        request = {"modelId": self.model_id, "messages": list(messages), "inferenceConfig": inference, **instructions}
        return request | self._guarded()

    def _guarded(self) -> dict[str, Any]:
        if not self.guardrail:
            return {}
        id, _, version = self.guardrail.partition(":")
        named = {"guardrailIdentifier": id, "guardrailVersion": version}
        return {"guardrailConfig": {**named, "streamProcessingMode": "sync"}}


class Patience(Struct, frozen=True):
    """How long a model may be silent: until its first text or tool call, and between one piece and the next."""

    first_text_seconds: float = 12
    next_text_seconds: float = 20


USUAL = Patience()


class BedrockChatModel:
    """The first of the models that begins to write.

    The client's own retries must be off (`total_max_attempts=1`), and its read timeout that of the first text.
    """

    def __init__(
        self, client: BedrockRuntimeClient, models: ModelChain[ConverseModel], patience: Patience = USUAL
    ) -> None:
        self._client = client
        self._models = models
        self._patience = patience

    def stream(self, prompt: Prompt) -> Generator[str | ModelUsage]:
        message = user_message({"text": prompt.user})

        def reply(model: ConverseModel) -> Generator[str | ReplyEnd]:
            return converse_reply(self._client, model.request(prompt.system, [message]), self._patience)

        with closing(self._models.stream(reply)) as parts:
            for part in parts:
                yield part if isinstance(part, str) else _usage(part)


class ToolUse(Struct, frozen=True):
    """A tool call of the model. `arguments` is None if the model did not write a JSON object."""

    tool_use_id: str
    name: str
    arguments: Mapping[str, object] | None


class ReplyEnd(Struct, frozen=True):
    """The last item of a reply: all its blocks in order, the stop reason, and its token counts."""

    content: tuple[str | ToolUse, ...]
    stop_reason: str
    input_tokens: int
    output_tokens: int

    @property
    def tool_uses(self) -> tuple[ToolUse, ...]:
        """The tool calls to run; none if the reply was cut off."""
        if self.stop_reason != "tool_use":
            return ()
        return tuple(block for block in self.content if isinstance(block, ToolUse))

    @property
    def stopped(self) -> Stop | None:
        """Why the reply ended early, if it did."""
        return _STOPS.get(self.stop_reason)


def _usage(end: ReplyEnd) -> ModelUsage:
    return ModelUsage(end.input_tokens, end.output_tokens, end.stopped)


def user_message(*content: Mapping[str, Any]) -> Message:
    return {"role": "user", "content": list(content)}


def tokens_of(reply: object) -> tuple[int, int]:
    """Tokens read and written, as a reply of `converse` or the last event of its stream says; 0 if it does not."""
    usage = reply.get("usage") if isinstance(reply, Mapping) else None
    counts = usage if isinstance(usage, Mapping) else {}
    return counts.get("inputTokens", 0), counts.get("outputTokens", 0)


def converse_reply(
    client: BedrockRuntimeClient, request: Mapping[str, Any], patience: Patience
) -> Generator[str | ReplyEnd]:
    """Pieces of text as they arrive, then the end. Raises what boto3 raises, and `IncompleteStreamError`."""
    due = time.monotonic() + patience.first_text_seconds
    events = client.converse_stream(**request)["stream"]
    with closing(events):
        reply = _Reply()
        _expect_by(due, events)
        for event in events:
            text = reply.take(event)
            if text:
                yield text
            if _is_written(event):
                due = time.monotonic() + patience.next_text_seconds
            _expect_by(due, events)
        yield reply.end()


def _is_written(event: Mapping[str, Any]) -> bool:
    """Whether the event is a piece of text or of a tool call. What a model thinks is none."""
    delta = event.get("contentBlockDelta", {}).get("delta", {})
    return "contentBlockStart" in event or "text" in delta or "toolUse" in delta


def _expect_by(due: float, events: Any) -> None:
    """Have the next bytes of the stream arrive by then, as `time.monotonic` tells it, or within the answer's time.

    A client has one timeout for the headers and for every read. botocore changes it for bodies alone: where a version
    hides the socket of a stream, the client's stays.
    """
    seconds = min(due - time.monotonic(), seconds_left())
    with suppress(AttributeError):
        set_socket_timeout(events._raw_stream, max(seconds, _SHORTEST_WAIT_SECONDS))


class _Reply(Struct):
    """A partly received reply. Blocks are identified by their index."""

    blocks: dict[int, list[str]] = field(default_factory=dict)
    tools: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    stop_reason: str = ""
    usage: Mapping[str, int] = field(default_factory=dict)

    def take(self, event: Mapping[str, Any]) -> str:
        """Add the event; returns its text, or an empty string."""
        if "contentBlockStart" in event:
            start = event["contentBlockStart"]
            if "toolUse" in start["start"]:
                self.tools[start["contentBlockIndex"]] = start["start"]["toolUse"]
                self.blocks[start["contentBlockIndex"]] = []
        elif "contentBlockDelta" in event:
            return self._delta(event["contentBlockDelta"])
        elif "messageStop" in event:
            self.stop_reason = event["messageStop"]["stopReason"]
        elif "metadata" in event:
            self.usage = event["metadata"].get("usage", {})
        return ""

    def _delta(self, delta: Mapping[str, Any]) -> str:
        parts = self.blocks.setdefault(delta["contentBlockIndex"], [])
        text: str = delta["delta"].get("text", "")
        parts.append(text or delta["delta"].get("toolUse", {}).get("input", ""))
        return text

    def end(self) -> ReplyEnd:
        if not self.stop_reason:
            raise IncompleteStreamError("The reply has no end.")
        content = (self._block(index) for index in sorted(self.blocks))
        return ReplyEnd(
            tuple(block for block in content if block),
            self.stop_reason,
            self.usage.get("inputTokens", 0),
            self.usage.get("outputTokens", 0),
        )

    def _block(self, index: int) -> str | ToolUse:
        text = "".join(self.blocks[index])
        if index not in self.tools:
            return text if text.strip() else ""
        tool = self.tools[index]
        return ToolUse(tool["toolUseId"], tool["name"], _json_object(text))


def _json_object(text: str) -> Mapping[str, object] | None:
    """The object, or None for anything else. Empty text is an empty object: a tool without parameters gets none."""
    try:
        value = json.loads(text or "{}")
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
