"""The log of a proof: each step with what showed it and when, and what was skipped, by name."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from botocore.exceptions import BotoCoreError, ClientError

_WIDTH = 20


class ProofError(Exception):
    """A step does not show what it is to show; the message says what was seen instead."""


class SkippedError(Exception):
    """A step cannot be taken here; the message says why."""


@dataclass(slots=True)
class Report:
    """Prints each line as it comes about."""

    say: Callable[[str], None]
    shown: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)

    def take(self, name: str, step: Callable[[], str]) -> bool:
        """Take the step and log its evidence. False if it failed."""
        try:
            self.shown.append(name)
            self._line("shown", name, step())
        except SkippedError as reason:
            self.shown.remove(name)
            self.skipped[name] = str(reason)
            self._line("skipped", name, str(reason))
        except (BotoCoreError, ClientError, ProofError) as error:
            self.shown.remove(name)
            self.failed[name] = str(error)
            self._line("FAILED", name, str(error))
        return name not in self.failed

    def end(self) -> bool:
        """Log the sums. Whether nothing failed."""
        names = f": {', '.join(self.skipped)}" if self.skipped else ""
        seconds = time.monotonic() - self.began
        self.say(
            f"{len(self.shown)} steps shown, {len(self.skipped)} skipped{names}, {len(self.failed)} failed,"
            f" in {seconds:.0f} s."
        )
        return not self.failed

    def _line(self, outcome: str, name: str, evidence: str) -> None:
        self.say(f"[{time.monotonic() - self.began:6.1f} s] {outcome:8}{name:{_WIDTH}}{evidence}")
