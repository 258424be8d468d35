"""What to send for one request, and when: without any I/O, the time is an argument.

The rules: a new connection gets the question again until the server is known to have it, and `resume` from then on;
so does a connection on which the next event is missing or nothing comes. `resume` of an answer whose processor has
died is also what makes the server start another one; while the old one's lease lives, its reply says when to ask again.
"""

from __future__ import annotations

import math
from typing import Any

from cicada_client.assembly import Assembly
from cicada_client.errors import Refused
from cicada_client.events import Frame
from cicada_client.timing import Timing

Command = dict[str, Any]

# Refusals of a question for a failure on the server's side: waits of 1, 2, 4 and 8 s, and the fifth is final.
_REFUSALS_LIMIT = 4


class Exchange:
    """One request. `question` is its `sendMessage` command; None to follow a request that was sent before."""

    def __init__(
        self, request_id: str, question: Command | None, timing: Timing, now: float, *, after_seq: int = 0
    ) -> None:
        self.assembly = Assembly(request_id, after_seq)
        self._question = question
        self._timing = timing
        self._since = now  # the last sign of life, or the last time the server was asked for one
        self._news_at = now
        self._repeats = 0
        self._refusals = 0
        self._retry_at: float | None = None
        self._cancel_wanted = False
        self._cancel_owed = False

    @property
    def finished(self) -> bool:
        """Whether the last event has been received."""
        return self.assembly.finished

    @property
    def gives_up_at(self) -> float:
        """When the patience ends unless there is news before."""
        return self._news_at + self._timing.patience_seconds

    def opening(self, now: float) -> list[Command]:
        """The commands for a connection that has just been opened."""
        self._since = now
        self._retry_at = None
        commands = [self._question_or_resume()]
        self._cancel_owed = self._cancel_wanted
        return commands + self.owed()

    def receive(self, frame: Frame, now: float) -> list[dict[str, Any]]:
        """The events that follow now, in order. Raises `Refused` when the server will not serve the request."""
        if "seq" not in frame:
            self._heed_reply(frame, now)
            return []
        had_gap, held = self.assembly.gap, self.assembly.held
        news = self.assembly.receive(frame)
        if news:
            self._news_at = now
            self._repeats = 0
            self._retry_at = None
        if news or (self.assembly.held > held and not had_gap):
            self._since = now
        return news

    def taken(self, now: float) -> None:
        """The caller asks for more: the time it took over the last events is not the server's silence."""
        self._since = max(self._since, now)
        self._news_at = max(self._news_at, now)

    def cancel(self) -> None:
        """Ask for the answer to be stopped; sent as soon as the server is known to have the question."""
        self._cancel_wanted = self._cancel_owed = True

    def owed(self) -> list[Command]:
        """The cancel, when it is to be sent now; once for each connection and each repeat."""
        if not self._cancel_owed or self.finished or not (self._question is None or self.assembly.begun):
            return []
        self._cancel_owed = False
        return [{"action": "cancel", "requestId": self.assembly.request_id}]

    def due(self, now: float) -> list[Command]:
        """The commands to send again when their time has come, because the server owes a sign of life."""
        if self.finished or now < self._repeat_at():
            return []
        self._repeats += 1
        return self.opening(now)

    def wait(self, now: float) -> float:
        """Seconds until `due` may have something, or the patience ends; never negative."""
        return max(0.0, min(self._repeat_at(), self.gives_up_at) - now)

    def _repeat_at(self) -> float:
        if self._retry_at is not None:
            return self._retry_at
        return self._since + self._interval()

    def _interval(self) -> float:
        longest = self._timing.silence_seconds
        if self.assembly.gap:
            first = self._timing.gap_seconds
        elif self._question is not None and not self.assembly.begun:
            first = self._timing.accept_seconds
        else:
            return longest
        return min(longest, first * 2.0 ** min(self._repeats, 30))

    @property
    def _up_to_date(self) -> bool:
        """Whether nothing is known to be missing."""
        return not self.assembly.gap and (self._question is None or self.assembly.begun)

    def _question_or_resume(self) -> Command:
        if self._question is not None and not self.assembly.begun:
            return self._question
        return {"action": "resume", "requestId": self.assembly.request_id, "afterSeq": self.assembly.last_seq}

    def _heed_reply(self, frame: Frame, now: float) -> None:
        """`pending` says when to ask again; what is missing is asked for without that."""
        wait = _retry_after_seconds(frame)
        if frame.get("type") == "pending" and wait is not None and self._up_to_date:
            self._retry_at = now + max(self._timing.gap_seconds, wait)
        elif frame.get("type") == "error" and isinstance(frame.get("error"), str):
            self._heed_refusal(refusal(frame), now)

    def _heed_refusal(self, refused: Refused, now: float) -> None:
        """A retryable refusal is tried again: of a running request for as long as the patience lasts, of a question
        that was never taken a few times, and not at all if it was refused for its rate: the caller decides then.
        """
        wait = refused.retry_after_seconds
        self._refusals += 1
        worth_waiting = self.assembly.begun or (wait is None and self._refusals <= _REFUSALS_LIMIT)
        if not (refused.retryable and worth_waiting):
            raise refused
        back_off = min(self._timing.silence_seconds, self._timing.gap_seconds * 2.0 ** min(self._repeats, 30))
        self._retry_at = now + (back_off if wait is None else wait)


def refusal(frame: Frame) -> Refused:
    """The exception for an `error` frame without `seq`."""
    return Refused(
        str(frame.get("error")),
        code=str(frame.get("code", "unknown")),
        retryable=frame.get("retryable") is True,
        retry_after_seconds=_retry_after_seconds(frame),
    )


def _retry_after_seconds(frame: Frame) -> float | None:
    wait = frame.get("retryAfterSeconds")
    return float(wait) if isinstance(wait, (int, float)) and 0 <= wait < math.inf else None
