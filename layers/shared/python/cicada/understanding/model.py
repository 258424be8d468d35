"""The intents of messages, and the classifier's result."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Intent(StrEnum):
    SCRIPT_QUERY = "script_query"
    PROFILE_REQUEST = "profile_request"
    THEORY_REQUEST = "theory_request"
    GENERAL = "general"


class Classification(Struct, frozen=True):
    """The intent of a message.

    `confidence` is between 0 and 1: the share of the evidence for `intent`.
    `reason` is one phrase for a log or a trace; it quotes only the cue words of the message.
    `seems`: what the message is likeliest for by its words, where the base searches for all that is not sure.
    """

    intent: Intent
    confidence: float
    reason: str
    seems: Classification | None = None
