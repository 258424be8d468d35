"""Time that stands still until a test moves it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Clock:
    """Epoch seconds."""

    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now
