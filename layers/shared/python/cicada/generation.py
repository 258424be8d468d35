"""How a model's text ended, and how many tokens it took."""

from __future__ import annotations

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


class ModelUsage(Struct, frozen=True):
    """Tokens read and written by one model call; the last item of its stream. `stopped`: why it ended early."""

    input_tokens: int
    output_tokens: int
    stopped: Stop | None = None
