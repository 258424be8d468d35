"""Plans by one call of Converse whose answer is the input of a forced tool.

The tool and the system text are the same for all messages to a base, so they end in a cache point.
https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cicada.adapters.aws_errors import bedrock_errors
from cicada.adapters.bedrock.chat_model import ConverseModel, tokens_of, user_message
from cicada.adapters.bedrock.forced_tool import forced_tool, tool_input
from cicada.errors import PlanRefusedError
from cicada.observability.telemetry import count_tokens
from cicada.understanding.by_model.prompt import TOOL, TOOL_DESCRIPTION, PlanPrompt, PlanPrompts, message_text
from cicada.understanding.plan import Plan, PlanRequest

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient

_MAX_TOKENS = 1024


class BedrockPlanModel:
    """Asks `model_id` once, at temperature 0 and for at most 1,024 tokens, and does not retry."""

    def __init__(self, client: BedrockRuntimeClient, model_id: str, prompts: PlanPrompts) -> None:
        self._client = client
        self._model = ConverseModel(model_id, _MAX_TOKENS, temperature=0)
        self._prompts = prompts

    def plan(self, request: PlanRequest) -> Plan:
        """Raises `ThrottledError`, `UnavailableError`, `ConfigurationError` or `PlanRefusedError`."""
        prompt = self._prompts.of(request)
        call = self._request(prompt, message_text(request))
        with bedrock_errors():
            reply = self._client.converse(**call)
        count_tokens(*tokens_of(reply))
        try:
            written = tool_input(reply)
        except ValueError as error:
            raise PlanRefusedError(f"The planning model's reply {error}.", "unreadable") from error
        return prompt.form.read(written, request.asker)

    def _request(self, prompt: PlanPrompt, message: str) -> dict[str, Any]:
        return self._model.request("", [user_message({"text": message})]) | {
            "system": [{"text": prompt.system}, {"cachePoint": {"type": "default"}}],
            **forced_tool(TOOL, TOOL_DESCRIPTION, prompt.tool_schema),
        }
