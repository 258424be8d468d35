"""The chat model over Bedrock's ConverseStream."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from cicada.adapters.bedrock.converse_stream import ConverseModel, converse_reply, user_message
from cicada.adapters.bedrock.stream import retried_stream
from cicada.adapters.retry import STANDARD, Retry
from cicada.answering.model import ModelUsage, Prompt

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient


class BedrockChatModel:
    """Retries until the first piece has arrived. Turn the client's own retries off (`total_max_attempts=1`)."""

    def __init__(self, client: BedrockRuntimeClient, model: ConverseModel, retry: Retry = STANDARD) -> None:
        self._client = client
        self._model = model
        self._retry = retry

    def stream(self, prompt: Prompt) -> Iterator[str | ModelUsage]:
        request = self._model.request(prompt.system, [user_message({"text": prompt.user})])
        with closing(retried_stream(lambda: converse_reply(self._client, request), self._retry)) as parts:
            for part in parts:
                yield part if isinstance(part, str) else ModelUsage(part.input_tokens, part.output_tokens)
