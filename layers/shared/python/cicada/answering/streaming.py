"""A model's stream as parts of an answer."""

from __future__ import annotations

from collections.abc import Generator

from cicada.answering.model import AnswerPart, ModelUsage, Prompt, Text
from cicada.answering.ports import ChatModel
from cicada.telemetry import phase


def streamed(model: ChatModel, prompt: Prompt) -> Generator[AnswerPart, None, ModelUsage]:
    """The model's text as parts; the generator's return value is the usage."""
    usage = ModelUsage(0, 0)
    with phase("answering"):
        for piece in model.stream(prompt):
            if isinstance(piece, ModelUsage):
                usage = piece
            else:
                yield Text(piece)
    return usage
