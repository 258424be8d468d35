"""How a model's text ended, and how many tokens it took."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct


class Stop(StrEnum):
    """Why a model's text ended before it was whole.

    It reached a limit of length, a content filter took it away, a guardrail refused, the model wrote what Bedrock
    cannot read, or it repeated itself.
    """

    CUT = "cut"
    FILTERED = "filtered"
    REFUSED = "refused"
    MALFORMED = "malformed"
    REPEATING = "repeating"


AFTER_SILENCE = "after_silence"
"""The end of a step that says that a model was asked because one before it wrote nothing in time."""
_STEP = "model"


def step_of_model(number: int, why: str) -> str:
    """The step in an answer's path that says that this model of a list, counted from 1, was asked, and why."""
    return f"{_STEP}:{number}:{why}"


def model_of(path: Sequence[str], models: Sequence[str]) -> str:
    """The model of a list that wrote the answer with this path: the last one asked, the first if no other was."""
    numbers = [int(step.split(":")[1]) for step in path if step.startswith(f"{_STEP}:")]
    return models[min([1, *numbers][-1], len(models)) - 1]


class ModelUsage(Struct, frozen=True):
    """Tokens read and written by one model call; the last item of its stream. `stopped`: why it ended early."""

    input_tokens: int
    output_tokens: int
    stopped: Stop | None = None
