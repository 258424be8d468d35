"""Text on its way from the model to the user, and what the user is told when it ended before it was whole."""

from __future__ import annotations

import re
import threading
import time
from collections import Counter
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from contextvars import copy_context
from types import TracebackType
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from cicada.answering.parts import AnswerPart, Cited, Finished, Progress, Text
from cicada.deadline import check_time
from cicada.generation import ModelUsage, Stop
from cicada.grounding.sentences import Sentence, sentences_of
from cicada.observability.telemetry import Phase, phase, reporting_progress_to

STOP_SENTENCES = {
    Stop.CUT: "(The answer was cut off at the model's length limit; ask for the rest.)",
    Stop.FILTERED: "(The model's content filter stopped the answer; put the question differently.)",
    Stop.REFUSED: "(A guardrail stopped the answer; put the question differently.)",
    Stop.MALFORMED: "(The model's output was malformed and ends here; ask again.)",
    Stop.REPEATING: "(The model began to repeat itself and was stopped; ask again, or for less at once.)",
}
_SHORTEST_WORDS = 6
_TOO_OFTEN = 3
# Characters that are kept of a sentence that does not end.
_LONGEST = 2000
# And of marks without any word.
_LONGEST_MARKS = 50
_WORD = re.compile(r"\w+")


class Repetition:
    """Notices a sentence of at least six words that is written for the third time, in a text that arrives in pieces.

    Case, marks and bullets make no difference. The same words of another passage, as their citation says, do.
    """

    def __init__(self) -> None:
        self._open = ""
        self._written = Counter[tuple[object, ...]]()

    def found(self, piece: str) -> bool:
        """Add the next piece. A sentence is whole when the next one has begun, because citations may follow it."""
        self._open = (self._open + piece)[-_LONGEST:]
        sentences = list(sentences_of(self._open))
        self._open = self._open[sentences[-1].start :] if sentences else self._open[-_LONGEST_MARKS:]
        return any(self._is_too_often(each) for each in sentences[:-1])

    def _is_too_often(self, sentence: Sentence) -> bool:
        words = _WORD.findall(sentence.text.casefold())
        if len(words) < _SHORTEST_WORDS:
            return False
        key = (*words, sentence.cited)
        self._written[key] += 1
        return self._written[key] >= _TOO_OFTEN


class Written(Struct, frozen=True):
    """How a model's text ended. `is_answer`: whether there is one; what a guardrail says in its place is none."""

    usage: ModelUsage
    is_answer: bool

    def finish(self, end: Finished) -> Finished:
        """The end of the answer, with this. The evidence says nothing of an answer that there is not."""
        return replace(
            end,
            confidence=end.confidence if self.is_answer else None,
            input_tokens=self.usage.input_tokens,
            output_tokens=self.usage.output_tokens,
            stopped=self.usage.stopped,
        )


def streamed(
    pieces: Generator[str | ModelUsage | Cited], doing: Phase = "answering"
) -> Generator[AnswerPart, None, Written]:
    """A model's text as parts, with a sentence behind it if it ended early; sources between its pieces stay there.

    A model that repeats itself is stopped. Its tokens are unknown then: they come with the end of the stream.
    """
    usage, repetition, has_text = ModelUsage(0, 0), Repetition(), False
    with phase(doing), closing(pieces):
        for piece in pieces:
            if isinstance(piece, ModelUsage):
                usage = piece
                continue
            if isinstance(piece, Cited):
                yield piece
                continue
            yield Text(piece)
            has_text = has_text or bool(piece.strip())
            if repetition.found(piece):
                usage = ModelUsage(0, 0, Stop.REPEATING)
                break
    if usage.stopped:
        yield Text(("\n\n" if has_text else "") + STOP_SENTENCES[usage.stopped])
    return Written(usage, has_text and usage.stopped is not Stop.REFUSED)


class Pace(Struct, frozen=True):
    """How long text waits for more text: a tenth of the time since the answer's first text, within these bounds."""

    least_seconds: float = 0.0
    most_seconds: float = 0.0

    def wait(self, talking_seconds: float) -> float:
        """Seconds between two hand-outs of text."""
        return max(self.least_seconds, min(self.most_seconds, talking_seconds / 10))


_UNPACED = Pace()
STEADY = Pace(0.25, 1)
"""The pace of answers: docs/delivery.md says why."""


class Pump:
    """Pulls parts from an answer and buffers them until they are taken.

    Progress that a search reports meanwhile becomes a part too, in order.

    The first text and all other parts are handed out at once. Later text is handed out at a pace: each hand-out costs
    two writes and a frame, and users do not read faster.
    At most `capacity` parts are buffered: a slow consumer slows the model's stream down instead of filling the memory.
    The answer has the deadline of the context in which it was started; after it, `take` raises `OutOfTimeError`.
    Leaving the context stops the answer: its iterator is closed as soon as its current step ends.
    """

    def __init__(self, parts: Generator[AnswerPart], pace: Pace = _UNPACED, capacity: int = 1024) -> None:
        self._parts = parts
        self._pace = pace
        self._first_text_at: float | None = None
        self._next_text_at = 0.0
        self._capacity = capacity
        self._waiting: list[AnswerPart] = []
        self._changed = threading.Condition()
        self._stopped = False
        self._ended = False
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="answer")
        self._outcome: Future[None]

    def __enter__(self) -> Self:
        self._outcome = self._executor.submit(copy_context().run, self._run)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
        self._executor.shutdown(wait=False)

    def take(self, timeout_seconds: float) -> list[AnswerPart]:
        """All parts since the last call; waits for one if there is none.

        Empty after `timeout_seconds` without any. After the last part, raises what the answer raised; do not call it
        again after an answer that ended without an error.
        """
        deadline = time.monotonic() + timeout_seconds
        with self._changed:
            while (patience := self._patience(deadline)) > 0:
                self._changed.wait(patience)
            taken, self._waiting = self._waiting, []
            self._changed.notify_all()
        if any(isinstance(part, Text) for part in taken):
            now = time.monotonic()
            self._first_text_at = self._first_text_at or now
            self._next_text_at = now + self._pace.wait(now - self._first_text_at)
        if not taken and self._ended:
            self._outcome.result()
            raise RuntimeError("The answer ended without its last part.")
        return taken

    def _patience(self, deadline: float) -> float:
        """Seconds until buffered parts must be handed out; 0 or less for now."""
        if self._ended or any(not isinstance(part, Text) for part in self._waiting):
            return 0
        until = min(deadline, self._next_text_at) if self._waiting else deadline
        return until - time.monotonic()

    def _run(self) -> None:
        try:
            with reporting_progress_to(self._step), closing(self._parts):
                for part in self._parts:
                    check_time()
                    if not self._offer(part):
                        return
        finally:
            with self._changed:
                self._ended = True
                self._changed.notify_all()

    def _step(self, stage: str, detail: str | None) -> None:
        """Offer a progress report as a part."""
        self._offer(Progress(stage, detail))

    def _offer(self, part: AnswerPart) -> bool:
        """False once the consumer has stopped."""
        with self._changed:
            self._changed.wait_for(lambda: self._stopped or len(self._waiting) < self._capacity)
            self._waiting.append(part)
            self._changed.notify_all()
            return not self._stopped
