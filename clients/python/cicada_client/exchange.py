"""What to send for one request, and when. Without any I/O; the time is an argument.

The question is sent on every new connection until the server is known to have it, and `resume` from then on. The same
is repeated on a connection where the next event is missing or nothing arrives. `resume` also makes the server start
another processor if the first has died; while the lease of the first runs, the reply says when to ask again.
"""

from __future__ import annotations

import math
from typing import Any

from cicada_client.assembly import Assembly
from cicada_client.errors import RefusedError
from cicada_client.events import Frame
from cicada_client.timing import Timing

Command = dict[str, Any]

# How often a question is sent again that a failure of the server refused: after 1, 2, 4 and 8 s; the fifth is final.
_REFUSALS_LIMIT = 4


class Exchange:
    """One request. `question` is its `sendMessage` command; None to follow a request that was sent before."""

    def __init__(
        self, request_id: str, question: Command | None, timing: Timing, now: float, *, after_seq: int = 0
    ) -> None:
        self.assembly = Assembly(request_id, after_seq)
        self._question = question
        self._timing = timing
        self._since = now  # when the server was last heard, or last asked
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
        """When the patience ends, unless an event arrives before."""
        return self._news_at + self._timing.patience_seconds

    def opening(self, now: float) -> list[Command]:
        """The commands for a connection that has just been opened."""
        self._since = now
        self._retry_at = None
        commands = [self._question_or_resume()]
        self._cancel_owed = self._cancel_wanted
        return commands + self.owed()

    def receive(self, frame: Frame, now: float) -> list[dict[str, Any]]:
        """The events that are next, in order. Raises `RefusedError` when the server will not serve the request."""
        if "seq" not in frame:
            self._handle_reply(frame, now)
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
        """The caller has processed the last events: the time that took is not the server's silence."""
        self._since = max(self._since, now)
        self._news_at = max(self._news_at, now)

    def cancel(self) -> None:
        """Stop the answer; the command is sent as soon as the server is known to have the question."""
        self._cancel_wanted = self._cancel_owed = True

    def owed(self) -> list[Command]:
        """The `cancel` command if it is to be sent now: once for each connection and each repeat."""
        if not self._cancel_owed or self.finished or not (self._question is None or self.assembly.begun):
            return []
        self._cancel_owed = False
        return [{"action": "cancel", "requestId": self.assembly.request_id}]

    def due(self, now: float) -> list[Command]:
        """The commands to repeat now because the server has been silent for too long."""
        if self.finished or now < self._repeat_at():
            return []
        self._repeats += 1
        return self.opening(now)

    def wait(self, now: float) -> float:
        """Seconds until `due` may have commands, or until the patience ends; never negative."""
        return max(0.0, min(self._repeat_at(), self.gives_up_at) - now)

    def _repeat_at(self) -> float:
        if self._retry_at is not None:
            return self._retry_at
        return self._since + self._interval()

    def _interval(self) -> float:
        times = 2.0 ** min(self._repeats, 30)
        if self.assembly.gap:
            return min(self._timing.silence_seconds, self._timing.gap_seconds * times)
        if self._question is not None and not self.assembly.begun:
            return min(self._timing.accept_limit_seconds, self._timing.accept_seconds * times)
        return self._timing.silence_seconds

    @property
    def _up_to_date(self) -> bool:
        """Whether no event is known to be missing."""
        return not self.assembly.gap and (self._question is None or self.assembly.begun)

    def _question_or_resume(self) -> Command:
        if self._question is not None and not self.assembly.begun:
            return self._question
        return {"action": "resume", "requestId": self.assembly.request_id, "afterSeq": self.assembly.last_seq}

    def _handle_reply(self, frame: Frame, now: float) -> None:
        """`pending` says when to ask again, unless an event is missing: that is asked for without waiting."""
        wait = _retry_after_seconds(frame)
        if frame.get("type") == "pending" and wait is not None and self._up_to_date:
            self._retry_at = now + max(self._timing.gap_seconds, wait)
        elif frame.get("type") == "error" and isinstance(frame.get("error"), str):
            self._handle_refusal(refusal(frame), now)

    def _handle_refusal(self, refused: RefusedError, now: float) -> None:
        """Repeat after a retryable refusal: an accepted request until the patience ends, a question a few times.

        A question that was refused for its rate is not repeated: the caller decides when to ask again.
        """
        wait = refused.retry_after_seconds
        self._refusals += 1
        worth_waiting = self.assembly.begun or (wait is None and self._refusals <= _REFUSALS_LIMIT)
        if not (refused.retryable and worth_waiting):
            raise refused
        back_off = min(self._timing.silence_seconds, self._timing.gap_seconds * 2.0 ** min(self._repeats, 30))
        self._retry_at = now + (back_off if wait is None else wait)


def refusal(frame: Frame) -> RefusedError:
    """The exception for an `error` frame without `seq`."""
    return RefusedError(
        str(frame.get("error")),
        code=str(frame.get("code", "unknown")),
        retryable=frame.get("retryable") is True,
        retry_after_seconds=_retry_after_seconds(frame),
    )


def _retry_after_seconds(frame: Frame) -> float | None:
    wait = frame.get("retryAfterSeconds")
    return float(wait) if isinstance(wait, (int, float)) and 0 <= wait < math.inf else None
