"""One short call of a small model over Bedrock's Converse, for a text that a search waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cicada.adapters.aws_errors import bedrock_errors
from cicada.adapters.bedrock.chat_model import ConverseModel, tokens_of, user_message
from cicada.adapters.retry import Retry
from cicada.errors import UnavailableError
from cicada.telemetry import count_tokens

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
