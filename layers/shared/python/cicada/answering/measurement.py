"""Measures one answer: its times, its tokens, and the record that is kept of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from msgspec.structs import replace

from cicada.answering.model import AnswerPart, Finished, Text
from cicada.conversation.model import AnswerRecord
from cicada.telemetry import Telemetry, recording


class Measurement:
    """Begins with the answer. `clock` gives seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._start = clock()
        self._first_text: float | None = None
        self._telemetry = Telemetry(clock)

    def recording(self) -> AbstractContextManager[None]:
        """Inside, in this context, the answer's phases, searches and tokens are recorded."""
        return recording(self._telemetry)

    def note(self, parts: list[AnswerPart]) -> None:
        """Call with each batch of parts after it was sent."""
        if self._first_text is None and any(isinstance(part, Text) for part in parts):
            self._first_text = self._clock()

    def counted(self, finished: Finished) -> Finished:
        """With the tokens of all model calls."""
        read, written = self._telemetry.tokens
        return replace(
            finished, input_tokens=finished.input_tokens + read, output_tokens=finished.output_tokens + written
        )

    def record(self, finished: Finished) -> AnswerRecord:
        """Of an answer that is whole; `finished` is `counted`."""
        plan = finished.plan
        return AnswerRecord(
            path=finished.path,
            scores=self._scores(),
            confidence=finished.confidence,
            timings=self._milliseconds(),
            intent=plan.intent.value if plan else "",
            knowledge_base=plan.knowledge_base if plan else "",
            strategy=plan.shape.value if plan else "",
            input_tokens=finished.input_tokens,
            output_tokens=finished.output_tokens,
            listing=finished.listing,
            refused_calls=self._telemetry.refused_calls,
        )

    def failed(self, code: str) -> AnswerRecord:
        """Of an answer that ended in an error with this code."""
        read, written = self._telemetry.tokens
        return AnswerRecord(
            scores=self._scores(),
            timings=self._milliseconds(),
            input_tokens=read,
            output_tokens=written,
            code=code,
            refused_calls=self._telemetry.refused_calls,
        )

    def _scores(self) -> tuple[float | None, ...]:
        return tuple(None if each is None else round(each, 4) for each in self._telemetry.scores)

    def _milliseconds(self) -> dict[str, int]:
        """Of each phase, to the first text, and to the end."""
        marks = {"total": self._clock()}
        if self._first_text is not None:
            marks["firstToken"] = self._first_text
        times = {name: round((moment - self._start) * 1000) for name, moment in marks.items()}
        return self._telemetry.milliseconds | times
