"""The routes a message can take, and the classifier's verdict."""

from dataclasses import dataclass
from enum import StrEnum


class Intent(StrEnum):
    SCRIPT_QUERY = "script_query"
    PROFILE_REQUEST = "profile_request"
    THEORY_REQUEST = "theory_request"
    GENERAL = "general"


@dataclass(frozen=True, slots=True)
class Classification:
    """Where a message goes.

    `confidence` is between 0 and 1: the share of the evidence that speaks for `intent`.
    `reason` is one phrase for a log or a trace; of the message it holds only the words of the cue.
    """

    intent: Intent
    confidence: float
    reason: str
