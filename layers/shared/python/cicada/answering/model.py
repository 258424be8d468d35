"""Values of answering: the parts of an answer, in their order."""

from __future__ import annotations

from dataclasses import dataclass

from cicada.retrieval.model import RankedPassage


@dataclass(frozen=True, slots=True)
class Progress:
    """A step has begun: `planning`, `searching`, `ranking`, `answering` or `agent`."""

    stage: str
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Cited:
    """The passages that the answer is built from; the first is [1]."""

    passages: tuple[RankedPassage, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """The next piece of the answer."""

    content: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The answer is complete. `path` names the steps taken; `confidence` is 0 to 1, or None if it was not judged."""

    path: tuple[str, ...]
    confidence: float | None
    input_tokens: int = 0
    output_tokens: int = 0


AnswerPart = Progress | Cited | Text | Finished


@dataclass(frozen=True, slots=True)
class Prompt:
    """The request to a chat model."""

    system: str
    user: str


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """Tokens read and written by one model call; the last item of its stream."""

    input_tokens: int
    output_tokens: int
