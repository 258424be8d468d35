"""Short calls of a model, and calls whose answer is the arguments of a tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from cicada.adapters.aws_errors import Retry, bedrock_errors
from cicada.adapters.bedrock.chat_model import ConverseModel, tokens_of, user_message
from cicada.errors import UnavailableError
from cicada.observability.telemetry import count_tokens

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient


_MAX_TOKENS = 256
# Few attempts: the search waits, and there is a way without the model.
ONCE_MORE = Retry(attempts=2, base_seconds=0.2)


class ShortCall:
    """Asks `model_id` at temperature 0 for at most 256 tokens."""

    def __init__(self, client: BedrockRuntimeClient, model_id: str, retry: Retry = ONCE_MORE) -> None:
        self._client = client
        self._model = ConverseModel(model_id, _MAX_TOKENS, temperature=0)
        self._retry = retry

    def reply(self, instruction: str, text: str) -> str:
        """The model's words, never empty. Failures are `DependencyError`s or a `ConfigurationError`."""
        request = self._model.request(instruction, [user_message({"text": text})])
        return self._retry.call(lambda: self._converse(request))

    def _converse(self, request: dict[str, object]) -> str:
        with bedrock_errors():
            reply = self._client.converse(**request)  # type: ignore[arg-type]
        count_tokens(*tokens_of(reply))
        try:
            content = reply["output"]["message"]["content"]
            text = " ".join(block["text"].strip() for block in content if "text" in block).strip()
        except (KeyError, TypeError) as error:
            raise UnavailableError("The query model's reply has an unknown form.") from error
        if not text:
            raise UnavailableError("The query model wrote nothing.")
        return text


class ForcedTool(Struct, frozen=True):
    """`schema`: the JSON Schema of its input."""

    name: str
    description: str
    schema: Mapping[str, Any]

    def config(self) -> dict[str, Any]:
        """The part of a request that has the model call the tool."""
        specification = {
            "name": self.name,
            "description": self.description,
            "inputSchema": {"json": dict(self.schema)},
        }
        return {"toolConfig": {"tools": [{"toolSpec": specification}], "toolChoice": {"tool": {"name": self.name}}}}


def tool_input(reply: Any) -> object:
    """The input of the tool's one call. `ValueError` for a reply that was cut off, or is anything else."""
    try:
        content = reply["output"]["message"]["content"]
        found = [block["toolUse"]["input"] for block in content if "toolUse" in block]
        whole = reply["stopReason"] in ("tool_use", "end_turn")
    except (KeyError, TypeError) as error:
        raise ValueError("has an unknown form") from error
    if not whole or len(found) != 1:
        raise ValueError("did not call its tool once, or was cut off")
    return found[0]
